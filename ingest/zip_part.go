package ingest

import (
	"bufio"
	"compress/flate"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// open unpacks a part; nil when the workbook has none of that name.
func (a *archive) open(name string) io.Reader {
	p := a.parts[foldPartName(name)]
	if p == nil {
		return nil
	}
	packed := io.NewSectionReader(a.file, p.data, p.packed)
	r := &partReader{part: p, sum: crc32.NewIEEE(), left: p.size, src: packed}
	if p.method == zipDeflated {
		r.src = flate.NewReader(bufio.NewReaderSize(packed, 64<<10))
	}
	return r
}

// has reports whether the workbook has a part of that name.
func (a *archive) has(name string) bool { return a.parts[foldPartName(name)] != nil }

// partReader gives the bytes of a part and holds them to the size and the
// checksum that the directory declares.
type partReader struct {
	*part
	src  io.Reader
	sum  hash.Hash32
	left int64
}

func (r *partReader) Read(b []byte) (int, error) {
	n, err := r.src.Read(b)
	r.sum.Write(b[:n])
	if r.left -= int64(n); r.left < 0 {
		return 0, defect(CodeZipBomb, 0, "the workbook's part %q unpacks to more than the %d bytes it declares", r.name, r.size)
	}
	var corrupt flate.CorruptInputError
	switch {
	case err == nil:
		return n, nil
	case errors.As(err, &corrupt), errors.Is(err, io.ErrUnexpectedEOF):
		return n, damaged("its part %q cannot be unpacked", r.name)
	case !errors.Is(err, io.EOF):
		return n, err
	case r.left != 0 || r.sum.Sum32() != r.crc:
		return n, damaged("its part %q does not have the checksum it declares", r.name)
	}
	return n, io.EOF
}
