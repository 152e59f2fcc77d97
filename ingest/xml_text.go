package ingest

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// appendText appends the text token, with its references resolved and its line breaks as "\n".
func (x *xmlReader) appendText(out []byte) ([]byte, error) {
	if x.cdata {
		return x.appendLiteral(out, x.text)
	}
	if bytes.Contains(x.text, []byte("]]>")) {
		return out, x.malformed(`has "]]>" in a text`)
	}
	return x.appendDecoded(out, x.text)
}

// appendDecoded appends raw with its references resolved.
func (x *xmlReader) appendDecoded(out, raw []byte) ([]byte, error) {
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return x.appendLiteral(out, raw)
		}
		var err error
		if out, err = x.appendLiteral(out, raw[:i]); err != nil {
			return out, err
		}
		end := bytes.IndexByte(raw[i:], ';')
		if end < 0 {
			return out, x.malformed("has a reference that cannot be read")
		}
		r, ok := reference(string(raw[i+1 : i+end]))
		if !ok {
			return out, defect(CodeXMLForbidden, 0, "the workbook's part %s uses an entity that is not built into XML", x.part)
		}
		out = utf8.AppendRune(out, r)
		raw = raw[i+end+1:]
	}
}

// appendLiteral appends text without references.
func (x *xmlReader) appendLiteral(out, raw []byte) ([]byte, error) {
	if bytes.ContainsFunc(raw, func(r rune) bool { return !isXMLChar(r) }) {
		return out, x.malformed("has characters that XML does not allow")
	}
	start := len(out)
	return unifyBreaks(append(out, raw...), start), nil
}

func isXMLChar(r rune) bool {
	return (r >= ' ' || r == '\t' || r == '\n' || r == '\r') && r != 0xFFFE && r != 0xFFFF
}

// unifyBreaks replaces CRLF and CR in b[start:] by LF.
func unifyBreaks(b []byte, start int) []byte {
	if bytes.IndexByte(b[start:], '\r') < 0 {
		return b
	}
	text := bytes.ReplaceAll(b[start:], []byte("\r\n"), []byte("\n"))
	return append(b[:start], bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))...)
}

var xmlNames = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// reference resolves the five names that XML defines, and character numbers.
func reference(name string) (rune, bool) {
	if r, ok := xmlNames[name]; ok {
		return r, true
	}
	digits, isNumber := strings.CutPrefix(name, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	return rune(n), isNumber && err == nil && n <= utf8.MaxRune && utf8.ValidRune(rune(n)) && isXMLChar(rune(n))
}

// escapes match _xHHHH_: workbooks write characters that XML cannot hold this way, in UTF-16.
var escapes = regexp.MustCompile(`(?:_x[0-9A-Fa-f]{4}_)+`)

// unescape resolves these escapes in b[start:]. Half a surrogate pair becomes U+FFFD.
func unescape(b []byte, start int) []byte {
	if !bytes.Contains(b[start:], []byte("_x")) {
		return b
	}
	return append(b[:start], escapes.ReplaceAllFunc(b[start:], func(run []byte) []byte {
		var units []uint16
		for one := range slices.Chunk(run, len("_xHHHH_")) {
			unit, _ := strconv.ParseUint(string(one[2:6]), 16, 16) // the expression matches only hexadecimal digits
			units = append(units, uint16(unit))
		}
		return []byte(string(utf16.Decode(units)))
	})...)
}
