package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"payrun/ledger"
)

const (
	encodingUTF8        = "utf-8"
	encodingWindows1252 = "windows-1252"
)

// invalidUTF8 replaces bytes that the encoding does not have, so that one later check refuses the cell
// at its row.
const invalidUTF8 = 0xFF

const halfUTF16 = "half a character of UTF-16, whose other half is missing"

var (
	bomUTF8    = []byte{0xEF, 0xBB, 0xBF}
	bomUTF16LE = []byte{0xFF, 0xFE}
	bomUTF16BE = []byte{0xFE, 0xFF}
)

// textReader gives the text of a CSV as UTF-8 without its BOM. A BOM beats the
// encoding that was asked for: the file knows better.
func textReader(src io.Reader, head []byte, encoding string) (io.Reader, error) {
	switch {
	case bytes.HasPrefix(head, bomUTF8):
		return skip(src, len(bomUTF8))
	case bytes.HasPrefix(head, bomUTF16LE):
		r, err := skip(src, len(bomUTF16LE))
		return &decoder{src: r, decode: utf16Decoder(binary.LittleEndian), undefined: halfUTF16}, err
	case bytes.HasPrefix(head, bomUTF16BE):
		r, err := skip(src, len(bomUTF16BE))
		return &decoder{src: r, decode: utf16Decoder(binary.BigEndian), undefined: halfUTF16}, err
	case encoding != encodingWindows1252:
		return src, nil
	case isUTF8Text(head):
		return nil, defect(CodeEncoding, 0, "the file is UTF-8 and not windows-1252: its names would come out wrong").
			fixedBy("Name no encoding: UTF-8 is recognised.", ledger.Option{})
	}
	return &decoder{src: src, decode: decodeWindows1252, undefined: "a byte that windows-1252 does not define"}, nil
}

func skip(src io.Reader, n int) (io.Reader, error) {
	_, err := io.ReadFull(src, make([]byte, n))
	return src, err
}

// isUTF8Text reports whether b has letters beyond ASCII and all of them are
// UTF-8, which text in windows-1252 practically never is.
func isUTF8Text(b []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut < len(b); cut++ { // the last character may be cut off
		if whole := b[:len(b)-cut]; utf8.Valid(whole) {
			return utf8.RuneCount(whole) < len(whole)
		}
	}
	return false
}

// decoder is an io.Reader that turns another encoding into UTF-8.
type decoder struct {
	src io.Reader
	// decode appends the text of in to out and returns how much of in it used.
	// At the end it must use all.
	decode    func(out, in []byte, atEnd bool) ([]byte, int)
	undefined string // what invalidUTF8 replaces
	in        []byte // read and not yet decoded
	out       []byte // decoded and not yet given
	given     int
	err       error
}

func (d *decoder) Read(b []byte) (int, error) {
	for d.given == len(d.out) {
		if d.err != nil {
			return 0, d.err
		}
		d.more()
	}
	n := copy(b, d.out[d.given:])
	d.given += n
	return n, nil
}

func (d *decoder) more() {
	const chunk = 32 << 10
	if d.in == nil {
		d.in = make([]byte, 0, chunk)
	}
	n, err := d.src.Read(d.in[len(d.in):cap(d.in)])
	d.in = d.in[:len(d.in)+n]
	d.err = err
	used := 0
	d.out, used = d.decode(d.out[:0], d.in, errors.Is(err, io.EOF))
	d.in = d.in[:copy(d.in, d.in[used:])]
	d.given = 0
}

func utf16Decoder(order binary.ByteOrder) func(out, in []byte, atEnd bool) ([]byte, int) {
	return func(out, in []byte, atEnd bool) ([]byte, int) {
		i := 0
		for ; i+1 < len(in); i += 2 {
			r := rune(order.Uint16(in[i:]))
			if !utf16.IsSurrogate(r) {
				out = utf8.AppendRune(out, r)
				continue
			}
			if i+3 >= len(in) && !atEnd {
				return out, i
			}
			if i+3 < len(in) {
				if pair := utf16.DecodeRune(r, rune(order.Uint16(in[i+2:]))); pair != utf8.RuneError {
					out = utf8.AppendRune(out, pair)
					i += 2
					continue
				}
			}
			out = append(out, invalidUTF8)
		}
		if atEnd && i < len(in) { // half a character is left
			return append(out, invalidUTF8), len(in)
		}
		return out, i
	}
}

func decodeWindows1252(out, in []byte, _ bool) ([]byte, int) {
	for _, b := range in {
		switch r := charmap.Windows1252.DecodeByte(b); {
		case b < utf8.RuneSelf:
			out = append(out, b)
		case r == utf8.RuneError || r < 0xA0: // one of the five bytes that it does not define
			out = append(out, invalidUTF8)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return out, len(in)
}
