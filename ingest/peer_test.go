package ingest_test

import (
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payrun/ingest"
)

// peerRow is a row as both readers can tell it: numbers by their double.
type peerRow struct {
	Number int
	Cells  []string
}

// ours reads a workbook, or reports that it was refused.
func ours(t testing.TB, path string, o ingest.Options) (tab string, rows []peerRow, refused *ingest.Defect) {
	t.Helper()
	o.Hidden = ingest.HiddenInclude
	s, err := ingest.Open(path, o)
	if errors.As(err, &refused) {
		return "", nil, refused
	}
	must(t, err)
	defer func() { _ = s.Close() }()
	for {
		row, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return s.Tab(), rows, nil
		case errors.As(err, &refused):
			return "", nil, refused
		case err != nil:
			t.Fatal(err)
		}
		p := peerRow{Number: row.Number}
		for i, c := range row.Cells {
			if row.Kinds[i] == ingest.Date {
				c = "a date"
			}
			p.Cells = append(p.Cells, asPeer(c))
		}
		if p.Cells = trimRow(p.Cells); p.Cells != nil {
			rows = append(rows, p)
		}
	}
}

// theirs reads the same tab with excelize, which must only see what the strict
// pass has accepted.
func theirs(t testing.TB, path, tab string) []peerRow {
	t.Helper()
	f, err := excelize.OpenFile(path, excelize.Options{RawCellValue: true, UnzipSizeLimit: 256 << 20, UnzipXMLSizeLimit: 256 << 20})
	if err != nil {
		t.Fatalf("excelize: %v", err)
	}
	defer func() { _ = f.Close() }()
	all, err := f.GetRows(tab, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatalf("excelize: %v", err)
	}
	var rows []peerRow
	for i, cells := range all {
		p := peerRow{Number: i + 1}
		for _, c := range cells {
			p.Cells = append(p.Cells, asPeer(c))
		}
		if p.Cells = trimRow(p.Cells); p.Cells != nil {
			rows = append(rows, p)
		}
	}
	return rows
}

// asPeer takes away in what the two differ by intent: excelize gives numbers
// and booleans as they were written.
func asPeer(cell string) string {
	switch cell {
	case "TRUE", "true":
		return "1"
	case "FALSE", "false":
		return "0"
	}
	cell = strings.ReplaceAll(cell, "\r\n", "\n")
	if f, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err == nil {
		return strconv.FormatFloat(f+0, 'g', -1, 64)
	}
	return cell
}

func trimRow(cells []string) []string {
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 {
		return nil
	}
	return cells
}

// sameAsPeer holds an accepted workbook against excelize.
func sameAsPeer(t testing.TB, path string, o ingest.Options) {
	t.Helper()
	tab, rows, refused := ours(t, path, o)
	if refused != nil {
		return
	}
	peer := theirs(t, path, tab)
	hideDates(rows, peer)
	same(t, peer, rows)
}

// hideDates lets a date of ours stand for any number of theirs.
func hideDates(rows, peer []peerRow) {
	for i := range min(len(rows), len(peer)) {
		for j, c := range rows[i].Cells {
			if c == "a date" && j < len(peer[i].Cells) && peer[i].Cells[j] != "" {
				peer[i].Cells[j] = c
			}
		}
	}
}

func TestWorkbooksAreReadAsExcelizeReadsThem(t *testing.T) {
	for name, c := range good {
		t.Run(name, func(t *testing.T) {
			path := write(t, "nov.xlsx", c.book.zip(t))
			if _, _, refused := ours(t, path, c.o); refused != nil {
				t.Fatal(refused)
			}
			if !c.beyondExcelize {
				sameAsPeer(t, path, c.o)
			}
		})
	}
}

func TestShippedSamplesAreReadAsExcelizeReadsThem(t *testing.T) {
	paths, err := filepath.Glob("../samples/*.xlsx")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if _, _, refused := ours(t, path, ingest.Options{}); refused != nil {
				t.Fatal(refused)
			}
			sameAsPeer(t, path, ingest.Options{})
		})
	}
}

// TestWhatExcelizeWritesIsRead covers both ways in which it writes: from
// memory with shared strings, and streaming with inline ones.
func TestWhatExcelizeWritesIsRead(t *testing.T) {
	header := []any{"ref", "amount", "paid", "when"}
	row := []any{"A & <B> \"c\" \n ₹", 1234.5, true, 1e15}
	fromMemory := excelize.NewFile()
	for i, r := range [][]any{header, row} {
		must(t, fromMemory.SetSheetRow("Sheet1", "A"+strconv.Itoa(i+1), &r))
	}
	streaming := excelize.NewFile()
	w, err := streaming.NewStreamWriter("Sheet1")
	must(t, err)
	for i, r := range [][]any{header, row} {
		must(t, w.SetRow("A"+strconv.Itoa(i+1), r))
	}
	must(t, w.Flush())
	for name, f := range map[string]*excelize.File{"from memory": fromMemory, "streaming": streaming} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "e.xlsx")
			must(t, f.SaveAs(path))
			rows, d := read(t, path, ingest.Options{})
			want := []string{"1:ref|amount|paid|when", "2:A & <B> \"c\" \n ₹|1234.5|TRUE|1000000000000000"}
			if diff := cmp.Diff(want, rows); diff != "" || d != nil {
				t.Error(d, diff)
			}
			sameAsPeer(t, path, ingest.Options{})
		})
	}
}
