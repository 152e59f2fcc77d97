package reports

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// ownBook writes the person's own rows as a workbook of one tab: rows go to a
// draft as they come, excelize lays out the rest when they are known.
type ownBook struct {
	f       *excelize.File
	rows    *draft
	data    *sheetData
	layout  *ownLayout
	formats map[OwnFormat]cellStyle
	cells   []byte
	widths  []int  // of the widest cell of each column, from the header down
	numbers []bool // columns that hold a number or a date
}

// errTooLarge is a sheet that no workbook holds.
var errTooLarge = errors.New("a workbook holds no more rows")

// styles that only the person's own sheet has, behind those of cellStyles.
const (
	ownStyleHead cellStyle = iota + styleCode + 1
	ownStyleDate
	ownStyleOdd // a number whose format cannot be had
)

func ownStyles() []*excelize.Style {
	font := func(bold bool) *excelize.Font {
		return &excelize.Font{Family: workbookFont, Size: 10, Color: inkColour, Bold: bold}
	}
	day := `yyyy\-mm\-dd`
	return []*excelize.Style{
		{Font: font(true), NumFmt: textFormat, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"E3E9EF"}},
			Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left", Indent: 1, WrapText: true}},
		{Font: font(false), CustomNumFmt: &day, Alignment: &excelize.Alignment{Vertical: "top", Horizontal: "left", Indent: 1}},
		{Font: font(false), NumFmt: scientificFormat, Alignment: &excelize.Alignment{Vertical: "top"}},
	}
}

// scientificFormat is the built-in 0.00E+00. The reader takes no number that
// shows so for what it seems to be.
const scientificFormat = 11

func newOwnBook(dir *folder, l *ownLayout) (*ownBook, error) {
	rows, err := dir.scratch()
	if err != nil {
		return nil, err
	}
	b := &ownBook{f: excelize.NewFile(), rows: rows, data: &sheetData{w: rows}, layout: l, formats: map[OwnFormat]cellStyle{}}
	if err := addStyles(b.f); err != nil {
		return nil, errors.Join(err, b.f.Close())
	}
	for i, s := range ownStyles() {
		id, err := b.f.NewStyle(s)
		if err != nil || cellStyle(id) != ownStyleHead+cellStyle(i) {
			return nil, errors.Join(fmt.Errorf("own style %d came out as number %d", i, id), err, b.f.Close())
		}
	}
	return b, nil
}

func (b *ownBook) close() { _ = b.f.Close() }

// write adds row number n. Rows come in ascending order.
func (b *ownBook) write(n int, line []ownCell) error {
	if n > maxTabRows || b.data.bytes > maxTabBytes {
		return errTooLarge
	}
	b.cells = b.cells[:0]
	isHead, lines := n == b.layout.header, 1
	for i := range line {
		c := &line[i]
		if !c.isOurs {
			b.appendOwn(c.own, i, n, isHead)
			b.measure(i, n, c.own)
			lines = max(lines, 1+strings.Count(c.own.Text, "\n"))
			continue
		}
		b.cells = c.ours.append(b.cells, i, n)
		if width, ok := b.ourWidth(i); ok && c.ours.style == styleWrapped {
			lines = max(lines, wrappedLines(c.ours.text, width))
		}
	}
	points := 0
	switch {
	case isHead:
		points = 30
	case lines > 1:
		points = min(lines, mostLines) * linePoints
	}
	return b.data.writeAt(n, points, b.cells)
}

// ourWidth is the width of our column at that place, if it is one.
func (b *ownBook) ourWidth(at int) (float64, bool) {
	for i, c := range b.layout.columns {
		if b.layout.at[i] == at {
			return c.width, true
		}
	}
	return 0, false
}

// The widths between which a column of the person's is made as wide as what
// it holds, in characters.
const (
	narrowest = 9
	widest    = 44
)

func (b *ownBook) measure(i, n int, c OwnCell) {
	if b.layout.header == 0 || n < b.layout.header || c.Text == "" {
		return
	}
	for len(b.widths) <= i {
		b.widths, b.numbers = append(b.widths, narrowest), append(b.numbers, false)
	}
	b.numbers[i] = b.numbers[i] || c.Kind == OwnNumber || c.Kind == OwnDate
	room := 3
	if c.Kind == OwnNumber {
		room += len(c.Text) / 2 // for the commas and signs of its format
	}
	if len(c.Text)+room > b.widths[i] && b.widths[i] < widest {
		b.widths[i] = min(widest, max(b.widths[i], longestLine(c.Text)+room))
	}
}

func longestLine(s string) int {
	longest := 0
	for line := range strings.Lines(s) {
		longest = max(longest, utf16Length(strings.TrimSuffix(line, "\n")))
	}
	return longest
}

// finish lays the tab out around its rows and writes the workbook to out.
func (b *ownBook) finish(out *draft, tab, title string, at time.Time) error {
	archive := newArchive(out, at)
	b.f.SetZipWriter(func(io.Writer) excelize.ZipWriter { return archive })
	w := &workbook{f: b.f, archive: archive}
	if err := w.addTab(tab, b.rows.copyTo); err != nil {
		return err
	}
	if err := b.layOut(w, tab); err != nil {
		return err
	}
	stamp := at.UTC().Format("2006-01-02T15:04:05Z")
	err := b.f.SetDocProps(&excelize.DocProperties{Title: title, Creator: "payrun", LastModifiedBy: "payrun", Created: stamp, Modified: stamp, Language: "en-IN"})
	if err != nil {
		return err
	}
	w.settleOrder()
	if err := b.f.Write(io.Discard); err != nil { // into the archive
		return err
	}
	return out.Flush()
}

func (b *ownBook) layOut(w *workbook, tab string) error {
	l := b.layout
	for i := range l.width + l.added {
		width := float64(narrowest)
		if i < len(b.widths) {
			width = float64(b.widths[i])
		}
		for k, at := range l.at {
			if at == i {
				width = l.columns[k].width
			}
		}
		name := columnName(i)
		if err := b.f.SetColWidth(tab, name, name, width); err != nil {
			return err
		}
		if i < len(b.numbers) && b.numbers[i] {
			continue
		}
		// What is typed into an empty cell of a column of texts is text.
		if err := b.f.SetColStyle(tab, name, int(styleText)); err != nil {
			return err
		}
	}
	last := columnName(l.width + l.added - 1)
	if err := b.f.AutoFilter(tab, fmt.Sprintf("A%d:%s%d", l.header, last, max(b.data.row, l.header)), nil); err != nil {
		return err
	}
	all := fmt.Sprintf("A1:%s%d", last, max(b.data.row, 1))
	if err := b.f.SetSheetDimension(tab, all); err != nil {
		return err
	}
	// References and accounts are digits on purpose, and no mistake to flag.
	if err := b.f.AddIgnoredErrors(tab, all, excelize.IgnoredErrorsNumberStoredAsText); err != nil {
		return err
	}
	corner := fmt.Sprintf("A%d", l.header+1)
	err := b.f.SetPanes(tab, &excelize.Panes{
		Freeze: true, YSplit: l.header, TopLeftCell: corner, ActivePane: "bottomLeft",
		Selection: []excelize.Selection{{SQRef: corner, ActiveCell: corner, Pane: "bottomLeft"}},
	})
	if err != nil {
		return err
	}
	return w.printSetup(tab, landscape)
}
