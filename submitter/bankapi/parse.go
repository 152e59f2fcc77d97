package bankapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits on an answer. The interface shows none; these are far above a status
// page of 100 payouts and an echo of 500, which has some 7,000 values. As
// many answers as limits.requests_in_flight are read at once.
const (
	maxAnswerBytes = 16 << 20 // after decompression
	maxDepth       = 32       // objects and arrays inside one another
	maxValues      = 1 << 18
)

// parse reads exactly one JSON value into a tree of map[string]any, []any,
// string, json.Number, bool and nil. Unlike encoding/json on its own it refuses
// repeated keys (there the last wins), text that is not UTF-8 (there it is
// changed) and depth beyond the limit. Keys keep their case. NUL, which not every
// database keeps, is written out.
func parse(body []byte) (any, error) {
	if len(body) > maxAnswerBytes {
		return nil, fmt.Errorf("more than %d bytes", maxAnswerBytes)
	}
	if !utf8.Valid(body) {
		return nil, errors.New("not UTF-8")
	}
	// The whole syntax first, trailing bytes included: below, every token is
	// known to be where it may be.
	if !json.Valid(body) {
		return nil, fmt.Errorf("not one JSON value: %w", json.Unmarshal(body, new(json.RawMessage))) // which says why
	}
	r := reader{Decoder: json.NewDecoder(bytes.NewReader(body))}
	r.UseNumber()
	return r.value(0)
}

// reader takes the tokens of text whose syntax is known to be right.
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
