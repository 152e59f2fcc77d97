package ingest

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// errMore asks for more of the file: the current token or record continues after the buffer.
var errMore = errors.New("it continues beyond the buffer")

// errFull says that one token or record is larger than the buffer may grow.
var errFull = errors.New("larger than the buffer may grow")

const noBad = int(^uint(0) >> 1)

// textBuffer is a window that moves forward over a text. It finds the first byte that is not text, a NUL or
// invalid UTF-8, before that byte is used. It examines each byte once, a buffer at a time.
type textBuffer struct {
	src io.Reader
	buf []byte
	pos int // the bytes before it were used
	eof bool
	bad int // position of the first byte that is not text, or noBad

	seen int               // buf is checked up to here
	lost func(r rune) bool // whether r replaces a character that the decoder lost; nil if the text was not decoded
}

func newTextBuffer(src io.Reader, size int) textBuffer {
	return textBuffer{src: src, buf: make([]byte, 0, size), bad: noBad}
}

// fill drops the used bytes and reads until the buffer is full. If the buffer is full and nothing was used, it
// doubles the buffer, or returns errFull if that already has most bytes.
func (t *textBuffer) fill(most int) error {
	t.buf = t.buf[:copy(t.buf, t.buf[t.pos:])]
	t.seen -= t.pos
	if t.bad != noBad {
		t.bad -= t.pos
	}
	t.pos = 0
	if len(t.buf) == cap(t.buf) {
		if cap(t.buf) >= most {
			return errFull
		}
		t.buf = append(make([]byte, 0, 2*cap(t.buf)), t.buf...)
	}
	for !t.eof && len(t.buf) < cap(t.buf) {
		n, err := t.src.Read(t.buf[len(t.buf):cap(t.buf)])
		t.buf = t.buf[:len(t.buf)+n]
		if t.eof = errors.Is(err, io.EOF); err != nil && !t.eof {
			return err
		}
	}
	t.check()
	return nil
}

// check examines the bytes that fill added.
func (t *textBuffer) check() {
	if t.bad != noBad {
		return
	}
	added := t.buf[t.seen:]
	good := len(added)
	if !utf8.Valid(added) {
		good = ValidPrefix(added)
	}
	none := bytes.IndexByte(added[:good], 0)
	if t.lost != nil {
		none = bytes.IndexFunc(added[:good], func(r rune) bool { return r == 0 || t.lost(r) })
	}
	if none >= 0 {
		t.bad = t.seen + none
		return
	}
	t.seen += good
	if t.seen < len(t.buf) && (t.eof || utf8.FullRune(t.buf[t.seen:])) {
		t.bad = t.seen
	}
}

// ValidPrefix returns how many bytes come before the first that is not UTF-8.
func ValidPrefix(b []byte) int {
	i := 0
	for i < len(b) {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		i += n
	}
	return i
}
