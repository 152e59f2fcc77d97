package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// KeptColumns is what a person who loaded a sheet chose its columns to be, kept for
// the sheets that have the same header, exactly.
type KeptColumns struct {
	Header  string            // a SHA-256 of the header, lower-case hex; whoever reads headers says of what
	Columns map[string]string // canonical name → header; nil where a person had them forgotten
	SheetID string            // of the sheet that was read so
	Actor   string            // who loaded it
	At      time.Time
	Seq     int64 // of its event; 0 where it is none yet
}

// Limits of what is kept: a column of each name with some to spare, and of a header
// what validate reads as a name.
const (
	mostKeptColumns = 32
	longestColumn   = 40 // bytes
	longestHeader   = 300
)

// possible says why no sheet can have been read so; nil where one can.
func (k *KeptColumns) possible() error {
	if len(k.Header) != 64 || strings.Trim(k.Header, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is not the SHA-256 of a header", k.Header)
	}
	if k.Columns != nil && len(k.Columns) == 0 || len(k.Columns) > mostKeptColumns {
		return fmt.Errorf("columns are kept for a header, and are %d", len(k.Columns))
	}
	seen := map[string]bool{}
	for name, header := range k.Columns {
		switch {
		case name == "" || len(name) > longestColumn || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "":
			return fmt.Errorf("%q is no name of a column", name)
		case strings.TrimSpace(header) == "" || len(header) > longestHeader || !utf8.ValidString(header):
			return fmt.Errorf("the header that is kept for %s cannot be one", name)
		case seen[header]:
			return fmt.Errorf("the header %q is kept for two columns", header)
		}
		seen[header] = true
	}
	return nil
}

// columnsNote is the detail of an event of columns, as JSON; without columns they are
// forgotten.
type columnsNote struct {
	Columns map[string]string `json:"columns,omitempty"`
	Header  string            `json:"header"`
}

// event is what the audit trail says of it; Replay reads it back.
func (k *KeptColumns) event() Event {
	e := Event{At: k.At, Actor: k.Actor, Kind: EventColumnsForgotten, SheetID: k.SheetID, Detail: jsonText(columnsNote{k.Columns, k.Header})}
	if k.Columns != nil {
		e.Kind = EventColumnsKept
	}
	return e
}

// keptColumns reads back what an event says.
func (e *Event) keptColumns() (KeptColumns, error) {
	k := KeptColumns{SheetID: e.SheetID, Actor: e.Actor, At: e.At, Seq: e.Seq}
	var n columnsNote
	if err := json.Unmarshal([]byte(e.Detail), &n); err != nil {
		return k, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	k.Columns, k.Header = n.Columns, n.Header
	if err := k.possible(); err != nil {
		return k, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if said := k.event(); said.Kind != e.Kind || said.Detail != e.Detail {
		return k, fmt.Errorf("event %d does not say what is kept of columns as payrun does", e.Seq)
	}
	return k, nil
}

// ColumnsTrail is which columns are kept for which header, as the audit trail tells it,
// event by event. The zero value keeps none.
type ColumnsTrail struct{ byHeader map[string]KeptColumns }

// Of returns what is kept for the sheets with a header.
func (t ColumnsTrail) Of(header string) (k KeptColumns, ok bool) {
	k, ok = t.byHeader[header]
	return k, ok
}

// Newest lists what is kept for every header, the newest first.
func (t ColumnsTrail) Newest() []KeptColumns {
	return slices.SortedFunc(maps.Values(t.byHeader), func(a, b KeptColumns) int { return cmp.Compare(b.Seq, a.Seq) })
}

// Decide returns the event that a word about columns is; none where it is so already.
func (t ColumnsTrail) Decide(k KeptColumns) (e Event, news bool, err error) {
	if err := k.possible(); err != nil {
		return e, false, err
	}
	if now := t.byHeader[k.Header]; maps.Equal(now.Columns, k.Columns) {
		return e, false, nil
	}
	return k.event(), true, nil
}

// Replay takes the next event of the audit trail; those that are not about columns
// change nothing. The error is that the event cannot have happened: then it is not
// followed.
func (t *ColumnsTrail) Replay(e Event) error {
	if e.Kind != EventColumnsKept && e.Kind != EventColumnsForgotten {
		return nil
	}
	k, err := e.keptColumns()
	if err != nil {
		return err
	}
	if _, kept := t.byHeader[k.Header]; k.Columns == nil && !kept {
		return fmt.Errorf("event %d forgets columns that were never kept", e.Seq)
	}
	if t.byHeader == nil {
		t.byHeader = map[string]KeptColumns{}
	}
	if k.Columns == nil {
		delete(t.byHeader, k.Header)
	} else {
		t.byHeader[k.Header] = k
	}
	return nil
}
