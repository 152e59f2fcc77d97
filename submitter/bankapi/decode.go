package bankapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// decode reads one JSON value strictly into a wire struct: keys match in their
// exact case (encoding/json matches any case), none is repeated, nothing
// follows the value, every value has the type of its field, and a field tagged
// wire:"required" is there and not null. Fields not known are passed over.
func decode(body []byte, into any) error {
	tree, err := parse(body)
	if err != nil {
		return err
	}
	return fill(reflect.ValueOf(into).Elem(), tree, "")
}

// fill sets v, of one of the kinds that wire structs are made of, from a tree.
func fill(v reflect.Value, tree any, path string) error {
	if v.Kind() == reflect.Pointer {
		if tree == nil {
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), tree, path)
	}
	if v.Kind() == reflect.Interface {
		if tree != nil {
			v.Set(reflect.ValueOf(tree))
		}
		return nil
	}
	if v.Kind() == reflect.Int {
		return fillInt(v, tree, path)
	}
	if t := reflect.TypeOf(tree); t == v.Type() { // string, bool, map[string]any, []any
		v.Set(reflect.ValueOf(tree))
		return nil
	}
	switch tree := tree.(type) {
	case map[string]any:
		if v.Kind() == reflect.Struct {
			return fillStruct(v, tree, path)
		}
	case []any:
		if v.Kind() == reflect.Slice {
			return fillSlice(v, tree, path)
		}
	}
	return wrongType(v, tree, path)
}

func fillInt(v reflect.Value, tree any, path string) error {
	number, ok := tree.(json.Number)
	if !ok {
		return wrongType(v, tree, path)
	}
	n, err := strconv.Atoi(string(number)) // not 1.0, not 1e0
	if err != nil {
		return fmt.Errorf("%s: %q is not a whole number in range", path, string(number))
	}
	v.SetInt(int64(n))
	return nil
}

func fillSlice(v reflect.Value, list []any, path string) error {
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, element := range list {
		if err := fill(v.Index(i), element, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func fillStruct(v reflect.Value, object map[string]any, path string) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		at := join(path, name)
		value := object[name]
		if value == nil {
			if field.Tag.Get("wire") == "required" {
				return fmt.Errorf("%s is not there", at)
			}
			continue
		}
		if err := fill(v.Field(i), value, at); err != nil {
			return err
		}
	}
	return nil
}

func wrongType(v reflect.Value, tree any, path string) error {
	if path == "" {
		path = "the value"
	}
	return fmt.Errorf("%s: %s where %s belongs", path, kindOf(reflect.TypeOf(tree)), kindOf(v.Type()))
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

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
