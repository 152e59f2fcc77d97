package bankapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
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
