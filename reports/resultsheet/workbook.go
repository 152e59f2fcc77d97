package resultsheet

import (
	"errors"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"payrun/ingest"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// book writes the person's own rows as a workbook with one tab. It writes rows into a draft as they come, and
// lays out the rest when they are all known.
type book struct {
	*xlsx.Book
	draft   *folder.Draft
	rows    *xlsx.Rows
	layout  *layout
	theirs  Rows
	formats map[ingest.NumberFormat]xlsx.Style
	marked  map[xlsx.Style]xlsx.Style // the same style with the colour of wrong cells
	notes   []note
	cells   []xlsx.Cell // buffer for a row
	widths  []int       // of the widest cell of each column, from the header down
	numbers []bool      // columns that hold a number or a date

	head, day xlsx.Style
	odd       xlsx.Style // for a number whose format cannot be kept
}

// errTooLarge says that no workbook can hold the sheet.
var errTooLarge = errors.New("a workbook holds no more rows")

// scientificFormat is the built-in 0.00E+00. The reader never accepts a number that is shown this way.
const scientificFormat = 11

func newBook(dir *folder.Folder, l *layout, rows Rows) (*book, error) {
	draft, err := dir.Unnamed()
	if err != nil {
		return nil, err
	}
	empty, err := xlsx.NewBook()
	if err != nil {
		return nil, err
	}
	b := &book{
		Book: empty, draft: draft, rows: xlsx.NewRows(draft, 0), layout: l, theirs: rows,
		formats: map[ingest.NumberFormat]xlsx.Style{}, marked: map[xlsx.Style]xlsx.Style{},
	}
	if err := b.addStyles(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// addStyles adds the styles that only these sheets have.
func (b *book) addStyles() error {
	var err [3]error
	b.head, err[0] = b.AddStyle(&excelize.Style{Font: font(true), NumFmt: xlsx.TextFormat, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"E3E9EF"}},
		Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left", Indent: 1, WrapText: true}})
	b.day, err[1] = b.AddStyle(&excelize.Style{Font: font(false), CustomNumFmt: new(`yyyy\-mm\-dd`), Alignment: &excelize.Alignment{Vertical: "top", Horizontal: "left", Indent: 1}})
	b.odd, err[2] = b.AddStyle(&excelize.Style{Font: font(false), NumFmt: scientificFormat, Alignment: &excelize.Alignment{Vertical: "top"}})
	return errors.Join(err[:]...)
}

func font(bold bool) *excelize.Font {
	return &excelize.Font{Family: xlsx.Font, Size: 10, Color: xlsx.InkColour, Bold: bold}
}

// write adds row number n. Rows come in ascending order.
func (b *book) write(n int, line []placed) error {
	if n > xlsx.MaxRows || b.rows.Bytes() > xlsx.MaxTabBytes {
		return errTooLarge
	}
	b.cells = b.cells[:0]
	isHead, lines := n == b.layout.sheet.Header, 1
	for i := range line {
		c := &line[i]
		if !c.isOurs {
			b.cells = append(b.cells, b.exactly(c, isHead))
			b.measure(i, n, c.theirs)
			if c.wrong != "" && len(b.notes) < mostNotes {
				b.notes = append(b.notes, note{i, n, c.wrong})
			}
			lines = max(lines, 1+strings.Count(c.theirs.text, "\n"))
			continue
		}
		b.cells = append(b.cells, c.ours)
		if width, ok := b.ourWidth(i); ok && c.ours.Style == xlsx.StyleWrapped {
			lines = max(lines, xlsx.Lines(c.ours.Text, width))
		}
	}
	points := xlsx.Height(lines)
	if isHead {
		points = 30
	}
	b.rows.Skip(n - 1 - b.rows.Last())
	b.rows.AddHigh(points, b.cells...)
	return nil
}

// ourWidth returns the width of our column at that place, if it is ours.
func (b *book) ourWidth(at int) (float64, bool) {
	if i := slices.Index(b.layout.at, at); i >= 0 {
		return b.layout.columns[i].width, true
	}
	return 0, false
}

// The smallest and largest width, in characters, of a column of the person's that is fitted to its content.
const (
	narrowest = 9
	widest    = 44
)

func (b *book) measure(i, n int, c cell) {
	header := b.layout.sheet.Header
	if header == 0 || n < header || c.text == "" {
		return
	}
	for len(b.widths) <= i {
		b.widths, b.numbers = append(b.widths, narrowest), append(b.numbers, false)
	}
	b.numbers[i] = b.numbers[i] || c.kind.Numeric() || c.kind.IsDate()
	room := 3
	if c.kind.Numeric() {
		room += len(c.text) / 2 // for the commas and signs of its format
	}
	if len(c.text)+room > b.widths[i] && b.widths[i] < widest {
		b.widths[i] = min(widest, max(b.widths[i], longestLine(c.text)+room))
	}
}

func longestLine(s string) int {
	longest := 0
	for line := range strings.Lines(s) {
		longest = max(longest, xlsx.Length(strings.TrimSuffix(line, "\n")))
	}
	return longest
}

// finish lays out the tab around its rows and writes the workbook.
func (b *book) finish(dir *folder.Folder, name string) error {
	out, err := dir.Create(name)
	if err != nil {
		return err
	}
	rows, err := b.draft.Written()
	if err != nil {
		return err
	}
	tab := tabName(b.layout.sheet)
	if err := errors.Join(b.AddTab(tab, rows), b.layOut(tab)); err != nil {
		return err
	}
	return errors.Join(b.Write(out, b.layout.title, b.layout.stamp), out.Flush())
}

// In print, the first columns repeat on every page: at most mostSides of them, and at most widestSides
// characters wide together.
const (
	mostSides   = 2
	widestSides = 60
)

func (b *book) layOut(tab string) (err error) {
	l, header := b.layout, b.layout.sheet.Header
	columns, whole := l.width+l.added, 0.0
	sides, sideWidth := 0, 0.0 // the first columns, if they are not wide: they identify the rows
	for i := range columns {
		width := float64(narrowest)
		if i < len(b.widths) {
			width = float64(b.widths[i])
		}
		if theirs := b.theirs.ColumnWidth(i); theirs > 0 && i < l.width { // as the person made it
			width = min(theirs, excelize.MaxColumnWidth)
		}
		if ours, ok := b.ourWidth(i); ok {
			width = ours
		}
		whole += width
		if sides == i && i < mostSides && sideWidth+width <= widestSides {
			sides, sideWidth = i+1, sideWidth+width
		}
		name := xlsx.ColumnName(i)
		err = errors.Join(err, b.SetColWidth(tab, name, name, width))
		if i >= len(b.numbers) || !b.numbers[i] { // in a text column, a value typed into an empty cell is text
			err = errors.Join(err, b.SetColStyle(tab, name, int(xlsx.StyleText)))
		}
	}
	for _, n := range b.notes {
		err = errors.Join(err, addNote(b.Book, tab, n))
	}
	frame := xlsx.Frame{Header: header, Last: max(b.rows.Last(), header, 1), Columns: columns, Wide: xlsx.PagesFor(whole)}
	if frame.Wide > 1 {
		frame.Sides = sides
	}
	return errors.Join(err, b.SetFrame(tab, frame))
}
