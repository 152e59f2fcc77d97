package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRowsArePutIntoTheirSheet: below those of the head, in the place that excelize left.
func TestRowsArePutIntoTheirSheet(t *testing.T) {
	var out bytes.Buffer
	a := newArchive(&out, day, map[string]tab{"sheet": {head: []byte(`<row r="1"/>`), rows: func(w io.Writer) error {
		for i := range 10_000 { // several blocks
			if _, err := fmt.Fprintf(w, `<row r="%d"/>`, i+2); err != nil {
				return err
			}
		}
		return nil
	}}})
	w, err := a.Create("sheet")
	must(t, err)
	_, _ = w.Write([]byte(`<worksheet>` + beforeRows + afterRows + `</worksheet>`))
	must(t, a.Close())
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	must(t, err)
	part := z.File[0]
	f, err := part.Open()
	must(t, err)
	text, err := io.ReadAll(f) // which looks at size and CRC
	must(t, err)
	if !bytes.HasPrefix(text, []byte(`<worksheet><sheetData><row r="1"/><row r="2"/>`)) || !bytes.HasSuffix(text, []byte(`<row r="10001"/></sheetData></worksheet>`)) {
		t.Errorf("the part is %.60s … %s", text, text[len(text)-40:])
	}
	if !part.Modified.Equal(day) {
		t.Errorf("modified %v", part.Modified)
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
		for _, size := range []int{1, 1000, 70_000} {
			var out bytes.Buffer
			a := newArchive(&out, day, nil)
			w, err := a.Create("part")
			must(t, err)
			for piece := range slices.Chunk(pieces, size) {
				if _, err := w.Write(piece); err != nil {
					t.Fatal(err)
				}
			}
			must(t, a.Close())
			z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
			must(t, err)
			f, err := z.File[0].Open()
			must(t, err)
			got, err := io.ReadAll(f)
			if err != nil || !bytes.Equal(got, pieces) {
				t.Errorf("%d bytes, %d at a time: unpacked %d, %v", len(pieces), size, len(got), err)
			}
		}
	}
}

// TestRowsThatCannotBeReadAreAnError: a full disk, or a ledger that broke off.
func TestRowsThatCannotBeReadAreAnError(t *testing.T) {
	a := newArchive(io.Discard, day, map[string]tab{"s": {rows: func(io.Writer) error { return errDisk }}})
	w, err := a.Create("s")
	must(t, err)
	_, _ = w.Write([]byte(`<worksheet>` + beforeRows + afterRows + `</worksheet>`))
	if err := a.Close(); !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want that of the rows", err)
	}
}
