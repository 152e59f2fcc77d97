package xlsx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestCRCsOfStretchesJoinToThatOfAll(t *testing.T) {
	all := make([]byte, 3000)
	for i := range all {
		all[i] = byte(i * i >> 3)
	}
	for _, at := range []int{0, 1, 2, 7, 8, 255, 256, 2999, 3000} {
		first, second := all[:at], all[at:]
		got := crcJoined(crc32.ChecksumIEEE(first), crc32.ChecksumIEEE(second), int64(len(second)))
		if want := crc32.ChecksumIEEE(all); got != want {
			t.Errorf("cut at %d: %08x, want %08x", at, got, want)
		}
	}
}

// TestAPartSaysBeforehandWhatItHolds: programs that read a workbook from a stream,
// and those that are strict, want sizes and CRC before the data, and true.
func TestAPartSaysBeforehandWhatItHolds(t *testing.T) {
	at := time.Date(2026, 11, 20, 4, 30, 1, 0, time.UTC) // odd, which the times of DOS are not
	packed := NewPacked(&Memory{})
	for i := range 10_000 { // several blocks
		if _, err := fmt.Fprintf(packed, `<row r="%d"/>`, i+2); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	a := newArchive(&out, at, map[string]tab{"sheet": {head: []byte(`<row r="1"/>`), rows: packed}})
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
	if part.Flags&0x8 != 0 || !part.Modified.Equal(at) || part.ReaderVersion != 20 {
		t.Errorf("flags %x, modified %v, version %d", part.Flags, part.Modified, part.ReaderVersion)
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
			var draft Memory
			p := NewPacked(&draft)
			for piece := range slices.Chunk(pieces, size) {
				if _, err := p.Write(piece); err != nil {
					t.Fatal(err)
				}
			}
			must(t, p.end(true))
			got, err := io.ReadAll(flate.NewReader(&draft))
			if err != nil || !bytes.Equal(got, pieces) {
				t.Errorf("%d bytes, %d at a time: unpacked %d, %v", len(pieces), size, len(got), err)
			}
		}
	}
}

func TestADraftThatTakesNoMoreIsAnError(t *testing.T) {
	p := NewPacked(brokenDraft{})
	var err error
	for n := 0; err == nil && n < 100; n++ {
		_, err = p.Write(make([]byte, 1<<20))
	}
	if !errors.Is(err, errDisk) || !errors.Is(p.end(false), errDisk) {
		t.Errorf("err = %v, want the draft's", err)
	}
}

type brokenDraft struct{}

func (brokenDraft) Write([]byte) (int, error) { return 0, errDisk }
func (brokenDraft) CopyTo(io.Writer) error    { return errDisk }
