package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"
)

// document writes v as one line of JSON.
func (a *app) document(v any) error {
	line, err := jsonLine(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s\n", line)
	return err
}

// jsonLine encodes v. What a terminal could act on is escaped: JSON leaves
// direction marks and the C1 controls as they are, and people look at
// documents too.
func jsonLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeUnprintable(bytes.TrimRight(b.Bytes(), "\n")), nil
}

func escapeUnprintable(line []byte) []byte {
	if bytes.IndexFunc(line, unprintable) < 0 {
		return line
	}
	out := make([]byte, 0, len(line)+16)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case !unprintable(r) || r == utf8.RuneError:
			out = append(out, line[:size]...)
		case r > 0xFFFF: // a surrogate pair
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		line = line[size:]
	}
	return out
}

// longDocument writes one JSON object field by field, so that a list of a
// million batches is never held as text. Its errors are kept until end.
type longDocument struct {
	w     *bufio.Writer
	begun bool
	err   error
}

func newLongDocument(w io.Writer) *longDocument {
	return &longDocument{w: bufio.NewWriterSize(w, 64<<10)}
}

func (d *longDocument) name(name string) {
	opening := `,`
	if !d.begun {
		d.begun, opening = true, `{`
	}
	fmt.Fprintf(d.w, "%s%q:", opening, name)
}

// field writes one field.
func (d *longDocument) field(name string, v any) {
	d.name(name)
	d.value(v)
}

func (d *longDocument) value(v any) {
	line, err := jsonLine(v)
	if err != nil && d.err == nil {
		d.err = err
	}
	_, _ = d.w.Write(line)
}

// object writes a field that is an object, filled by fill.
func (d *longDocument) object(name string, fill func(*longDocument)) {
	d.name(name)
	inner := &longDocument{w: d.w}
	fill(inner)
	_ = d.w.WriteByte('}')
	if d.err == nil {
		d.err = inner.err
	}
}

// end closes the object and its line.
func (d *longDocument) end() error {
	_, _ = d.w.WriteString("}\n")
	if err := d.w.Flush(); d.err == nil {
		d.err = err
	}
	return d.err
}

// list writes a field that is an array, one element after the other.
func list[T any](d *longDocument, name string, elements iter.Seq[T]) {
	d.name(name)
	opening := byte('[')
	for e := range elements {
		_ = d.w.WriteByte(opening)
		d.value(e)
		opening = ','
	}
	if opening == '[' {
		_ = d.w.WriteByte('[')
	}
	_ = d.w.WriteByte(']')
}
