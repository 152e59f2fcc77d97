package bankapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Limits on an answer. The interface shows none; these are far above a status
// page of 100 payouts and an echo of some ten thousand.
const (
	maxAnswerBytes = 16 << 20 // after decompression
	maxDepth       = 32       // objects and arrays inside one another
	maxValues      = 1 << 20
)

// parse reads exactly one JSON value into a tree of map[string]any, []any,
// string, json.Number, bool and nil. Unlike encoding/json on its own it refuses
// repeated keys (there the last wins), text that is not UTF-8 (there it is
// changed) and depth beyond the limit. Keys keep their case.
func parse(body []byte) (any, error) {
	if len(body) > maxAnswerBytes {
		return nil, fmt.Errorf("more than %d bytes", maxAnswerBytes)
	}
	if !utf8.Valid(body) {
		return nil, errors.New("not UTF-8")
	}
	// The whole syntax first, trailing bytes included: below, every token is
	// known to be where it may be.
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		return nil, fmt.Errorf("not one JSON value: %w", err)
	}
	p := parser{dec: json.NewDecoder(bytes.NewReader(body))}
	p.dec.UseNumber()
	return p.value(0)
}

type parser struct {
	dec    *json.Decoder
	values int
}

func (p *parser) value(depth int) (any, error) {
	if p.values++; p.values > maxValues {
		return nil, fmt.Errorf("more than %d values", maxValues)
	}
	tok, err := p.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if _, container := tok.(json.Delim); !container {
		return tok, nil
	}
	if depth == maxDepth {
		return nil, fmt.Errorf("more than %d levels deep", maxDepth)
	}
	if tok == json.Delim('[') {
		return p.array(depth + 1)
	}
	return p.object(depth + 1)
}

func (p *parser) array(depth int) (any, error) {
	list := []any{}
	for p.dec.More() {
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if _, err := p.dec.Token(); err != nil {
		return nil, err
	}
	return list, nil
}

func (p *parser) object(depth int) (any, error) {
	fields := map[string]any{}
	for p.dec.More() {
		tok, err := p.dec.Token()
		if err != nil {
			return nil, err
		}
		key := tok.(string) // the syntax is known to be right
		if _, repeated := fields[key]; repeated {
			return nil, fmt.Errorf("key %q appears twice", key)
		}
		if fields[key], err = p.value(depth); err != nil {
			return nil, err
		}
	}
	if _, err := p.dec.Token(); err != nil {
		return nil, err
	}
	return fields, nil
}
