package ingest

import (
	"bytes"
	"regexp"
)

// xmlDeclaration matches XML 1.0 in UTF-8, the only encoding that programs write.
var xmlDeclaration = func() *regexp.Regexp {
	attr := func(name, value string) string {
		return `[ \t\r\n]+` + name + `[ \t\r\n]*=[ \t\r\n]*(?:"` + value + `"|'` + value + `')`
	}
	return regexp.MustCompile(`^<\?xml` + attr("version", `1\.0`) + `(?:` + attr("encoding", `(?i:utf-8|us-ascii)`) + `)?(?:` +
		attr("standalone", `(?:yes|no)`) + `)?[ \t\r\n]*\?>`)
}()

// declaration skips "<?xml version=… encoding=… standalone=…?>".
func (x *xmlReader) declaration() error {
	const open = "<?xml"
	b := x.buf[x.pos:]
	if !bytes.HasPrefix(b, []byte(open)) || len(b) > len(open) && nameByte[b[len(open)]] {
		return nil
	}
	declared := xmlDeclaration.Find(b)
	if declared == nil {
		return x.malformed("does not begin as XML 1.0 in UTF-8 does")
	}
	x.pos += len(declared)
	return nil
}

// nameByte has the bytes that names may have here. XML also allows letters beyond ASCII, but no workbook uses
// them.
var nameByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':'
	}
	return t
}()

// scanStart reads a start tag, which may be the whole element.
func (x *xmlReader) scanStart(b []byte) (token, int, error) {
	nameEnd := nameLen(b[1:]) + 1
	i := nameEnd
	x.attrs = x.attrs[:0]
	for {
		spaced := i
		for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
			i++
		}
		if i+1 >= len(b) {
			return 0, 0, errMore
		}
		switch {
		case b[i] == '>':
			return x.started(b[1:nameEnd], i+1, false)
		case b[i] == '/' && b[i+1] == '>':
			return x.started(b[1:nameEnd], i+2, true)
		case i == spaced:
			return 0, 0, x.malformed("has a tag that cannot be read")
		}
		used, err := x.scanAttr(b[i:])
		if err != nil {
			return 0, 0, err
		}
		i += used
	}
}

// scanAttr reads one attribute.
func (x *xmlReader) scanAttr(b []byte) (int, error) {
	n := nameLen(b)
	i := n
	for i < len(b) && (b[i] == '=' || isXMLSpace(b[i:i+1])) {
		i++
	}
	if i == len(b) {
		return 0, errMore
	}
	equals := i == n+1 && b[n] == '=' || string(bytes.Trim(b[n:i], xmlSpaces)) == "="
	if n == 0 || !equals || (b[i] != '"' && b[i] != '\'') {
		return 0, x.malformed("has an attribute that cannot be read")
	}
	end := bytes.IndexByte(b[i+1:], b[i])
	if end < 0 {
		return 0, errMore
	}
	raw := b[i+1 : i+1+end]
	if len(x.attrs) == xmlAttrs {
		return 0, x.malformed("has a tag with more than %d attributes", xmlAttrs)
	}
	if err := x.checkAttr(raw); err != nil {
		return 0, err
	}
	prefix, local := splitName(b[:n])
	if !isName(local) || len(prefix) > 0 && !isName(prefix) {
		return 0, x.malformed("has an attribute that cannot be read")
	}
	for _, a := range x.attrs {
		if bytes.Equal(a.local, local) && bytes.Equal(a.prefix, prefix) {
			return 0, x.malformed("has the attribute %q twice in a tag", clip(b[:n]))
		}
	}
	x.attrs = append(x.attrs, attr{prefix, local, raw})
	return i + end + 2, nil
}

// checkAttr refuses a value that is not text, even if the value is never read.
func (x *xmlReader) checkAttr(raw []byte) error {
	for _, c := range raw {
		if c >= ' ' && c != '<' && c != '&' && c != 0xEF {
			continue
		}
		if c == '<' {
			return x.malformed("has an attribute that cannot be read")
		}
		_, err := x.appendDecoded(nil, raw)
		return err
	}
	return nil
}

func nameLen(b []byte) int {
	n := 0
	for n < len(b) && nameByte[b[n]] {
		n++
	}
	return n
}

// isName reports whether name bytes make a name without prefix: it has no colon and does not begin with a
// digit, a dash or a dot.
func isName(b []byte) bool {
	return len(b) > 0 && bytes.IndexByte(b, ':') < 0 && b[0] != '-' && b[0] != '.' && (b[0] < '0' || b[0] > '9')
}

func splitName(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// started opens the element whose tag was read.
func (x *xmlReader) started(name []byte, used int, empty bool) (token, int, error) {
	depth := len(x.open) + 1
	prefix, local := splitName(name)
	switch {
	case !isName(local):
		return 0, 0, x.malformed("has a tag that cannot be read: %q", clip(name))
	case depth == 1 && x.rootSeen:
		return 0, 0, x.malformed("has two roots")
	case depth > xmlDepth:
		return 0, 0, x.malformed("is nested more than %d deep", xmlDepth)
	}
	x.rootSeen = true
	if err := x.bind(depth); err != nil {
		return 0, 0, err
	}
	s := x.plain
	if len(prefix) > 0 {
		known := false
		if s, known = x.lookup(prefix); !known {
			return 0, 0, x.malformed("has the prefix %q without a namespace", clip(prefix))
		}
	}
	x.open = append(x.open, len(x.names))
	x.names = append(x.names, name...)
	x.spaces = append(x.spaces, s)
	x.space, x.local, x.closing = s, local, empty
	return tokStart, used, nil
}

// bind records the namespaces that the tag declares.
func (x *xmlReader) bind(depth int) error {
	for _, a := range x.attrs {
		switch {
		case len(a.prefix) == 0 && string(a.local) == "xmlns":
			x.bindings = append(x.bindings, binding{"", spaceOf(a.raw), depth})
			x.plain = spaceOf(a.raw)
		case string(a.prefix) == "xmlns":
			x.bindings = append(x.bindings, binding{string(a.local), spaceOf(a.raw), depth})
		}
	}
	if len(x.bindings) > xmlBindings {
		return x.malformed("declares more than %d namespaces", xmlBindings)
	}
	return nil
}

// attr returns the raw value of an attribute without a prefix; nil if it is absent.
func (x *xmlReader) attr(local string) []byte {
	for _, a := range x.attrs {
		if len(a.prefix) == 0 && string(a.local) == local {
			return a.raw
		}
	}
	return nil
}

// attrText returns the value of an attribute as text; "" if it is absent. spaceNone means an attribute without
// a prefix.
func (x *xmlReader) attrText(s space, local string) (string, error) {
	for _, a := range x.attrs {
		if string(a.local) != local {
			continue
		}
		have := spaceNone
		if len(a.prefix) > 0 {
			have, _ = x.lookup(a.prefix)
		}
		if have == s {
			text, err := x.appendDecoded(nil, a.raw)
			return string(text), err
		}
	}
	return "", nil
}
