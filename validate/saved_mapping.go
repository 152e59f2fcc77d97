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

// keptMap is what people kept for the sheets with one header.
type keptMap struct {
	ledger.KeptColumns
	columnMap
}

// keptColumns is what people kept for any header.
type keptColumns struct {
	byHeader map[string]*keptMap
	newest   []*keptMap
	without  bool // it does not count for this sheet
	zone     *time.Location
}

// keeps reports whether what is chosen of the columns is to be kept.
func (o *Options) keeps() bool { return o.KeepColumns != nil && *o.KeepColumns }

// newKeptColumns takes the saved mapping of the ledger. One that no sheet can have been read by is
// damage of the ledger, not an option.
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

// of returns what is kept for a header, given by its SHA-256 and folded; or else what is
// kept for others, and names columns that this has, the newest first.
func (k *keptColumns) of(sum string, keys []string) (kept *keptMap, nearly []*keptMap) {
	if kept := k.byHeader[sum]; kept != nil || k.without {
		return kept, nil
	}
	for _, t := range k.newest {
		if t.concerns(keys) {
			nearly = append(nearly, t)
		}
	}
	return nil, nearly
}

// neededColumns are those that say who is paid what, and under which reference.
var neededColumns = [...]column{colReference, colName, colAccount, colIFSC, colAmount, colBeneficiary}

// concerns reports whether a header has a column that is mapped.
func (t *columnMap) concerns(keys []string) bool {
	for c := range columnCount {
		if t.asks(c, keys) {
			return true
		}
	}
	return false
}

// asks reports whether a header has the mapped headers of a column and may not silently be read
// otherwise: for a column that every payout needs always, for another one if everything mapped with it
// is there.
func (t *columnMap) asks(c column, keys []string) bool {
	header := t.headers[c]
	return header != "" && slices.Contains(keys, headerKey(header)) && (slices.Contains(neededColumns[:], c) || t.fits(keys))
}

// by says who kept it when.
func (k *keptColumns) by(t *keptMap) string {
	return fmt.Sprintf("%s saved on %s", t.Actor, t.At.In(k.zone).Format("2 Jan 2006"))
}

// ownHeaders is how many headers are a person's own: all but those that payrun puts
// behind them into what it gives back.
func ownHeaders(headers []string) int {
	n := len(headers)
	for n > 0 && (headers[n-1] == "" || payrunsOwn(headers[n-1])) {
		n--
	}
	return n
}

func payrunsOwn(header string) bool { return strings.HasPrefix(strings.ToLower(header), "payrun_") }

// headerSHA256 identifies an exact header: the SHA-256, in lower-case hex, of the person's own names,
// folded, in their order, so that a returned sheet has the same. "" if a name is too long to be one,
// or there is none.
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
			name = keys[i] // else it is nothing but signs, as they stand there
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(name))), name...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// placeNearly counts the columns of a header that were kept for nearly the same one as
// names that are known: it is the header, and is refused for what differs.
func (l *layout) placeNearly(keys []string) {
	for c := range columnCount {
		if !l.has(c) && slices.ContainsFunc(l.nearly, func(t *keptMap) bool { return t.asks(c, keys) }) {
			l.known++
		}
	}
}

// nearlyKept refuses a header that has columns saved for another one, if one of them would be read
// from elsewhere or not at all: a month later the sheet has one more column, and another one would be
// paid silently. Only the map of the run, which is for this very sheet, settles it.
func (v *vocabulary) nearlyKept(l *layout) {
	keys := l.keys()
	for c := range columnCount {
		if gone := l.kept; gone != nil && !v.kept.without && gone.headers[c] != "" && v.run.headers[c] == "" && !slices.Contains(keys, headerKey(gone.headers[c])) {
			// It is one of payrun's own columns, which sheets of one header do not all have.
			l.problems = append(l.problems, keptProblem(c, gone, fmt.Sprintf("what %s for this header names the column %q for %s, which is not there",
				v.kept.by(gone), gone.headers[c], c)))
			continue
		}
		for _, kept := range l.nearly {
			if kept.asks(c, keys) && !v.run.settles(c, kept.headers[c]) && !l.reads(c, kept.headers[c]) {
				is := "is not read"
				if l.has(c) {
					is = fmt.Sprintf("would be %q", visible.Shorten(l.headers[l.at[c]]))
				}
				l.problems = append(l.problems, keptProblem(c, kept, fmt.Sprintf("this header has columns that %s for another header: %s %s, and was %q there",
					v.kept.by(kept), c, is, kept.headers[c])))
				break // of one column once
			}
		}
	}
}

// keptProblem is of a column that was kept for this header, or for nearly this one.
func keptProblem(c column, kept *keptMap, message string) problem {
	return problem{column: c.String(), code: codeKeptNearly, value: kept.headers[c], option: readWithoutKept, message: message}
}

// settles reports whether the map says where the column is, or what the header is.
func (t *columnMap) settles(c column, header string) bool {
	return t.headers[c] != "" || slices.ContainsFunc(t.headers[:], func(h string) bool { return h != "" && headerKey(h) == headerKey(header) })
}

// reads reports whether the column is read from the header.
func (l *layout) reads(c column, header string) bool {
	return l.has(c) && headerKey(l.headers[l.at[c]]) == headerKey(header)
}

// keepable holds the header that was found against what is kept for it, and says
// what cannot be kept for it.
func (c *check) keepable(l *layout) error {
	keys := l.keys()
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

// keys are the names of the header, folded.
func (l *layout) keys() []string {
	keys := make([]string, len(l.headers))
	for i, header := range l.headers {
		keys[i] = headerKey(header)
	}
	return keys
}

// tellKept says what was kept for the header, and what is to be.
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
