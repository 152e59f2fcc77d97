package ingest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// painInput gives encoding/xml the bytes of a message one by one: it counts
// lines, and ends a token that grows beyond every measure before it fills memory.
type painInput struct {
	src  io.Reader
	buf  []byte
	at   int
	n    int
	err  error
	line int // of the byte that is read next
	used int // bytes since the last token
	most int
}

// ReadByte implements io.ByteReader, which keeps xml.Decoder from reading ahead.
func (i *painInput) ReadByte() (byte, error) {
	if i.at == i.n {
		if i.err != nil {
			return 0, i.err
		}
		i.at = 0
		if i.n, i.err = i.src.Read(i.buf); i.n == 0 {
			if i.err == nil {
				i.err = io.ErrNoProgress
			}
			return 0, i.err
		}
	}
	if i.used++; i.used > i.most {
		return 0, errPainToken
	}
	c := i.buf[i.at]
	i.at++
	if c == '\n' {
		i.line++
	}
	return c, nil
}

// Read is there because xml.NewDecoder asks for it.
func (i *painInput) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	c, err := i.ReadByte()
	if err != nil {
		return 0, err
	}
	b[0] = c
	return 1, nil
}

var errPainToken = errors.New("a tag or text is too long")

// skipMark passes over a byte order mark.
func (i *painInput) skipMark() error {
	n, err := io.ReadFull(i.src, i.buf[:len(bomUTF8)])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if i.n = n; bytes.Equal(i.buf[:n], bomUTF8) {
		i.n = 0
	}
	return nil
}

// token reads the next token. A comment is none; what no message has is refused.
func (p *painReader) token() (xml.Token, error) {
	for {
		p.in.used = 0
		tok, err := p.dec.Token()
		if err != nil {
			return nil, p.unreadable(err)
		}
		switch tok := tok.(type) {
		case xml.Comment:
			continue
		case xml.Directive:
			return nil, p.located(defect(CodePainForbidden, 0, "it has a document type (DOCTYPE) or another declaration"), p.in.line, "")
		case xml.ProcInst:
			if tok.Target == "xml" && p.version == "" {
				continue
			}
			return nil, p.located(defect(CodePainForbidden, 0, "it has an instruction for a program"), p.in.line, "")
		case xml.StartElement:
			if err := p.attributes(tok); err != nil {
				return nil, err
			}
		}
		return tok, nil
	}
}

// unreadable separates faults of the XML from faults of the disk.
func (p *painReader) unreadable(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, errPainToken):
		return p.malformed("", fmt.Sprintf("it has a tag or text of more than %d bytes", p.in.most))
	case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "invalid character entity"):
		return p.located(defect(CodePainForbidden, 0, "it uses an entity that is not built into XML"), p.in.line, "")
	case errors.As(err, &syntax):
		return p.malformed("", "it is not well-formed XML")
	case p.in.err != nil && !errors.Is(p.in.err, io.EOF):
		return p.in.err // of the file
	}
	return p.malformed("", "it is not XML in UTF-8") // another encoding or version is declared
}

// attributes refuses what encoding/xml lets pass: one name twice.
func (p *painReader) attributes(e xml.StartElement) error {
	for i, a := range e.Attr {
		for _, b := range e.Attr[:i] {
			if a.Name == b.Name {
				return p.malformed("", "an element has an attribute twice")
			}
		}
	}
	return nil
}

// plain refuses attributes that no element has but that of the amount; names of
// namespaces, and where to find the schema, are none.
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

// open reads the start of an element that must come next. An empty namespace accepts any.
func (p *painReader) open(space, local string) (xml.StartElement, error) {
	for {
		tok, err := p.token()
		if errors.Is(err, io.EOF) {
			return xml.StartElement{}, p.malformed("", "it is cut off")
		}
		if err != nil {
			return xml.StartElement{}, err
		}
		switch tok := tok.(type) {
		case xml.CharData:
			if !isXMLSpace(tok) {
				return xml.StartElement{}, p.malformed("", "it has text between its elements")
			}
		case xml.StartElement:
			if tok.Name.Local != local || space != "" && tok.Name.Space != space {
				return tok, p.malformed("", "it has no "+local+" where it belongs")
			}
			return tok.Copy(), p.plain("", tok)
		default:
			return xml.StartElement{}, p.malformed("", "it has no "+local)
		}
	}
}

// child gives the next element inside of the one that is open; nil at its end.
func (p *painReader) child(path string) (*xml.StartElement, error) {
	for {
		tok, err := p.token()
		if errors.Is(err, io.EOF) {
			return nil, p.malformed(path, "it is cut off")
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.CharData:
			if !isXMLSpace(tok) {
				return nil, p.malformed(path, "it has text between its elements")
			}
		case xml.StartElement:
			if tok.Name.Space != painURN+p.version {
				return nil, p.located(defect(CodePainElement, 0, "it has an element of another namespace"), p.in.line, join(path, tok.Name.Local))
			}
			e := tok.Copy()
			return &e, nil
		case xml.EndElement:
			return nil, nil
		}
	}
}

func join(path, local string) string {
	if path == "" {
		return local
	}
	return path + "/" + local
}

// inside reads the elements inside of the one that is open.
func (p *painReader) inside(path string) error {
	for {
		e, err := p.child(path)
		if e == nil || err != nil {
			return err
		}
		if err := p.element(join(path, e.Name.Local), *e); err != nil {
			return err
		}
	}
}

// text reads the text of the element that is open, which holds nothing else, and
// drops the spaces around it.
func (p *painReader) text(path string) (string, error) {
	var b strings.Builder
	for {
		p.in.used = 0
		tok, err := p.dec.Token()
		if errors.Is(err, io.EOF) {
			return "", p.malformed(path, "it is cut off")
		}
		if err != nil {
			return "", p.unreadable(err)
		}
		switch tok := tok.(type) {
		case xml.CharData:
			b.Write(tok)
			if b.Len() > p.in.most {
				return "", p.malformed(path, fmt.Sprintf("it has more than %d bytes", p.in.most))
			}
		case xml.EndElement:
			return strings.Trim(b.String(), xmlSpaces), nil
		default: // a comment too: programs differ in what is left of the text around it
			return "", p.malformed(path, "it holds something else than text")
		}
	}
}

// skip reads past the end of the element that is open.
func (p *painReader) skip() error {
	for depth := 1; depth > 0; {
		tok, err := p.token()
		if errors.Is(err, io.EOF) {
			return p.malformed("", "it is cut off")
		}
		if err != nil {
			return err
		}
		switch tok.(type) {
		case xml.StartElement:
			if depth++; depth > painDepth {
				return p.malformed("", fmt.Sprintf("its elements are nested more than %d levels deep", painDepth))
			}
		case xml.EndElement:
			depth--
		}
	}
	return nil
}
