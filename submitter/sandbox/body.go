package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// object is a JSON object whose values are not read yet. encoding/json by
// itself would match names in any case, let the last of two equal names win
// and accept bytes after the value; a strict bank does none of these.
type object map[string]json.RawMessage

var errNotObject = errors.New("want one JSON object")

func readObject(raw []byte) (object, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("want UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errNotObject
	}
	o := object{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, errNotObject
		}
		key, isString := name.(string)
		if _, twice := o[key]; twice || !isString {
			return nil, fmt.Errorf("%v appears twice", name)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, errNotObject
		}
		o[key] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, errNotObject
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotObject
	}
	return o, nil
}

// required returns a string that must be there and not empty.
func (o object) required(name string) (string, error) {
	s, err := o.optional(name)
	if err == nil && s == "" {
		err = fmt.Errorf("%s is required", name)
	}
	return s, err
}

// optional returns a string, "" when it is absent or null.
func (o object) optional(name string) (string, error) {
	raw, ok := o[name]
	if !ok || string(raw) == "null" {
		return "", nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("%s must be a string", name)
	}
	return s, nil
}

// strings fills each named string with the value of its name, by get.
func (o object) strings(get func(object, string) (string, error), into map[string]*string) error {
	for name, target := range into {
		s, err := get(o, name)
		if err != nil {
			return err
		}
		*target = s
	}
	return nil
}
