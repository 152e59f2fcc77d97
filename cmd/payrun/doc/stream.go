package doc

import (
	"bufio"
	"fmt"
	"io"
	"iter"
)

// Stream writes one JSON object, a document, field by field, so that a list of a
// million batches is never held as text. Its errors are kept until End.
type Stream struct {
	w     *bufio.Writer
	begun bool
	err   error
}

// NewStream begins a document.
func NewStream(w io.Writer) *Stream {
	return &Stream{w: bufio.NewWriterSize(w, 64<<10)}
}

func (d *Stream) name(name string) {
	opening := `,`
	if !d.begun {
		d.begun, opening = true, `{`
	}
	fmt.Fprintf(d.w, "%s%q:", opening, name)
}

// Field writes one field.
func (d *Stream) Field(name string, v any) {
	d.name(name)
	d.value(v)
}

func (d *Stream) value(v any) {
	line, err := Line(v)
	if err != nil && d.err == nil {
		d.err = err
	}
	_, _ = d.w.Write(line)
}

// Object writes a field that is an object, filled by fill.
func (d *Stream) Object(name string, fill func(*Stream)) {
	d.name(name)
	inner := &Stream{w: d.w}
	fill(inner)
	_ = d.w.WriteByte('}')
	if d.err == nil {
		d.err = inner.err
	}
}

// Objects writes a field that is an array of n objects, each filled by fill.
func (d *Stream) Objects(name string, n int, fill func(i int, one *Stream)) {
	d.name(name)
	_ = d.w.WriteByte('[')
	for i := range n {
		if i > 0 {
			_ = d.w.WriteByte(',')
		}
		inner := &Stream{w: d.w}
		fill(i, inner)
		_ = d.w.WriteByte('}')
		if d.err == nil {
			d.err = inner.err
		}
	}
	_ = d.w.WriteByte(']')
}

// End closes the object and its line.
func (d *Stream) End() error {
	_, _ = d.w.WriteString("}\n")
	if err := d.w.Flush(); d.err == nil {
		d.err = err
	}
	return d.err
}

// List writes a field that is an array, one element after the other.
func List[T any](d *Stream, name string, elements iter.Seq[T]) {
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
