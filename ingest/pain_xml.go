package ingest

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// painInput gives encoding/xml the bytes of a message one by one, and stops at a token of more than most bytes
// before it fills memory.
type painInput struct {
	*bufio.Reader
	used int // bytes since the last token
	most int
	err  error // of reading the file
}

var errPainToken = errors.New("a tag or text is too long")

// newPainInput skips a byte order mark.
func newPainInput(src io.Reader, most int) *painInput {
	in := &painInput{Reader: bufio.NewReaderSize(src, 64<<10), most: most}
	if mark, _ := in.Peek(len(bomUTF8)); bytes.Equal(mark, bomUTF8) {
		_, _ = in.Discard(len(bomUTF8)) // they are in the buffer
	}
	return in
}

// ReadByte keeps xml.Decoder from reading ahead.
func (i *painInput) ReadByte() (c byte, err error) {
	if i.used++; i.used > i.most {
		return 0, errPainToken
	}
	if c, err = i.Reader.ReadByte(); err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	return c, err
}

// line returns the line at which the last token ended.
func (p *painReader) line() int {
	line, _ := p.dec.InputPos()
	return line
}

// unreadable tells XML faults from disk faults.
func (p *painReader) unreadable(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, errPainToken):
		return p.malformed("", fmt.Sprintf("it has a tag or text of more than %d bytes", p.in.most))
	case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "invalid character entity"):
		return p.refuse(CodePainForbidden, p.line(), "", "it uses an entity that is not built into XML")
	case errors.As(err, &syntax):
		return p.malformed("", "it is not well-formed XML")
	case p.in.err != nil:
		return p.in.err
	}
	return p.malformed("", "it is not XML in UTF-8") // another encoding or version is declared
}

// attributes refuses a repeated attribute, which encoding/xml accepts.
func (p *painReader) attributes(e xml.StartElement) error {
	for i, a := range e.Attr {
		if slices.ContainsFunc(e.Attr[:i], func(b xml.Attr) bool { return a.Name == b.Name }) {
			return p.malformed("", "an element has an attribute twice")
		}
	}
	return nil
}

// plain refuses all attributes except namespaces and, in the root elements, the location of the schema.
func (p *painReader) plain(path string, e xml.StartElement) error {
	for _, a := range e.Attr {
		switch {
		case a.Name.Space == "xmlns", a.Name == xml.Name{Local: "xmlns"}:
		case path == "" && a.Name.Space == "http://www.w3.org/2001/XMLSchema-instance" && a.Name.Local == "schemaLocation":
		default:
			return p.malformed(path, "it has an attribute that does not belong there")
		}
	}
	return nil
}
