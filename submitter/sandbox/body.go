package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// object is a JSON object whose values are not read yet. encoding/json by
// itself would match names in any case, let the last of two equal names win
// and accept bytes after the value; a strict bank does none of these.
type object map[string]json.RawMessage

func readObject(raw []byte) (object, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("want UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, _ := dec.Token(); open != json.Delim('{') || !json.Valid(raw) { // from here on each token is where it may be
		return nil, errors.New("want one JSON object")
	}
	o := object{}
	for dec.More() {
		name, _ := dec.Token()
		if _, twice := o[name.(string)]; twice {
			return nil, fmt.Errorf("%s appears twice", name)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		o[name.(string)] = value
	}
	return o, nil
}

// readStrings reads an object and strings of it that are required.
func readStrings(body []byte, into map[string]*string) (object, error) {
	o, err := readObject(body)
	if err != nil {
		return nil, err
	}
	return o, o.strings(object.required, into)
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
	var s string
	if raw, there := o[name]; there {
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", fmt.Errorf("%s must be a string", name)
		}
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
