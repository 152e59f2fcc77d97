package validate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/validate/visible"
)

// isHeader tells ingest which rows may be headers, so that it finds the tab
// and the separator.
func (v *vocabulary) isHeader(cells []string) bool {
	l := v.read(0, cells)
	return l.complete() || l.known >= minKnownColumns
}

// isComplete tells ingest which headers have every column that a payout needs.
func (v *vocabulary) isComplete(cells []string) bool {
	l := v.read(0, cells)
	return len(v.missing(&l)) == 0
}

// header reads up to the header: the first of the first 20 rows from which
// payouts can be read, with titles above it. When there is none, the row that
// comes nearest is the one whose faults are named.
func (c *check) header(src source) error {
	if isMessage(src) {
		return c.messageHeader(src)
	}
	best, found, titles := layout{}, false, false
	for range ingest.HeaderRows {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		l := c.words.read(row.Number, row.Cells)
		titles = titles || l.width > 0
		if l.complete() || l.known > best.known {
			best = l
		}
		if l.complete() {
			found = true
			break
		}
	}
	if err := c.words.mapsTo(&best); err != nil {
		return err
	}
	if !found && best.known < minKnownColumns {
		c.report(problem{code: codeHeaderMissing, message: missingHeaderWords(titles)})
		return errRefused
	}
	c.layout, c.sheet.Header = best, best.row
	c.words.findFaults(&c.layout)
	c.layout.hidden(src)
	return c.reportHeader()
}

func missingHeaderWords(titles bool) string {
	if !titles {
		return fmt.Sprintf("the first %d rows are blank", ingest.HeaderRows)
	}
	return fmt.Sprintf("none of the first %d rows names the columns", ingest.HeaderRows)
}

// mapsTo checks that every column that the map of the run names is there.
func (v *vocabulary) mapsTo(l *layout) error {
	have := make([]string, len(l.headers))
	for i, header := range l.headers {
		have[i] = headerKey(header)
	}
	for c, header := range v.run.headers {
		if header != "" && !slices.Contains(have, headerKey(header)) {
			return mapError(column(c).String(), header, fmt.Sprintf("the sheet has no column %q", header))
		}
	}
	return nil
}

// reportHeader turns the header's problems into findings.
func (c *check) reportHeader() error {
	refused := false
	for _, p := range c.layout.problems {
		refused = c.report(p) == ledger.SeverityError || refused
	}
	if refused {
		return errRefused
	}
	return nil
}

// report adds a problem of the header as a finding at the header's row. A
// value that is mostly digits is not a header but data, and may be an account.
func (c *check) report(p problem) ledger.Severity {
	value := p.value
	if strings.IndexFunc(value, func(r rune) bool { return r < '0' || r > '9' }) < 0 {
		value = ledger.Mask(value)
	}
	f := ledger.Finding{Row: c.layout.row, Column: p.column, Code: p.code, Value: value, Message: p.message, Fix: p.fix, Option: p.option}
	if p.at > 0 {
		f.Cell, f.Header = c.layout.cell(p.at-1, c.layout.row), visible.Shorten(c.layout.headers[p.at-1])
	}
	return c.found.add(f)
}
