package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"
	"time"
)

// part returns what a workbook's only part holds, as Go's own archive/zip unpacks it, which looks at size and CRC.
func part(t *testing.T, at time.Time, rows ...io.Reader) (string, *zip.File) {
	t.Helper()
	var out bytes.Buffer
	a := newArchive(&out, at, map[string][]io.Reader{"sheet": rows})
	w, err := a.Create("sheet")
	must(t, err)
	_, _ = w.Write([]byte(`<worksheet><sheetData></sheetData></worksheet>`))
	must(t, a.Close())
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	must(t, err)
	f, err := z.File[0].Open()
	must(t, err)
	text, err := io.ReadAll(f)
	must(t, err)
	return string(text), z.File[0]
}

func TestRowsAreWhereTheWorkbookWantsThem(t *testing.T) {
	at := time.Date(2026, 11, 20, 4, 30, 1, 0, time.UTC) // odd, which the times of DOS are not
	text, of := part(t, at, bytes.NewBufferString(`<row r="1"/>`), bytes.NewBufferString(`<row r="2"/>`))
	if want := `<worksheet><sheetData><row r="1"/><row r="2"/></sheetData></worksheet>`; text != want || !of.Modified.Equal(at) {
		t.Errorf("%s of %v, want %s of %v", text, of.Modified, want, at)
	}
}

// TestWhatIsPackedIsUnpackedByGosOwn: rows as a workbook has them, what cannot be packed
// and what is all the same, and from one to the other.
func TestWhatIsPackedIsUnpackedByGosOwn(t *testing.T) {
	var rows, noise bytes.Buffer
	random := rand.NewChaCha8([32]byte{1})
	for i := range 20_000 {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%[1]d" s="1" t="inlineStr"><is><t>INV-%08d</t></is></c></row>`, i, random.Uint64()%1e8)
	}
	_, _ = io.CopyN(&noise, random, 300_000)
	same := bytes.Repeat([]byte{' '}, 300_000)
	for _, pieces := range [][]byte{{}, {'x'}, rows.Bytes(), noise.Bytes(), same, slices.Concat(rows.Bytes(), noise.Bytes(), same, noise.Bytes()[:1000], rows.Bytes())} {
		for _, from := range []io.Reader{bytes.NewReader(pieces), iotest.HalfReader(bytes.NewReader(pieces))} {
			if got, _ := part(t, day, from); got != `<worksheet><sheetData>`+string(pieces)+`</sheetData></worksheet>` {
				t.Errorf("%d bytes: unpacked %d", len(pieces), len(got))
			}
		}
	}
}
