//go:build unix

package killtest

import (
	"bufio"
	"encoding/json"
	"strings"

	"payrun/ledger"
)

// view is what the program tells of its ledger.
type view struct {
	batches []batch
	payouts []payout          // latest attempts
	sheets  map[string]string // name to id
}

type batch struct {
	ID          string            `json:"id"`
	State       ledger.BatchState `json:"state"`
	Account     string            `json:"bank_account_id"`
	SheetID     string            `json:"sheet_id"`
	NeedsPerson bool              `json:"needs_person"`
	Note        string            `json:"note"`
}

type payout struct {
	Ref     string             `json:"ref"`
	WireRef string             `json:"wire_ref"`
	Attempt int                `json:"attempt"`
	SheetID string             `json:"sheet_id"`
	BatchID string             `json:"batch_id"`
	Amount  string             `json:"amount"`
	State   ledger.PayoutState `json:"state"`
}

// view asks status and payouts. A sheet is loaded when a payout of it is there:
// that all of them are is for complete to say.
func (d *desk) view() view {
	d.t.Helper()
	v := view{batches: d.batches(), payouts: d.payouts(), sheets: map[string]string{}}
	for _, p := range v.payouts {
		v.sheets[sheetOf(p.Ref)] = p.SheetID
	}
	return v
}

func (d *desk) batches() []batch {
	d.t.Helper()
	var status struct {
		Batches []batch `json:"batches"`
	}
	d.decode(d.must(0, "status").out, &status)
	return status.Batches
}

func (d *desk) payouts(flags ...string) []payout {
	d.t.Helper()
	return lines[payout](d, append([]string{"payouts"}, flags...)...)
}

// lines runs a command that prints JSON lines.
func lines[T any](d *desk, args ...string) []T {
	d.t.Helper()
	var all []T
	scan := bufio.NewScanner(strings.NewReader(d.must(0, args...).out))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var one T
		d.decode(scan.Text(), &one)
		all = append(all, one)
	}
	return all
}

func (d *desk) decode(text string, into any) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		d.t.Fatalf("%v in %q", err, text)
	}
}

// in returns the batches in any of the states.
func (v view) in(states ...ledger.BatchState) []batch {
	var found []batch
	for _, b := range v.batches {
		for _, s := range states {
			if b.State == s {
				found = append(found, b)
			}
		}
	}
	return found
}

// state returns where a batch is, "" when it is not there.
func (v view) state(id string) ledger.BatchState {
	for _, b := range v.batches {
		if b.ID == id {
			return b.State
		}
	}
	return ""
}

// cutOff counts calls that have an intent and no outcome.
func (v view) cutOff() int { return len(v.in(ledger.BatchInitiating, ledger.BatchSubmitting)) }

// retryable lists the sheets that have payouts a person may plan again.
func (v view) retryable() []string {
	var ids []string
	seen := map[string]bool{}
	for _, p := range v.payouts {
		if p.State.Retryable() && !seen[p.SheetID] {
			seen[p.SheetID] = true
			ids = append(ids, p.SheetID)
		}
	}
	return ids
}
