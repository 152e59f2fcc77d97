package bankapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

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
