package ingest

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// errMore asks for more of the file: what is being read continues beyond the buffer.
var errMore = errors.New("it continues beyond the buffer")

// errFull says that one piece of the file is larger than the buffer may grow.
var errFull = errors.New("larger than the buffer may grow")

const noBad = int(^uint(0) >> 1)

// textBuffer is a window on a text that moves forward over it. The first byte
// that no text has, a NUL or what is not UTF-8, is known before it is used;
// each byte is looked at once, a buffer at a time.
type textBuffer struct {
	src io.Reader
	buf []byte
	pos int // what is before it was used
	eof bool
	bad int // place of the first byte that no text has, or noBad

	seen int               // up to here buf is known to be text
	lost func(r rune) bool // a character of a decoded text in place of a lost one; nil where there is none
}

func newTextBuffer(src io.Reader, size int) textBuffer {
	return textBuffer{src: src, buf: make([]byte, 0, size), bad: noBad}
}

// fill drops what was used and reads until the buffer is full. When nothing
// was used and it is full already it doubles, or is errFull beyond most bytes.
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

// check looks at what fill added.
func (t *textBuffer) check() {
	if t.bad != noBad {
		return
	}
	added := t.buf[t.seen:]
	good := len(added)
	if !utf8.Valid(added) {
		good = validPrefix(added)
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

func validPrefix(b []byte) int {
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
