// Package doc is what payrun says to programs: the payrun.*/v1 documents, as
// structs, and the writers that put them on one line each. Fields are only
// ever added, never renamed, and amounts are strings with two decimals.
package doc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"payrun/ledger"
)

// Write writes v as one line: with a schema before its own fields, or with "" without.
func Write(w io.Writer, schema string, v any) error {
	line, err := Line(v)
	if schema != "" {
		line, err = headed("schema", schema, v)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}

// headed encodes v, an object, with a field before its own.
func headed(name, value string, v any) ([]byte, error) {
	line, err := Line(v)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, "{%q:%q,", name, value), line[1:]...), nil
}

// Line encodes v, without the line's end. What a terminal could act on is
// escaped: JSON leaves direction marks and the C1 controls as they are, and
// people look at documents too.
func Line(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeUnprintable(bytes.TrimRight(b.Bytes(), "\n")), nil
}

// isASCII reports whether all of a line is printable ASCII, as most are.
func isASCII(line []byte) bool {
	for _, c := range line {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

func escapeUnprintable(line []byte) []byte {
	if isASCII(line) || bytes.IndexFunc(line, ledger.Unprintable) < 0 {
		return line
	}
	out := make([]byte, 0, len(line)+16)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case !ledger.Unprintable(r) || r == utf8.RuneError:
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
