package ingest_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"payrun/ingest"
)

// zipWith packs a workbook and lets a test add parts as it likes.
func zipWith(t testing.TB, b book, more func(*zip.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range b {
		addPart(t, w, name, content)
	}
	more(w)
	must(t, w.Close())
	return out.Bytes()
}

// raw adds a part with a header that is not true.
func raw(t testing.TB, w *zip.Writer, h zip.FileHeader, content string) {
	t.Helper()
	part, err := w.CreateRaw(&h)
	must(t, err)
	if _, err := io.WriteString(part, content); err != nil {
		t.Fatal(err)
	}
}

// put overwrites bytes at the n-th place, from the end where negative, of a mark.
func put(content []byte, mark string, last bool, offset int, value ...byte) []byte {
	b := bytes.Clone(content)
	i := bytes.Index(b, []byte(mark))
	if last {
		i = bytes.LastIndex(b, []byte(mark))
	}
	copy(b[i+offset:], value)
	return b
}

func TestDamagedZipFilesAreRefused(t *testing.T) {
	plain := newBook(textRow(1, "ref", "amount"))
	whole := plain.zip(t)
	const local, entry, end = "PK\x03\x04", "PK\x01\x02", "PK\x05\x06"
	sheet := []byte("xl/worksheets/sheet1.xml")
	for name, c := range map[string]struct {
		content []byte
		code    string
	}{
		"cut off":                     {whole[:len(whole)-30], ingest.CodeWorkbookDamaged},
		"half of it":                  {whole[:len(whole)/2], ingest.CodeWorkbookDamaged},
		"one part fewer than it says": {put(whole, end, true, 8, 9, 0, 9, 0), ingest.CodeWorkbookDamaged},
		"directory elsewhere":         {put(whole, end, true, 16, 0, 0), ingest.CodeWorkbookDamaged},
		"entry without signature":     {put(whole, entry, true, 0, 'X'), ingest.CodeWorkbookDamaged},
		"local header missing":        {put(whole, local, true, 0, 'X'), ingest.CodeWorkbookDamaged},
		"part beyond the end":         {put(whole, entry, true, 42, 0xFF, 0xFF, 0xFF, 0x7F), ingest.CodeWorkbookDamaged},
		"parts over one another":      {put(whole, entry, true, 42, 0, 0, 0, 0), ingest.CodeWorkbookDamaged},
		"packed with a password":      {put(whole, entry, false, 8, 9), ingest.CodeEncrypted},
		"packed in another way":       {put(whole, entry, false, 10, 12), ingest.CodeWorkbookDamaged},
		"another checksum":            {put(whole, string(sheet), true, -30, 1, 2, 3, 4), ingest.CodeWorkbookDamaged},
		"part twice": {zipWith(t, plain, func(w *zip.Writer) {
			addPart(t, w, "xl/workbook.xml", "<x/>")
		}), ingest.CodePartRepeated},
		"stored part with two sizes": {zipWith(t, plain, func(w *zip.Writer) {
			raw(t, w, zip.FileHeader{Name: "a.xml", CompressedSize64: 1, UncompressedSize64: 9}, "x")
		}), ingest.CodeWorkbookDamaged},
		"unpacks to more than it declares": {zipWith(t, plain.with("xl/worksheets/sheet1.xml", ""), func(w *zip.Writer) {
			packed := deflated(t, strings.Repeat(" ", 1<<20)+plain["xl/worksheets/sheet1.xml"])
			raw(t, w, zip.FileHeader{Name: "xl/worksheets/sheet1.xml", Method: zip.Deflate, CompressedSize64: uint64(len(packed)), UncompressedSize64: 100}, packed)
		}), ingest.CodeZipBomb},
		"unpacks to less than it declares": {zipWith(t, plain.with("xl/worksheets/sheet1.xml", ""), func(w *zip.Writer) {
			text := plain["xl/worksheets/sheet1.xml"]
			packed := deflated(t, text)
			raw(t, w, zip.FileHeader{Name: "xl/worksheets/sheet1.xml", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE([]byte(text)),
				CompressedSize64: uint64(len(packed)), UncompressedSize64: uint64(len(text) + 1)}, packed)
		}), ingest.CodeWorkbookDamaged},
		"declares no checksum": {zipWith(t, plain.with("xl/worksheets/sheet1.xml", ""), func(w *zip.Writer) {
			text := plain["xl/worksheets/sheet1.xml"]
			packed := deflated(t, text)
			raw(t, w, zip.FileHeader{Name: "xl/worksheets/sheet1.xml", Method: zip.Deflate, CompressedSize64: uint64(len(packed)), UncompressedSize64: uint64(len(text))}, packed)
		}), ingest.CodeWorkbookDamaged},
		"cannot be unpacked": {zipWith(t, plain.with("xl/worksheets/sheet1.xml", ""), func(w *zip.Writer) {
			raw(t, w, zip.FileHeader{Name: "xl/worksheets/sheet1.xml", Method: zip.Deflate, CompressedSize64: 4, UncompressedSize64: 4}, "\xff\xff\xff\xff")
		}), ingest.CodeWorkbookDamaged},
		"more parts than the limit": {zipWith(t, plain, func(w *zip.Writer) {
			for range 50 {
				addPart(t, w, "x", "")
			}
		}), ingest.CodeZipBomb},
		"declares more than the limit": {zipWith(t, plain, func(w *zip.Writer) {
			addPart(t, w, "noise.bin", noise(2<<20))
		}), ingest.CodeZipBomb},
	} {
		t.Run(name, func(t *testing.T) {
			_, d := read(t, write(t, "z.xlsx", c.content), ingest.Options{Limits: ingest.Limits{Parts: 30, UnzipBytes: 2 << 20}})
			if d == nil || d.Code != c.code {
				t.Errorf("got %v, want %s", d, c.code)
			}
		})
	}
}

func deflated(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	addPart(t, w, "x", text)
	must(t, w.Close())
	r, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	must(t, err)
	packed, err := r.File[0].OpenRaw()
	must(t, err)
	b, err := io.ReadAll(packed)
	must(t, err)
	return string(b)
}

// noise is text that does not pack.
func noise(n int) string {
	b, x := make([]byte, n), uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return string(b)
}

func TestZipFormsThatWritersUseAreRead(t *testing.T) {
	plain := newBook(textRow(1, "ref", "amount"))
	stored := zipWith(t, book{}, func(w *zip.Writer) {
		for name, content := range plain {
			part, err := w.CreateHeader(&zip.FileHeader{Name: strings.ReplaceAll(name, "/", `\`), Method: zip.Store})
			must(t, err)
			if _, err := io.WriteString(part, content); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Create("xl/"); err != nil { // a folder
			t.Fatal(err)
		}
		must(t, w.SetComment("made by hand"))
	})
	for name, content := range map[string][]byte{
		"stored, backslashes, a folder and a comment": stored,
		"the end of the larger format":                inZip64(plain.zip(t), false),
		"values only in the larger format":            inZip64(plain.zip(t), true),
	} {
		rows, d := read(t, write(t, "z.xlsx", content), ingest.Options{})
		if d != nil || len(rows) != 1 {
			t.Errorf("%s: %v, %v", name, rows, d)
		}
	}
}

// inZip64 adds the end records of the larger format, as writers do that always
// use it, with the old record's values kept or abandoned.
func inZip64(content []byte, only bool) []byte {
	le := binary.LittleEndian
	at := len(content) - 22
	old := bytes.Clone(content[at:])
	end := make([]byte, 56+20)
	le.PutUint32(end, 0x06064b50)
	le.PutUint64(end[4:], 44)
	le.PutUint64(end[24:], uint64(le.Uint16(old[10:])))
	le.PutUint64(end[32:], uint64(le.Uint16(old[10:])))
	le.PutUint64(end[40:], uint64(le.Uint32(old[12:])))
	le.PutUint64(end[48:], uint64(le.Uint32(old[16:])))
	le.PutUint32(end[56:], 0x07064b50)
	le.PutUint64(end[64:], uint64(at))
	le.PutUint32(end[72:], 1)
	if only {
		copy(old[8:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	}
	return append(append(bytes.Clone(content[:at]), end...), old...)
}

func TestTheLargerZipFormatMustAgreeWithItself(t *testing.T) {
	good := inZip64(newBook(textRow(1, "ref")).zip(t), true)
	at := len(good) - 22 - 20 - 56
	for name, place := range map[string]int{"signature": at, "entries": at + 32, "size": at + 40, "offset": at + 48, "its place": at + 64} {
		bad := bytes.Clone(good)
		bad[place]++
		_, err := ingest.Open(write(t, "z.xlsx", bad), ingest.Options{})
		var d *ingest.Defect
		if !errors.As(err, &d) || d.Code != ingest.CodeWorkbookDamaged {
			t.Errorf("%s: %v", name, err)
		}
	}
}
