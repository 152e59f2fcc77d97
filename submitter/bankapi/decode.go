package bankapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decode reads one JSON value strictly into a wire struct. Keys match in their exact case (encoding/json
// matches any case) and none is repeated. Nothing follows the value. Every value has the type of its field; a
// field tagged wire:"compared" puts a value of another type into Unread instead. A field tagged wire:"required"
// is present and not null. Unknown fields are ignored.
func Decode(body []byte, into any) error {
	tree, err := parse(body)
	if err != nil {
		return err
	}
	return fit(into, tree)
}

// fit fills the wire struct that into points to from a tree of parse.
func fit(into, tree any) error {
	err := fill(reflect.ValueOf(into).Elem(), tree)
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix("it"+err.Error(), "it.")) // "it" is a value without a field name
}

// fill sets v from a tree. v is of one of the kinds that wire structs use. An error begins with the place in v
// of the value that does not have the interface's shape.
func fill(v reflect.Value, tree any) error {
	object, isObject := tree.(map[string]any)
	list, isList := tree.([]any)
	switch kind := v.Kind(); {
	case tree == nil: // null fields never reach this
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), tree)
	case kind == reflect.Interface, reflect.TypeOf(tree) == v.Type(): // string, bool, map[string]any, []any
		v.Set(reflect.ValueOf(tree))
		return nil
	case kind == reflect.Int:
		return fillInt(v, tree)
	case kind == reflect.Struct && isObject:
		return fillStruct(v, object)
	case kind == reflect.Slice && isList:
		return fillSlice(v, list)
	}
	return wrongType(v, tree)
}

func fillInt(v reflect.Value, tree any) error {
	number, ok := tree.(json.Number)
	if !ok {
		return wrongType(v, tree)
	}
	n, err := strconv.Atoi(string(number)) // not 1.0, not 1e0
	if err != nil {
		return errors.New(" is not a whole number in range")
	}
	v.SetInt(int64(n))
	return nil
}

func fillSlice(v reflect.Value, list []any) error {
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, element := range list {
		if err := fill(v.Index(i), element); err != nil {
			return fmt.Errorf("[%d]%w", i, err)
		}
	}
	return nil
}

func fillStruct(v reflect.Value, object map[string]any) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		tag, value := field.Tag.Get("wire"), object[name]
		if value == nil {
			if strings.Contains(tag, "required") {
				return fmt.Errorf(".%s is not there", name)
			}
			continue
		}
		switch err := fill(v.Field(i), value); {
		case err != nil && strings.Contains(tag, "compared"):
			keepUnread(v, name, value)
		case err != nil:
			return fmt.Errorf(".%s%w", name, err)
		}
	}
	return nil
}

// keepUnread puts a value of the wrong type into Unread.
func keepUnread(v reflect.Value, name string, value any) {
	unread := v.FieldByName("Unread").Addr().Interface().(*Unread)
	if *unread == nil {
		*unread = Unread{}
	}
	(*unread)[name] = value
}

func wrongType(v reflect.Value, tree any) error {
	return fmt.Errorf(" is %s where %s belongs", kindOf(reflect.TypeOf(tree)), kindOf(v.Type()))
}

// kindOf names a type as JSON does.
func kindOf(t reflect.Type) string {
	switch {
	case t == nil:
		return "null"
	case t == reflect.TypeFor[json.Number]() || t.Kind() == reflect.Int:
		return "a number"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// Limits on an answer. The interface shows none. These are far above a status page of 100 payouts and an echo
// of 500, which has about 7,000 values. Up to limits.requests_in_flight answers are read at once.
const (
	maxAnswerBytes = 16 << 20 // after decompression
	maxDepth       = 32       // nested objects and arrays
	maxValues      = 1 << 18
)

// parse reads exactly one JSON value into a tree of map[string]any, []any, string, json.Number, bool and nil.
// encoding/json alone lets the last of repeated keys win and changes text that is not UTF-8; parse refuses
// both, and depth beyond the limit. Keys keep their case. NUL is written as \u0000, because not every database
// keeps it.
func parse(body []byte) (any, error) {
	if len(body) > maxAnswerBytes {
		return nil, fmt.Errorf("more than %d bytes", maxAnswerBytes)
	}
	if !utf8.Valid(body) {
		return nil, errors.New("not UTF-8")
	}
	// This checks the whole syntax first, trailing bytes included, so the code below can rely on every token.
	if !json.Valid(body) {
		return nil, fmt.Errorf("not one JSON value: %w", json.Unmarshal(body, new(json.RawMessage))) // says why
	}
	r := reader{Decoder: json.NewDecoder(bytes.NewReader(body))}
	r.UseNumber()
	return r.value(0)
}

// reader reads tokens of JSON whose syntax is already checked.
type reader struct {
	*json.Decoder
	values int
}

func (r *reader) value(depth int) (any, error) {
	if r.values++; r.values > maxValues {
		return nil, fmt.Errorf("more than %d values", maxValues)
	}
	token, err := r.Token()
	open, nested := token.(json.Delim)
	switch {
	case err != nil:
		return nil, err
	case !nested:
		if text, ok := token.(string); ok {
			return strings.ReplaceAll(text, "\x00", `\u0000`), nil
		}
		return token, nil
	case depth == maxDepth:
		return nil, fmt.Errorf("more than %d levels deep", maxDepth)
	case open == '[':
		list := []any{}
		for r.More() {
			v, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = r.Token()
		return list, err
	}
	fields := map[string]any{}
	for r.More() {
		name, err := r.Token()
		if err != nil {
			return nil, err
		}
		key := name.(string)
		if _, repeated := fields[key]; repeated {
			return nil, fmt.Errorf("key %q appears twice", key)
		}
		if fields[key], err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	_, err = r.Token()
	return fields, err
}
