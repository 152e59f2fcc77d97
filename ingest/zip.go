package ingest

import (
	"archive/zip"
	"cmp"
	"compress/flate"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// archive is the parts of a workbook. Nothing is unpacked until everything that it declares fits the limits.
type archive struct {
	limits Limits
	parts  map[string]*zip.File // by folded name
}

// zipListMost is how many bytes are read to list the parts.
const zipListMost = 16 << 20

const zipEncrypted = 1<<0 | 1<<6 | 1<<13 // APPNOTE 4.4.4

func damaged(format string, args ...any) *Defect {
	return defect(CodeWorkbookDamaged, 0, "the workbook is damaged: "+format, args...)
}

// openArchive lists the parts and checks what they declare.
func openArchive(f io.ReaderAt, size int64, limits Limits) (*archive, error) {
	src := &boundedReader{io.NewSectionReader(f, 0, size), zipListMost}
	list, err := zip.NewReader(src, size)
	if err != nil {
		return nil, unreadable(err, "its end is missing, as when a download was cut off")
	}
	if len(list.File) > limits.Parts {
		return nil, defect(CodeZipBomb, 0, "the workbook has %d parts; the limit is %d", len(list.File), limits.Parts)
	}
	src.left = math.MaxInt
	a := &archive{limits: limits, parts: make(map[string]*zip.File, len(list.File))}
	for _, p := range list.File {
		if err := a.add(p); err != nil {
			return nil, err
		}
	}
	return a, a.checkLayout(list.File)
}

// boundedReader fails once more than left bytes were read, which bounds the memory for an endless list.
type boundedReader struct {
	io.ReaderAt
	left int
}

func (r *boundedReader) ReadAt(b []byte, at int64) (int, error) {
	if r.left -= len(b); r.left < 0 {
		return 0, zip.ErrFormat
	}
	return r.ReaderAt.ReadAt(b, at)
}

// unreadable tells a damaged workbook from a disk fault.
func unreadable(err error, format string, args ...any) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrChecksum) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt) {
		return damaged(format, args...)
	}
	return err
}

// add checks one part and adds it.
func (a *archive) add(p *zip.File) error {
	if p.Flags&zipEncrypted != 0 {
		return defect(CodeEncrypted, 0, "the workbook's part %q is protected by a password", p.Name)
	}
	name := strings.ReplaceAll(p.Name, `\`, "/") // some writers on Windows
	if !safeName(name) {
		return defect(CodePartName, 0, "the workbook has a part with the unsafe name %q", p.Name)
	}
	packed, size := p.CompressedSize64, p.UncompressedSize64
	switch {
	case strings.HasSuffix(name, "/"): // a folder
		return nil
	case p.Method != zip.Store && p.Method != zip.Deflate:
		return damaged("its part %q is packed in a way that no spreadsheet program uses", p.Name)
	case p.Method == zip.Store && packed != size:
		return damaged("its part %q declares two sizes", p.Name)
	case size > 1<<20 && size/uint64(a.limits.UnzipRatio) >= max(packed, 1):
		return defect(CodeZipBomb, 0, "the workbook's part %q unpacks from %d to %d bytes", p.Name, packed, size)
	}
	key := strings.ToLower(name)
	if a.parts[key] != nil {
		return defect(CodePartRepeated, 0, "the workbook has the part %q twice", p.Name)
	}
	a.parts[key] = p
	return nil
}

func safeName(name string) bool {
	return name != "" && name[0] != '/' && utf8.ValidString(name) && !strings.ContainsAny(name, "\x00:") && !slices.Contains(strings.Split(name, "/"), "..")
}

// checkLayout refuses parts that are missing or overlap, and parts that unpack to more than the limit.
func (a *archive) checkLayout(parts []*zip.File) error {
	at := make(map[*zip.File]int64, len(parts))
	for _, p := range parts {
		var err error
		if at[p], err = p.DataOffset(); err != nil {
			return unreadable(err, "its part %q is missing", p.Name)
		}
	}
	slices.SortFunc(parts, func(p, q *zip.File) int { return cmp.Compare(at[p], at[q]) })
	left, free := uint64(a.limits.UnzipBytes), uint64(0)
	for _, p := range parts {
		switch {
		case uint64(at[p]) < free:
			return damaged("its part %q overlaps another", p.Name)
		case p.UncompressedSize64 > left:
			return defect(CodeZipBomb, 0, "the workbook unpacks to more than %d bytes", a.limits.UnzipBytes)
		}
		left -= p.UncompressedSize64
		free = uint64(at[p]) + p.CompressedSize64
	}
	return nil
}

// has reports whether the workbook has a part of that name.
func (a *archive) has(name string) bool { return a.parts[strings.ToLower(name)] != nil }

// open unpacks a part.
func (a *archive) open(name string) (io.Reader, error) {
	p := a.parts[strings.ToLower(name)]
	if p == nil {
		return nil, defect(CodePartMissing, 0, "the workbook has no part %q", name)
	}
	src, err := p.Open()
	if err != nil {
		return nil, unreadable(err, "its part %q is missing", p.Name)
	}
	return &partReader{p, src}, nil
}

// partReader turns read faults of a part into Defects. Its size and checksum must be those that the list
// declares.
type partReader struct {
	*zip.File
	src io.Reader
}

func (r *partReader) Read(b []byte) (int, error) {
	n, err := r.src.Read(b)
	if errors.Is(err, io.EOF) && r.CRC32 == 0 && r.UncompressedSize64 > 0 { // archive/zip does not compare this case
		err = zip.ErrChecksum
	}
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	case errors.Is(err, zip.ErrFormat):
		return 0, defect(CodeZipBomb, 0, "the workbook's part %q unpacks to more than the %d bytes it declares", r.Name, r.UncompressedSize64)
	case errors.Is(err, zip.ErrChecksum):
		return n, damaged("its part %q does not have the checksum it declares", r.Name)
	}
	return n, unreadable(err, "its part %q cannot be unpacked", r.Name)
}
