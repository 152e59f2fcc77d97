package validate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// keptMap is the mapping that people kept for sheets with one header.
type keptMap struct {
	ledger.KeptColumns
	columnMap
}

// keptColumns has the kept mappings of all headers.
type keptColumns struct {
	byHeader map[string]*keptMap
	newest   []*keptMap
	without  bool // do not use them for this sheet
	zone     *time.Location
}

// keeps reports whether the mapping of this run is to be kept.
func (o *Options) keeps() bool { return o.KeepColumns != nil && *o.KeepColumns }

// newKeptColumns reads the kept mappings of the ledger. A mapping by which no sheet can have been read means a
// damaged ledger, not a wrong option.
func newKeptColumns(o Options) (keptColumns, error) {
	all := keptColumns{byHeader: map[string]*keptMap{}, without: o.KeepColumns != nil && !*o.KeepColumns, zone: o.Now.Location()}
	for _, k := range o.Kept.Newest() {
		t, err := newColumnMap("", k.Columns)
		if err != nil {
			return all, fmt.Errorf("%w: event %d keeps columns that no sheet has: %v", ledger.ErrLedgerDamaged, k.Seq, err)
		}
		one := &keptMap{k, t}
		all.byHeader[k.Header], all.newest = one, append(all.newest, one)
	}
	return all, nil
}

// of returns the mapping kept for a header, given by its SHA-256. If there is none, it returns the mappings kept
// for other headers, newest first.
func (k *keptColumns) of(sum string) (kept *keptMap, others []*keptMap) {
	if kept := k.byHeader[sum]; kept != nil || k.without {
		return kept, nil
	}
	return nil, k.newest
}

// neededColumns decide who is paid what, and under which reference.
var neededColumns = [...]column{colReference, colName, colAccount, colIFSC, colAmount, colBeneficiary}

// asks reports whether a header has the mapped header of a column, so that the column may not silently be read
// otherwise. For the columns of neededColumns that is enough; for others, the header must have every mapped
// header.
func (t *columnMap) asks(c column, keys []string) bool {
	header := t.headers[c]
	return header != "" && slices.Contains(keys, headerKey(header)) && (slices.Contains(neededColumns[:], c) || t.fits(keys))
}

// by says who kept the mapping, and when.
func (k *keptColumns) by(t *keptMap) string {
	return fmt.Sprintf("%s saved on %s", t.Actor, t.At.In(k.zone).Format("2 Jan 2006"))
}

// ownHeaders returns how many headers are the person's own: all except those that payrun appends to returned
// sheets.
func ownHeaders(headers []string) int {
	n := len(headers)
	for n > 0 && (headers[n-1] == "" || payrunsOwn(headers[n-1])) {
		n--
	}
	return n
}

func payrunsOwn(header string) bool { return strings.HasPrefix(strings.ToLower(header), "payrun_") }

// headerSHA256 identifies an exact header: the SHA-256, in lower-case hex, of the person's own names, folded
// and in order, so that a returned sheet has the same one. It returns "" if a name is too long, or if there are
// no names.
func headerSHA256(headers, keys []string) string {
	n := ownHeaders(headers)
	if n == 0 {
		return ""
	}
	b := []byte("payrun header 1")
	for i, name := range headers[:n] {
		if len(name) > maxHeaderBytes {
			return ""
		}
		if keys[i] != "" {
			name = keys[i] // else the name has only signs, and stays as written
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(name))), name...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// placeNearly counts columns of a similar header's kept mapping as known names. So the row is found as the
// header, and nearlyKept refuses it for the difference.
func (l *layout) placeNearly() {
	for c := range columnCount {
		if !l.has(c) && slices.ContainsFunc(l.others, func(t *keptMap) bool { return t.asks(c, l.keys) }) {
			l.known++
		}
	}
}

// nearlyKept refuses a header that has columns kept for another one, if one of them would be read from
// elsewhere or not at all: a month later the sheet has one more column, and payrun would silently pay by the
// wrong one. Only the run's map, which is made for this sheet, settles it.
func (v *vocabulary) nearlyKept(l *layout) {
	keys := l.keys
	for c := range columnCount {
		if gone := l.kept; gone != nil && !v.kept.without && gone.headers[c] != "" && v.run.headers[c] == "" && !slices.Contains(keys, headerKey(gone.headers[c])) {
			// It is one of payrun's own columns, which not every sheet with this header has.
			l.problems = append(l.problems, keptProblem(c, gone, fmt.Sprintf("what %s for this header names the column %q for %s, which is not there",
				v.kept.by(gone), gone.headers[c], c)))
			continue
		}
		for _, kept := range l.others {
			if kept.asks(c, keys) && !v.run.settles(c, kept.headers[c]) && !(l.has(c) && l.keys[l.at[c]] == headerKey(kept.headers[c])) {
				is := "is not read"
				if l.has(c) {
					is = fmt.Sprintf("would be %q", visible.Shorten(l.headers[l.at[c]]))
				}
				l.problems = append(l.problems, keptProblem(c, kept, fmt.Sprintf("this header has columns that %s for another header: %s %s, and was %q there",
					v.kept.by(kept), c, is, kept.headers[c])))
				break // one problem for each column
			}
		}
	}
}

// keptProblem is about a column that was kept for this header or a similar one.
func keptProblem(c column, kept *keptMap, message string) ledger.Finding {
	return ledger.Finding{Column: c.String(), Code: codeKeptNearly, Value: kept.headers[c], Option: readWithoutKept, Message: message}
}

// settles reports whether the map gives the header of the column, or the column of the header.
func (t *columnMap) settles(c column, header string) bool {
	return t.headers[c] != "" || slices.ContainsFunc(t.headers[:], func(h string) bool { return h != "" && headerKey(h) == headerKey(header) })
}

// keepable checks the header against the kept mapping, and reports what cannot be kept for it.
func (c *check) keepable(l *layout) error {
	keys := l.keys
	if l.kept != nil && !c.words.kept.without {
		for _, header := range l.kept.headers {
			if header != "" && !payrunsOwn(header) && !slices.Contains(keys, headerKey(header)) {
				return fmt.Errorf("%w: event %d keeps columns that its header does not have", ledger.ErrLedgerDamaged, l.kept.Seq)
			}
		}
	}
	if !c.o.keeps() {
		return nil
	}
	cannot := func(why string, about ...any) error {
		return &UsageError{Option: ledger.Option{Name: ledger.OptionKeepColumns, Value: "true"}, Why: fmt.Sprintf(why, about...)}
	}
	if l.sum == "" {
		return cannot("columns cannot be saved for a header with a name of more than %d bytes", maxHeaderBytes)
	}
	own := keys[:ownHeaders(l.headers)]
	for col, header := range l.mapping.chosen.headers {
		if header != "" && !slices.Contains(own, headerKey(header)) {
			return cannot("the column %q cannot be saved for %s: payrun adds such columns after those of a sheet, and they are not part of its header", visible.Shorten(header), columnNames[col])
		}
	}
	return nil
}

// tellKept sets the fields of Result about kept mappings.
func (c *check) tellKept() {
	l := &c.layout
	if l.row == 0 || l.message != nil {
		return
	}
	c.HeaderSHA256 = l.sum
	if c.o.keeps() {
		c.Keep = l.mapping.chosen.byName()
	}
	if l.kept == nil {
		return
	}
	kept := l.kept.KeptColumns
	c.Kept, c.WithoutKept = &kept, c.words.kept.without
	for col, header := range l.kept.headers {
		if header != "" && c.words.run.headers[col] == "" && l.mapping.chosen.headers[col] == header {
			c.AsKept = true
		}
	}
}
