package ingest

import (
	"bytes"
	"errors"
	"strings"
)

// xmlReader splits the XML of one part into tokens. It accepts strictly what a workbook uses of XML 1.0 and its
// namespaces, and refuses the rest. It exists because it is several times faster than encoding/xml.
//
// The fields of a token are valid until the next one.
type xmlReader struct {
	textBuffer
	part  string
	limit int // bytes of one token

	space space  // of the element that starts or ends
	local []byte // its name without prefix
	attrs []attr // of the element that starts
	text  []byte // raw text, for appendText
	cdata bool   // the text is literal

	names    []byte // qualified names of the open elements, joined
	open     []int  // where each begins in names
	spaces   []space
	bindings []binding
	plain    space // the namespace of names without a prefix
	closing  bool  // an empty element: its end is the next token
	rootSeen bool
}

type token uint8

const (
	tokStart token = iota
	tokEnd
	tokText
	tokEOF // after the root only comments may follow
)

type attr struct {
	prefix, local, raw []byte
}

// space is a namespace, as far as this package needs it.
type space uint8

const (
	spaceNone space = iota
	spaceMain
	spaceRel       // attributes that refer to a relationship
	spacePackage   // parts with relationships
	spaceContents  // the list of content types
	spaceExcel2009 // additions of Excel 2010 to a worksheet
	spaceRanges    // ranges and formulas in those additions
	spaceDrawing   // themes
	spaceXML
	spaceOther
)

// spaces has each namespace in its transitional and its strict form.
var spaces = map[string]space{
	"": spaceNone,
	"http://schemas.openxmlformats.org/spreadsheetml/2006/main": spaceMain, "http://purl.oclc.org/ooxml/spreadsheetml/main": spaceMain,
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships": spaceRel, "http://purl.oclc.org/ooxml/officeDocument/relationships": spaceRel,
	"http://schemas.openxmlformats.org/package/2006/relationships":  spacePackage,
	"http://schemas.openxmlformats.org/package/2006/content-types":  spaceContents,
	"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main": spaceExcel2009,
	"http://schemas.microsoft.com/office/excel/2006/main":           spaceRanges,
	"http://schemas.openxmlformats.org/drawingml/2006/main":         spaceDrawing, "http://purl.oclc.org/ooxml/drawingml/main": spaceDrawing,
}

func spaceOf(uri []byte) space {
	if s, known := spaces[string(uri)]; known {
		return s
	}
	return spaceOther
}

// binding is a prefix and its namespace while the element is open.
type binding struct {
	prefix string
	space  space
	depth  int
}

// Limits far above any real workbook, so that hostile XML stays cheap.
const (
	xmlBuffer   = 64 << 10
	xmlDepth    = 100
	xmlAttrs    = 200
	xmlBindings = 500
)

// openXML starts reading a part.
func (a *archive) openXML(name string) (*xmlReader, error) {
	src, err := a.open(name)
	if err != nil {
		return nil, err
	}
	x := &xmlReader{textBuffer: newTextBuffer(src, xmlBuffer), part: name, limit: a.limits.XMLToken}
	if err := x.more(); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(x.buf, bomUTF8) {
		x.pos = len(bomUTF8)
	}
	return x, x.declaration()
}

func (x *xmlReader) malformed(format string, args ...any) *Defect {
	return defect(CodeXMLMalformed, 0, "the workbook's part "+strings.ReplaceAll(x.part, "%", "%%")+" "+format, args...)
}

// more reads on and keeps what follows pos.
func (x *xmlReader) more() error {
	if x.eof {
		return x.malformed("is cut off")
	}
	err := x.fill(x.limit)
	if errors.Is(err, errFull) {
		return x.malformed("has a tag or text of more than %d bytes", x.limit)
	}
	return err
}

// next reads the next token.
func (x *xmlReader) next() (token, error) {
	if x.closing {
		x.closing = false
		x.pop()
		return tokEnd, nil
	}
	for {
		if x.pos == len(x.buf) && x.eof {
			if len(x.open) > 0 || !x.rootSeen {
				return 0, x.malformed("is cut off")
			}
			return tokEOF, nil
		}
		tok, used, err := x.scan()
		switch {
		case errors.Is(err, errMore):
			if err := x.more(); err != nil {
				return 0, err
			}
			continue
		case err != nil:
			return 0, err
		case x.bad < x.pos+used:
			return 0, x.malformed("has bytes that are not UTF-8 text")
		}
		x.pos += used
		if tok != tokEOF { // else a comment or an instruction
			return tok, nil
		}
	}
}

// scan reads the token at pos. It returns tokEOF for a comment or an instruction, which is skipped.
func (x *xmlReader) scan() (token, int, error) {
	b := x.buf[x.pos:]
	if len(b) == 0 {
		return 0, 0, errMore
	}
	if b[0] != '<' {
		return x.scanText(b)
	}
	if len(b) < 2 {
		return 0, 0, errMore
	}
	switch b[1] {
	case '/':
		return x.scanEnd(b)
	case '?':
		return x.scanInstruction(b)
	case '!':
		return x.scanBang(b)
	}
	return x.scanStart(b)
}

func (x *xmlReader) scanUntil(b []byte, from int, mark string) (token, int, error) {
	i := bytes.Index(b[from:], []byte(mark))
	if i < 0 {
		return 0, 0, errMore
	}
	return tokEOF, from + i + len(mark), nil
}

// scanInstruction skips "<?target …?>". The XML declaration was read before.
func (x *xmlReader) scanInstruction(b []byte) (token, int, error) {
	tok, used, err := x.scanUntil(b, 2, "?>")
	if err != nil {
		return 0, 0, err
	}
	if n := nameLen(b[2:]); n == 0 || strings.EqualFold(string(b[2:2+n]), "xml") {
		return 0, 0, x.malformed("has an instruction that cannot be read")
	}
	return tok, used, nil
}

func (x *xmlReader) scanBang(b []byte) (token, int, error) {
	const comment, cdata = "<!--", "<![CDATA["
	switch {
	case bytes.HasPrefix(b, []byte(comment)):
		return x.scanComment(b, len(comment))
	case bytes.HasPrefix(b, []byte(cdata)) && len(x.open) > 0:
		_, used, err := x.scanUntil(b, len(cdata), "]]>")
		if err != nil {
			return 0, 0, err
		}
		x.text, x.cdata = b[len(cdata):used-len("]]>")], true
		return tokText, used, nil
	case len(b) < len(cdata):
		return 0, 0, errMore
	case bytes.HasPrefix(b, []byte("<!DOCTYPE")):
		return 0, 0, defect(CodeXMLForbidden, 0, "the workbook's part %s has a document type (DOCTYPE)", x.part)
	}
	return 0, 0, x.malformed("has a tag that begins with <!")
}

// scanComment skips a comment. "--" may occur only at its end.
func (x *xmlReader) scanComment(b []byte, from int) (token, int, error) {
	_, used, err := x.scanUntil(b, from, "--")
	switch {
	case err != nil:
		return 0, 0, err
	case used == len(b):
		return 0, 0, errMore
	case b[used] != '>':
		return 0, 0, x.malformed("has a comment that cannot be read")
	}
	return tokEOF, used + 1, nil
}

func (x *xmlReader) scanText(b []byte) (token, int, error) {
	i := bytes.IndexByte(b, '<')
	if i < 0 {
		if len(x.open) == 0 && x.eof && isXMLSpace(b) {
			return tokEOF, len(b), nil
		}
		return 0, 0, errMore
	}
	if len(x.open) == 0 {
		if !isXMLSpace(b[:i]) {
			return 0, 0, x.malformed("has text outside of its root")
		}
		return tokEOF, i, nil
	}
	x.text, x.cdata = b[:i], false
	return tokText, i, nil
}

func (x *xmlReader) scanEnd(b []byte) (token, int, error) {
	i := bytes.IndexByte(b, '>')
	if i < 0 {
		return 0, 0, errMore
	}
	name := b[2:i]
	if i > 2 && name[i-3] <= ' ' { // spaces are allowed after the name
		name = bytes.TrimRight(name, xmlSpaces)
	}
	if len(x.open) == 0 || !bytes.Equal(name, x.names[x.open[len(x.open)-1]:]) {
		return 0, 0, x.malformed("closes %q where it is not open", clip(name))
	}
	_, x.local = splitName(name)
	x.pop()
	return tokEnd, i + 1, nil
}

// pop closes the innermost element; local keeps its name.
func (x *xmlReader) pop() {
	depth := len(x.open)
	x.space = x.spaces[depth-1]
	x.names = x.names[:x.open[depth-1]]
	x.open, x.spaces = x.open[:depth-1], x.spaces[:depth-1]
	rebind := false
	for n := len(x.bindings); n > 0 && x.bindings[n-1].depth == depth; n-- {
		x.bindings = x.bindings[:n-1]
		rebind = true
	}
	if rebind {
		x.plain, _ = x.lookup(nil)
	}
}

// lookup finds the namespace of a prefix.
func (x *xmlReader) lookup(prefix []byte) (space, bool) {
	for i := len(x.bindings) - 1; i >= 0; i-- {
		if x.bindings[i].prefix == string(prefix) {
			return x.bindings[i].space, true
		}
	}
	if string(prefix) == "xml" {
		return spaceXML, true
	}
	return spaceNone, len(prefix) == 0
}

const xmlSpaces = " \t\r\n"

func isXMLSpace(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// clip shortens a name for a message. Messages never quote texts, which may be account numbers.
func clip(b []byte) string { return string(b[:min(len(b), 40)]) }
