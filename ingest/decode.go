package ingest

import (
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	textencoding "golang.org/x/text/encoding/unicode"

	"payrun/ledger"
)

const (
	encodingUTF8        = "utf-8"
	encodingWindows1252 = "windows-1252"
)

var (
	bomUTF8    = []byte{0xEF, 0xBB, 0xBF}
	bomUTF16LE = []byte{0xFF, 0xFE}
	bomUTF16BE = []byte{0xFE, 0xFF}
)

// decode gives the reader the text of a CSV as UTF-8 without its BOM. A BOM overrides the encoding that was asked for: the
// file knows better.
func (c *csvReader) decode(head []byte, encoding string) error {
	src := c.src
	switch {
	case bytes.HasPrefix(head, bomUTF8):
		_, err := io.ReadFull(src, make([]byte, len(bomUTF8)))
		return err
	case bytes.HasPrefix(head, bomUTF16LE), bytes.HasPrefix(head, bomUTF16BE):
		c.src = textencoding.UTF16(textencoding.LittleEndian, textencoding.UseBOM).NewDecoder().Reader(src)
		c.undefined = "half a character of UTF-16, whose other half is missing"
		c.lost = func(r rune) bool { return r == utf8.RuneError }
	case encoding != encodingWindows1252:
	case isUTF8Text(head):
		return defect(CodeEncoding, 0, "the file is UTF-8 and not windows-1252: its names would come out wrong").
			fixedBy("Name no encoding: UTF-8 is recognised.", ledger.Option{})
	default:
		c.src = charmap.Windows1252.NewDecoder().Reader(src)
		c.undefined = "a byte that windows-1252 does not define"
		c.lost = func(r rune) bool { return r == utf8.RuneError || r >= utf8.RuneSelf && r < 0xA0 } // five undefined bytes
	}
	return nil
}

// isUTF8Text reports whether b has letters beyond ASCII and is valid UTF-8, which text in windows-1252
// practically never is.
func isUTF8Text(b []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut < len(b); cut++ { // the last character may be cut off
		if whole := b[:len(b)-cut]; utf8.Valid(whole) {
			return utf8.RuneCount(whole) < len(whole)
		}
	}
	return false
}
