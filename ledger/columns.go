package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// KeptColumns are the columns that a person chose for a sheet, kept for later sheets with
// exactly the same header.
type KeptColumns struct {
	Header  string            // a SHA-256 of the header, lower-case hex; the caller defines what it covers
	Columns map[string]string // canonical name → header; nil if a person deleted them
	SheetID string            // the sheet that was read with them
	Actor   string            // who loaded it
	At      time.Time
	Seq     int64 // of its event; 0 if it has none yet
}

// columnsNote is the detail of a columns event, as JSON. Without columns, the event deletes
// them.
type columnsNote struct {
	Columns map[string]string `json:"columns,omitempty"`
	Header  string            `json:"header"`
}

// event returns its audit event; Replay reads it back.
func (k *KeptColumns) event() Event {
	kind := map[bool]string{true: EventColumnsKept, false: EventColumnsForgotten}[k.Columns != nil]
	return Event{At: k.At, Actor: k.Actor, Kind: kind, SheetID: k.SheetID, Detail: jsonText(columnsNote{k.Columns, k.Header})}
}

// keptColumns reads back an event.
func (e *Event) keptColumns() (KeptColumns, error) {
	k := KeptColumns{SheetID: e.SheetID, Actor: e.Actor, At: e.At, Seq: e.Seq}
	var n columnsNote
	if err := json.Unmarshal([]byte(e.Detail), &n); err != nil {
		return k, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	k.Columns, k.Header = n.Columns, n.Header
	if said := k.event(); said.Kind != e.Kind || said.Detail != e.Detail || !IsSHA256(k.Header) {
		return k, fmt.Errorf("event %d does not say which columns are kept as payrun does", e.Seq)
	}
	return k, nil
}

// ColumnsTrail has the columns kept for each header, built from the audit trail event by event.
// The zero value has none.
type ColumnsTrail map[string]KeptColumns

// Newest lists the columns of every header, the newest first.
func (t ColumnsTrail) Newest() []KeptColumns {
	return slices.SortedFunc(maps.Values(t), func(a, b KeptColumns) int { return cmp.Compare(b.Seq, a.Seq) })
}

// Decide returns the event of a decision about columns. news is false if it changes nothing.
func (t ColumnsTrail) Decide(k KeptColumns) (e Event, news bool) {
	if now := t[k.Header]; maps.Equal(now.Columns, k.Columns) {
		return e, false
	}
	return k.event(), true
}

// Replay takes the next event of the audit trail and ignores events that are not about columns.
// If the event cannot have happened, it returns an error and changes nothing.
func (t *ColumnsTrail) Replay(e Event) error {
	if e.Kind != EventColumnsKept && e.Kind != EventColumnsForgotten {
		return nil
	}
	k, err := e.keptColumns()
	if err != nil {
		return err
	}
	if _, kept := (*t)[k.Header]; k.Columns == nil && !kept {
		return fmt.Errorf("event %d forgets columns that were never kept", e.Seq)
	}
	if *t == nil {
		*t = ColumnsTrail{}
	}
	if (*t)[k.Header] = k; k.Columns == nil {
		delete(*t, k.Header)
	}
	return nil
}

// IsSHA256 reports whether a text is a SHA-256, in lower-case hex.
func IsSHA256(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}
