package bankapi

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// decode reads one JSON value strictly into a wire struct: keys match in their
// exact case (encoding/json matches any case), none is repeated, nothing
// follows the value, every value has the type of its field, or is put
// into Unread where the field is tagged wire:"compared", and a field tagged
// wire:"required" is there and not null. Fields not known are passed over.
func decode(body []byte, into any) error {
	tree, err := parse(body)
	if err != nil {
		return err
	}
	return fit(into, tree)
}

// fit sets the wire struct that into points to from a tree of parse.
func fit(into, tree any) error {
	if m := fill(reflect.ValueOf(into).Elem(), tree); m != nil {
		return m
	}
	return nil
}

// misfit is a value that does not have the interface's shape, and where it is.
type misfit struct{ path, what string }

func (m *misfit) Error() string {
	if m.path == "" {
		return "it " + m.what
	}
	return strings.TrimPrefix(m.path, ".") + " " + m.what
}

// under says that m is below a field or an element.
func (m *misfit) under(path string) *misfit {
	m.path = path + m.path
	return m
}

// fill sets v, of one of the kinds that wire structs are made of, from a tree.
func fill(v reflect.Value, tree any) *misfit {
	if tree == nil { // fields that may be null are not filled at all
		return wrongType(v, tree)
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), tree)
	case reflect.Interface:
		v.Set(reflect.ValueOf(tree))
		return nil
	case reflect.Int:
		return fillInt(v, tree)
	}
	if reflect.TypeOf(tree) == v.Type() { // string, bool, map[string]any, []any
		v.Set(reflect.ValueOf(tree))
		return nil
	}
	switch tree := tree.(type) {
	case map[string]any:
		if v.Kind() == reflect.Struct {
			return fillStruct(v, tree)
		}
	case []any:
		if v.Kind() == reflect.Slice {
			return fillSlice(v, tree)
		}
	}
	return wrongType(v, tree)
}

func fillInt(v reflect.Value, tree any) *misfit {
	number, ok := tree.(json.Number)
	if !ok {
		return wrongType(v, tree)
	}
	n, err := strconv.Atoi(string(number)) // not 1.0, not 1e0
	if err != nil {
		return &misfit{what: "is not a whole number in range"}
	}
	v.SetInt(int64(n))
	return nil
}

func fillSlice(v reflect.Value, list []any) *misfit {
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, element := range list {
		if m := fill(v.Index(i), element); m != nil {
			return m.under("[" + strconv.Itoa(i) + "]")
		}
	}
	return nil
}

func fillStruct(v reflect.Value, object map[string]any) *misfit {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		tag, value := field.Tag.Get("wire"), object[name]
		if value == nil {
			if strings.Contains(tag, "required") {
				return &misfit{"." + name, "is not there"}
			}
			continue
		}
		switch m := fill(v.Field(i), value); {
		case m != nil && strings.Contains(tag, "compared"):
			keepUnread(v, name, value)
		case m != nil:
			return m.under("." + name)
		}
	}
	return nil
}

// keepUnread puts a value that is not of its field's type into Unread.
func keepUnread(v reflect.Value, name string, value any) {
	unread := v.FieldByName("Unread").Addr().Interface().(*Unread)
	if *unread == nil {
		*unread = Unread{}
	}
	(*unread)[name] = value
}

func wrongType(v reflect.Value, tree any) *misfit {
	return &misfit{what: "is " + kindOf(reflect.TypeOf(tree)) + " where " + kindOf(v.Type()) + " belongs"}
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
