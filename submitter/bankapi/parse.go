package bankapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	if !json.Valid(body) {
		return nil, fmt.Errorf("not one JSON value: %w", json.Unmarshal(body, new(json.RawMessage))) // which says why
	}
	p := parser{text: body}
	return p.value(0)
}

// parser walks over text whose syntax is known to be right.
type parser struct {
	text   []byte
	at     int
	values int
}

func (p *parser) value(depth int) (any, error) {
	if p.values++; p.values > maxValues {
		return nil, fmt.Errorf("more than %d values", maxValues)
	}
	c := p.next()
	if (c == '{' || c == '[') && depth == maxDepth {
		return nil, fmt.Errorf("more than %d levels deep", maxDepth)
	}
	switch c {
	case '{':
		return p.object(depth + 1)
	case '[':
		return p.array(depth + 1)
	case '"':
		return p.string()
	case 't':
		p.at += len("true")
		return true, nil
	case 'f':
		p.at += len("false")
		return false, nil
	case 'n':
		p.at += len("null")
		return nil, nil
	}
	return p.number(), nil
}

// next skips white space and gives the byte that is there, without taking it.
func (p *parser) next() byte {
	for {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return c
		}
	}
}

func (p *parser) array(depth int) (any, error) {
	list := []any{}
	for p.more(']') {
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (p *parser) object(depth int) (any, error) {
	fields := map[string]any{}
	for p.more('}') {
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		if _, repeated := fields[key]; repeated {
			return nil, fmt.Errorf("key %q appears twice", key)
		}
		p.next()
		p.at++ // the colon
		if fields[key], err = p.value(depth); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// more takes what stands before an element, a bracket or a comma, or the end.
// The element is then next.
func (p *parser) more(end byte) bool {
	if c := p.next(); c != end {
		p.at++ // the bracket, for the first, or a comma
	}
	if p.next() != end {
		return true
	}
	p.at++
	return false
}

func (p *parser) string() (string, error) {
	from, escaped := p.at, false
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			escaped = true
			p.at++
		}
	}
	p.at++
	if !escaped {
		return string(p.text[from+1 : p.at-1]), nil
	}
	var s string
	err := json.Unmarshal(p.text[from:p.at], &s)
	return s, err
}

func (p *parser) number() json.Number {
	from := p.at
	for p.at < len(p.text) && bytes.IndexByte([]byte("+-.0123456789eE"), p.text[p.at]) >= 0 {
		p.at++
	}
	return json.Number(p.text[from:p.at])
}
