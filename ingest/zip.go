package ingest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// archive is the directory of a zip file, read strictly: every place where two
// programs could see different parts refuses the file, and nothing is unpacked
// before all that is declared fits the limits.
type archive struct {
	file   io.ReaderAt
	limits Limits
	parts  map[string]*part // by name, folded as part names are compared
}

// part is one entry of the directory.
type part struct {
	name   string
	flags  uint16
	method uint16
	crc    uint32
	packed int64
	size   int64
	offset int64 // of its local header
	data   int64 // of its packed bytes
}

// Sizes and signatures of the zip format (APPNOTE 4.3).
const (
	zipEndLen, zipEndSig               = 22, 0x06054b50
	zip64LocatorLen, zip64LocSig       = 20, 0x07064b50
	zip64EndLen, zip64EndSig           = 56, 0x06064b50
	zipEntryLen, zipEntrySig           = 46, 0x02014b50
	zipLocalLen, zipLocalSig           = 30, 0x04034b50
	zip64Extra                         = 0x0001
	zipStored, zipDeflated             = 0, 8
	zipDescriptorFlag                  = 1 << 3
	zipEncryptedFlags                  = 1<<0 | 1<<6 | 1<<13
	zip16Max, zip32Max                 = 0xFFFF, 0xFFFFFFFF
	zipCommentMax                      = 0xFFFF
	zipDirectoryMax              int64 = 16 << 20
)

var le = binary.LittleEndian

func damaged(format string, args ...any) *Defect {
	return defect(CodeWorkbookDamaged, 0, "the workbook is damaged: "+format, args...)
}

// openArchive reads the directory and checks every entry against it.
func openArchive(f io.ReaderAt, size int64, limits Limits) (*archive, error) {
	end, err := findDirectory(f, size)
	if err != nil {
		return nil, err
	}
	if end.entries > int64(limits.Parts) {
		return nil, defect(CodeZipBomb, 0, "the workbook has %d parts; the limit is %d", end.entries, limits.Parts)
	}
	dir, err := readAt(f, end.offset, end.size)
	if err != nil {
		return nil, err
	}
	a := &archive{file: f, limits: limits, parts: make(map[string]*part, end.entries)}
	parts, err := readEntries(dir, end.entries)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := a.add(p); err != nil {
			return nil, err
		}
	}
	return a, a.checkLayout(parts, end.offset)
}

// directory is where the entries are.
type directory struct{ entries, size, offset int64 }

// findDirectory reads the record at the very end of the file.
func findDirectory(f io.ReaderAt, size int64) (directory, error) {
	tail, err := readAt(f, max(0, size-zipEndLen-zipCommentMax), min(size, zipEndLen+zipCommentMax))
	if err != nil {
		return directory{}, err
	}
	i := len(tail) - zipEndLen
	for ; i >= 0; i-- {
		if le.Uint32(tail[i:]) == zipEndSig && int(le.Uint16(tail[i+20:])) == len(tail)-i-zipEndLen {
			break
		}
	}
	if i < 0 {
		return directory{}, damaged("its end is missing, as when a download was cut off")
	}
	b, at := tail[i:], size-int64(len(tail)-i)
	disks := le.Uint32(b[4:])
	d := directory{entries: int64(le.Uint16(b[10:])), size: int64(le.Uint32(b[12:])), offset: int64(le.Uint32(b[16:]))}
	sameDisk := le.Uint16(b[8:]) == le.Uint16(b[10:])
	d, at, err = findDirectory64(f, d, at)
	if err != nil {
		return directory{}, err
	}
	if (disks != 0 && disks != zip32Max) || !sameDisk || d.size > zipDirectoryMax || d.offset+d.size != at {
		return directory{}, damaged("its list of parts is not where it should be")
	}
	return d, nil
}

// findDirectory64 takes the values of the larger format where the file has
// them. It returns the place where the list of parts must end.
func findDirectory64(f io.ReaderAt, d directory, at int64) (directory, int64, error) {
	wants := d.entries == zip16Max || d.size == zip32Max || d.offset == zip32Max
	if at < zip64LocatorLen+zip64EndLen {
		return d, at, nil
	}
	b, err := readAt(f, at-zip64LocatorLen, zip64LocatorLen)
	if err != nil {
		return d, 0, err
	}
	if le.Uint32(b) != zip64LocSig {
		if wants {
			return d, 0, damaged("its list of parts has no position")
		}
		return d, at, nil
	}
	end := int64(le.Uint64(b[8:]))
	if end < 0 || end > at-zip64LocatorLen-zip64EndLen {
		return d, 0, damaged("its list of parts has no position")
	}
	if b, err = readAt(f, end, zip64EndLen); err != nil {
		return d, 0, err
	}
	length := int64(le.Uint64(b[4:]))
	large := directory{entries: int64(le.Uint64(b[32:])), size: int64(le.Uint64(b[40:])), offset: int64(le.Uint64(b[48:]))}
	switch {
	case le.Uint32(b) != zip64EndSig, length != at-zip64LocatorLen-end-12,
		large.entries < 0, large.size < 0, large.offset < 0, large.offset > end,
		d.entries != zip16Max && d.entries != large.entries,
		d.size != zip32Max && d.size != large.size,
		d.offset != zip32Max && d.offset != large.offset:
		return d, 0, damaged("its list of parts is given twice and differs")
	}
	return large, end, nil
}

// readEntries splits the directory, which must hold exactly what it declares.
func readEntries(dir []byte, entries int64) ([]*part, error) {
	var parts []*part
	for len(dir) > 0 {
		p, rest, ok := readEntry(dir)
		if !ok {
			return nil, damaged("its list of parts cannot be read")
		}
		parts, dir = append(parts, p), rest
	}
	if int64(len(parts)) != entries {
		return nil, damaged("it lists %d parts and declares %d", len(parts), entries)
	}
	return parts, nil
}

func readEntry(b []byte) (p *part, rest []byte, ok bool) {
	if len(b) < zipEntryLen || le.Uint32(b) != zipEntrySig {
		return nil, nil, false
	}
	name := zipEntryLen + int(le.Uint16(b[28:]))
	extra := name + int(le.Uint16(b[30:]))
	end := extra + int(le.Uint16(b[32:]))
	if len(b) < end {
		return nil, nil, false
	}
	p = &part{
		name:   string(b[zipEntryLen:name]),
		flags:  le.Uint16(b[8:]),
		method: le.Uint16(b[10:]),
		crc:    le.Uint32(b[16:]),
		packed: int64(le.Uint32(b[20:])),
		size:   int64(le.Uint32(b[24:])),
		offset: int64(le.Uint32(b[42:])),
	}
	return p, b[end:], p.readExtra(b[name:extra])
}

// readExtra takes sizes beyond 4 GiB, which only the fields that overflow have.
func (p *part) readExtra(b []byte) bool {
	for len(b) >= 4 {
		id, n := le.Uint16(b), int(le.Uint16(b[2:]))
		if len(b) < 4+n {
			return false
		}
		field := b[4 : 4+n]
		b = b[4+n:]
		if id != zip64Extra {
			continue
		}
		for _, v := range []*int64{&p.size, &p.packed, &p.offset} {
			if *v != zip32Max {
				continue
			}
			if len(field) < 8 {
				return false
			}
			*v, field = int64(le.Uint64(field)), field[8:]
		}
	}
	return p.size >= 0 && p.packed >= 0 && p.offset >= 0
}

// add checks one entry by itself and takes it up.
func (a *archive) add(p *part) error {
	if p.flags&zipEncryptedFlags != 0 {
		return defect(CodeEncrypted, 0, "the workbook's part %q is protected by a password", p.name)
	}
	name := strings.ReplaceAll(p.name, `\`, "/") // some writers on Windows
	if !safeName(name) {
		return defect(CodePartName, 0, "the workbook has a part with the unsafe name %q", p.name)
	}
	if strings.HasSuffix(name, "/") { // a folder
		return nil
	}
	if p.method != zipStored && p.method != zipDeflated {
		return damaged("its part %q is packed in a way that no spreadsheet program uses", p.name)
	}
	if p.method == zipStored && p.packed != p.size {
		return damaged("its part %q declares two sizes", p.name)
	}
	if p.size > 1<<20 && p.size/a.limits.UnzipRatio >= max(p.packed, 1) {
		return defect(CodeZipBomb, 0, "the workbook's part %q unpacks from %d to %d bytes", p.name, p.packed, p.size)
	}
	key := foldPartName(name)
	if a.parts[key] != nil {
		return defect(CodePartRepeated, 0, "the workbook has the part %q twice", p.name)
	}
	a.parts[key] = p
	return nil
}

func safeName(name string) bool {
	if name == "" || name[0] == '/' || !utf8.ValidString(name) || strings.ContainsAny(name, "\x00:") {
		return false
	}
	return !slices.Contains(strings.Split(name, "/"), "..")
}

// foldPartName folds a part name the way the packaging standard compares them:
// without case, in ASCII.
func foldPartName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, name)
}

// checkLayout checks the parts against each other and against their local
// headers: no part overlaps another, and both lists agree.
func (a *archive) checkLayout(parts []*part, end int64) error {
	slices.SortFunc(parts, func(p, q *part) int { return cmp.Compare(p.offset, q.offset) })
	total, free := int64(0), int64(0)
	for _, p := range parts {
		if p.offset < free {
			return damaged("its part %q overlaps another", p.name)
		}
		if err := a.checkLocal(p, end); err != nil {
			return err
		}
		free = p.data + p.packed
		if total += p.size; total > a.limits.UnzipBytes || total < 0 {
			return defect(CodeZipBomb, 0, "the workbook unpacks to more than %d bytes", a.limits.UnzipBytes)
		}
	}
	return nil
}

// checkLocal compares a part's own header with its entry in the directory.
func (a *archive) checkLocal(p *part, end int64) error {
	if p.offset > end-zipLocalLen {
		return damaged("its part %q is missing", p.name)
	}
	b, err := readAt(a.file, p.offset, zipLocalLen)
	if err != nil {
		return err
	}
	name := int64(le.Uint16(b[26:]))
	p.data = p.offset + zipLocalLen + name + int64(le.Uint16(b[28:]))
	if le.Uint32(b) != zipLocalSig || p.data > end || p.packed > end-p.data {
		return damaged("its part %q is missing", p.name)
	}
	own, err := readAt(a.file, p.offset+zipLocalLen, name)
	if err != nil {
		return err
	}
	same := bytes.Equal(own, []byte(p.name)) && le.Uint16(b[8:]) == p.method &&
		le.Uint16(b[6:])&zipEncryptedFlags == 0
	if le.Uint16(b[6:])&zipDescriptorFlag == 0 {
		packed, size := int64(le.Uint32(b[18:])), int64(le.Uint32(b[22:]))
		same = same && le.Uint32(b[14:]) == p.crc &&
			(packed == p.packed || packed == zip32Max) && (size == p.size || size == zip32Max)
	}
	if !same {
		return damaged("its part %q is listed differently than it is", p.name)
	}
	return nil
}

func readAt(f io.ReaderAt, offset, n int64) ([]byte, error) {
	b := make([]byte, n)
	if _, err := f.ReadAt(b, offset); err != nil && !(errors.Is(err, io.EOF) && n == 0) {
		if errors.Is(err, io.EOF) {
			return nil, damaged("it ends too early")
		}
		return nil, err
	}
	return b, nil
}
