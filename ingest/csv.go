package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// csvReader reads the records of a CSV strictly: it refuses what programs read in different ways. It examines
// each byte once, allocates once a row (the row's text), and needs one buffer of memory, however long the file
// is.
type csvReader struct {
	textBuffer // pos is the start of the current record
	limits     Limits
	sep        byte
	stop       [256]bool // bytes that end an unquoted cell
	undefined  string    // describes a lost character; "" for UTF-8

	row    int  // number of the last row returned
	line   int  // where the current record begins; more than row+1 once a cell spans lines
	breaks int  // line breaks inside the current record's cells
	ended  bool // a Ctrl-Z ends the text
	bare   bool // the current record has a cell without quotes
	spans  []span
	cells  []string
	text   []byte
}

// span is one cell of the current record, as offsets in buf.
type span struct {
	start, end int
	rewrite    bool // the cell has doubled quotes, or line breaks to unify
}

const csvBuffer = 256 << 10

func newCSVReader(f *file, head []byte, o Options) (*csvReader, error) {
	c := &csvReader{textBuffer: newTextBuffer(f, csvBuffer), limits: o.Limits, line: 1}
	if err := c.decode(head, o.Encoding); err != nil {
		return nil, err
	}
	if err := c.more(); err != nil {
		return nil, err
	}
	if len(c.buf) == 0 {
		return nil, defect(CodeFileEmpty, 0, "%s is empty: there is nothing after the byte order mark", f.name)
	}
	sep, after, ok := sepLine(c.buf)
	if ok {
		c.pos, c.line = after, 2
	} else {
		sep = c.sniff(o)
	}
	c.separate(sep)
	return c, nil
}

// separate sets the separator.
func (c *csvReader) separate(sep byte) {
	c.sep = sep
	for _, b := range []byte{sep, '\n', '\r', '"'} {
		c.stop[b] = true
	}
}

// next returns the next record as a row.
func (c *csvReader) next() (Row, error) {
	for {
		if c.pos == len(c.buf) && c.eof {
			return Row{}, io.EOF
		}
		after, err := c.record()
		if err == nil {
			return c.give(after), nil
		}
		if !errors.Is(err, errMore) {
			return Row{}, err
		}
		if err := c.more(); err != nil {
			return Row{}, err
		}
	}
}

// record finds the cells of the record at pos, and where the next record starts. If the buffer ends too early,
// it returns errMore, and the caller starts the record again.
func (c *csvReader) record() (after int, err error) {
	c.spans, c.breaks, c.bare = c.spans[:0], 0, false
	for i := c.pos; ; i++ {
		if len(c.spans) == c.limits.Columns {
			return 0, c.refuse(i, CodeTooManyColumns, "the row has more than %d cells", c.limits.Columns)
		}
		cell, end, err := c.cell(i)
		if err != nil {
			return 0, err
		}
		c.spans = append(c.spans, cell)
		switch {
		case end == len(c.buf):
			return c.whole(end, c.eof)
		case c.buf[end] == c.sep:
			i = end
		case c.buf[end] == '\n':
			return c.whole(end+1, true)
		case end+1 == len(c.buf): // "\r", and "\n" may follow
			return c.whole(end+1, c.eof)
		case c.buf[end+1] == '\n':
			return c.whole(end+2, true)
		default:
			return c.whole(end+1, true)
		}
	}
}

// whole ends a record if it is complete and all of it is text.
func (c *csvReader) whole(after int, complete bool) (int, error) {
	switch {
	case c.bad < after:
		return 0, c.notText()
	case !complete:
		return 0, errMore
	}
	return after, nil
}

// cell finds the cell at i and the separator, line break or end after it.
func (c *csvReader) cell(i int) (span, int, error) {
	if i < len(c.buf) && c.buf[i] == '"' {
		return c.quoted(i)
	}
	c.bare = true
	end := i
	for end < len(c.buf) && !c.stop[c.buf[end]] {
		end++
	}
	if c.tooLong(c.buf[i:end]) {
		return span{}, 0, c.refuse(end, CodeCellTooLong, "cell %d has more than %d characters", len(c.spans)+1, c.limits.CellChars)
	}
	if end < len(c.buf) && c.buf[end] == '"' {
		if cell, after, ok, err := c.textFormula(i, end); ok || err != nil {
			return cell, after, err
		}
		return span{}, 0, c.refuse(end, CodeQuoteStray, "cell %d has a quote in it but does not begin with one", len(c.spans)+1)
	}
	return span{start: i, end: end}, end, nil
}

// textFormula finds the cell at i, whose first quote is at the given place, if it is ="000123" and nothing
// else. Programs write a text this way so that spreadsheet programs do not take it for a number. The cell is
// the text in the quotes.
func (c *csvReader) textFormula(i, quote int) (cell span, end int, ok bool, err error) {
	if quote != i+1 || c.buf[i] != '=' {
		return span{}, 0, false, nil
	}
	end = i + 2
	for end < len(c.buf) && !c.stop[c.buf[end]] {
		end++
	}
	switch after := end + 1; {
	case end == len(c.buf), c.buf[end] == '"' && after == len(c.buf):
		if !c.eof {
			return span{}, 0, false, errMore
		}
		ok = end < len(c.buf)
	case c.buf[end] == '"':
		ok = c.stop[c.buf[after]] && c.buf[after] != '"'
	}
	ok = ok && !c.tooLong(c.buf[i+2:end])
	return span{start: i + 2, end: end}, end + 1, ok, nil
}

// quoted finds the cell whose opening quote is at i.
func (c *csvReader) quoted(i int) (span, int, error) {
	cell := span{start: i + 1}
	for j := i + 1; ; j += 2 {
		k := bytes.IndexByte(c.buf[j:], '"')
		if k < 0 || (j+k+1 == len(c.buf) && !c.eof) {
			return span{}, 0, c.unclosed(i)
		}
		j += k
		if j+1 == len(c.buf) || c.buf[j+1] != '"' {
			cell.end = j
			break
		}
		cell.rewrite = true
	}
	inner := c.buf[cell.start:cell.end]
	cell.rewrite = cell.rewrite || bytes.IndexByte(inner, '\r') >= 0
	c.breaks += lineBreaks(inner)
	if c.tooLong(inner) {
		return span{}, 0, c.refuse(cell.end, CodeCellTooLong, "cell %d has more than %d characters", len(c.spans)+1, c.limits.CellChars)
	}
	after := cell.end + 1
	if after < len(c.buf) && !c.stop[c.buf[after]] {
		return span{}, 0, c.refuse(after, CodeTextAfterQuote, "cell %d continues after its closing quote", len(c.spans)+1)
	}
	if inner, ok := bytes.CutPrefix(inner, []byte(`=""`)); ok {
		if text, ok := bytes.CutSuffix(inner, []byte(`""`)); ok && bytes.IndexByte(text, '"') < 0 { // ="000123", quoted
			cell = span{start: cell.start + 3, end: cell.end - 2, rewrite: bytes.IndexByte(text, '\r') >= 0}
		}
	}
	return cell, after, nil
}

// unclosed returns errMore if the quote at i may still close further on, else the reason to refuse the record.
func (c *csvReader) unclosed(i int) error {
	switch {
	case c.eof:
		return c.refuse(len(c.buf), CodeQuoteUnclosed, "cell %d opens a quote that is never closed", len(c.spans)+1)
	case c.tooLong(c.buf[i+1:]):
		return c.refuse(len(c.buf), CodeQuoteUnclosed, "cell %d opens a quote that is not closed within %d characters", len(c.spans)+1, c.limits.CellChars)
	case c.bad != noBad:
		return c.notText()
	}
	return errMore
}

// tooLong reports whether a cell has more characters than allowed; a doubled quote counts as one.
func (c *csvReader) tooLong(cell []byte) bool {
	return len(cell) > c.limits.CellChars &&
		utf8.RuneCount(cell)-bytes.Count(cell, []byte(`""`)) > c.limits.CellChars
}

// refuse makes the Defect for the current record. If a byte before the given place is not text, it refuses that
// instead.
func (c *csvReader) refuse(at int, code string, format string, args ...any) error {
	if c.bad < at {
		return c.notText()
	}
	return defect(code, c.row+1, "%s%s", fmt.Sprintf(format, args...), c.lineWords(c.line))
}

// notText refuses the record for its first byte that is not text.
func (c *csvReader) notText() error {
	line := c.line + lineBreaks(c.buf[c.pos:c.bad])
	if c.buf[c.bad] == 0 {
		return defect(CodeNUL, c.row+1, "a NUL byte%s: the file is not text, or is UTF-16 without a byte order mark", c.lineWords(line))
	}
	what := c.undefined
	if what == "" {
		what = fmt.Sprintf("a byte that is not UTF-8 (0x%02X)", c.buf[c.bad])
	}
	return defect(CodeEncoding, c.row+1, "%s%s", what, c.lineWords(line))
}

// lineWords names the line for people with a text editor, if it differs from the row.
func (c *csvReader) lineWords(line int) string {
	if line == c.row+1 {
		return ""
	}
	return fmt.Sprintf(" (line %d in a text editor)", line)
}

// give returns the current record as a row, with one string for all its cells.
func (c *csvReader) give(after int) Row {
	c.row++
	c.line += 1 + c.breaks
	c.cells, c.text = c.cells[:0], c.text[:0]
	for i, s := range c.spans {
		start := len(c.text)
		if c.text = append(c.text, c.buf[s.start:s.end]...); s.rewrite {
			quoted := unifyBreaks(c.text, start)[start:]
			c.text = append(c.text[:start], bytes.ReplaceAll(quoted, []byte(`""`), []byte(`"`))...)
		}
		c.spans[i].end = len(c.text)
	}
	text, start := string(c.text), 0
	for _, s := range c.spans {
		c.cells = append(c.cells, text[start:s.end])
		start = s.end
	}
	unended := after > c.pos && after == len(c.buf) && c.eof && !c.ended && c.buf[after-1] != '\r' && c.buf[after-1] != '\n'
	openEnd := unended && c.buf[after-1] != '"'
	c.pos = after
	return Row{Number: c.row, Cells: c.cells, Unended: unended, OpenEnd: openEnd, Broken: c.breaks > 0, BareCommas: c.bare && c.sep == ','}
}

// more moves the current record to the start of the buffer and reads on.
func (c *csvReader) more() error {
	err := c.fill(c.limits.RowBytes)
	if errors.Is(err, errFull) {
		return c.refuse(len(c.buf), CodeRowTooLong, "the row has more than %d bytes", c.limits.RowBytes)
	}
	if c.eof { // DOS ends a text with Ctrl-Z, which is not part of it
		text := bytes.TrimRight(c.buf, "\x1a")
		c.buf, c.ended = text, c.ended || len(text) < len(c.buf)
	}
	return err
}

// lineBreaks counts CRLF, LF and CR, each as one.
func lineBreaks(b []byte) int {
	n := bytes.Count(b, []byte{'\n'})
	if cr := bytes.Count(b, []byte{'\r'}); cr > 0 {
		n += cr - bytes.Count(b, []byte("\r\n"))
	}
	return n
}
