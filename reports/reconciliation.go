package reports

import (
	"bufio"
	"cmp"
	"encoding/json"
	"maps"
	"strings"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports/folder"
)

// reconcileSchema names the document (contract.md, "JSON").
const reconcileSchema = "payrun.reconcile/v1"

type sheetJSON struct {
	ID        string       `json:"id"`
	Name      string       `json:"name"`
	SHA256    string       `json:"sha256"`
	Rows      int          `json:"rows"`
	Blank     int          `json:"blank"`
	Total     ledger.Paise `json:"total"`
	Accepted  ledger.Tally `json:"accepted"`
	Rejected  ledger.Tally `json:"rejected"`
	Corrected ledger.Tally `json:"corrected,omitzero"` // rows that correct payouts of earlier sheets
	LoadedAt  string       `json:"loaded_at"`
	TiesOut   bool         `json:"ties_out"`
}

type bookedJSON struct {
	BankAccountID string                   `json:"bank_account_id"`
	Name          string                   `json:"name"`
	Paid          ledger.Tally             `json:"paid"`
	Matched       ledger.Tally             `json:"matched"`
	MatchedBy     map[ledger.MatchedBy]int `json:"matched_by"` // all five
	Others        ledger.Tally             `json:"others"`
	Unexplained   ledger.Paise             `json:"unexplained"`
	NewestEntry   string                   `json:"newest_entry"`
	RequestIDs    []string                 `json:"request_ids"` // of statements that the bank promised, or that had no entries
}

// bookedAccounts returns what the statements say about each debit account.
func (s *Snapshot) bookedAccounts(r *reconcile.Result) []bookedJSON {
	list := make([]bookedJSON, 0, len(r.Accounts))
	for _, a := range r.Accounts {
		by := map[ledger.MatchedBy]int{ledger.MatchedByUTR: 0, ledger.MatchedByReference: 0, ledger.MatchedByAmount: 0, ledger.MatchedByBatch: 0, ledger.MatchedByPeople: 0}
		maps.Copy(by, a.By)
		list = append(list, bookedJSON{BankAccountID: a.BankAccountID, Name: s.account(a.BankAccountID), Paid: a.Sent, Matched: a.Matched, MatchedBy: by, Others: a.Others,
			Unexplained: a.Unexplained, NewestEntry: a.Newest, RequestIDs: append([]string{}, a.RequestIDs...)})
	}
	return list
}

// writeJSON writes reconciliation.json, with a line for each field and for each element of the long lists.
// Fields are only ever added.
func writeJSON(dir *folder.Folder, s *Snapshot, g *gathered) error {
	f, err := dir.Create(JSONFile)
	if err != nil {
		return err
	}
	doc := &jsonDocument{w: f.Writer}
	doc.field("schema", reconcileSchema)
	doc.field("scope", s.named(strings.Join(s.SheetIDs, ","), s.Zone, " "))
	doc.field("environment", s.Environment)
	doc.field("merchant", s.Merchant)
	doc.field("written_by", s.By)
	tallies := map[ledger.PayoutState]ledger.Tally{} // only states that occur (contract.md, "JSON": "payouts")
	for state, p := range g.states {
		tallies[state] = p.all
	}
	doc.field("payouts", tallies)
	doc.field("in_doubt", g.by[inDoubt]) // a state alone does not say that the answer to a submit was lost
	tied := g.ties(s)
	matched, unexplained := g.matched(), g.unexplained(tied.Accepted)
	witnesses, statements := []string{"sheet", "interface"}, "not_fetched"
	if s.Statements != nil && s.Statements.Compared {
		matched, unexplained = g.statements.On, g.totals.unexplainedBalances(s)
		witnesses, statements = append(witnesses, "statement"), "matched"
	}
	booked := s.statements()
	doc.field("matched", matched)
	doc.field("matched_against", witnesses)
	doc.field("statements", statements)
	if booked != nil {
		doc.field("accounts", s.bookedAccounts(booked))
	}
	doc.field("pairs", g.pairs(s))
	doc.list("exceptions", func() error { return g.jsonLines.CopyTo(f) })
	doc.field("unexplained", unexplained)
	doc.field("reports", Files())
	doc.list("sheets", func() error { return writeList(f.Writer, s.sheets, g.totals.sheetJSON) })
	doc.list("batches", func() error { return writeList(f.Writer, s.batches, statusOf) })
	doc.field("ties", tied)
	doc.field("audit", s.head)
	return doc.close()
}

func (t *totals) sheetJSON(h ledger.Sheet) any {
	return sheetJSON{
		ID: h.ID, Name: h.Name, SHA256: h.SHA256, Rows: h.Rows, Blank: h.Blank, Total: h.Total,
		Accepted: h.Accepted, Rejected: h.Rejected, Corrected: h.Corrected, LoadedAt: ledger.Instant(h.LoadedAt), TiesOut: t.sheetTies(h),
	}
}

func statusOf(b ledger.Batch) any { return b.Status(b.Asks()) }

// writeList writes one line for each element.
func writeList[T any](w *bufio.Writer, list []T, element func(T) any) error {
	for i, v := range list {
		if err := writeListLine(w, element(v), i == 0); err != nil {
			return err
		}
	}
	return nil
}

// writeListLine writes one line of a JSON list. The first has no comma in front.
func writeListLine(w *bufio.Writer, element any, first bool) error {
	line, err := json.Marshal(element)
	if err != nil {
		return err
	}
	if !first {
		_, _ = w.WriteString(",")
	}
	_, _ = w.WriteString("\n  ")
	_, err = w.Write(line)
	return err
}

// jsonDocument writes one object field by field, so that no list is held in memory. It keeps the first error.
type jsonDocument struct {
	w      *bufio.Writer
	fields int
	err    error
}

func (d *jsonDocument) field(name string, value any) {
	text, err := json.Marshal(value)
	d.err = cmp.Or(d.err, err)
	d.begin(name)
	_, _ = d.w.Write(text)
}

func (d *jsonDocument) list(name string, lines func() error) {
	d.begin(name)
	_, _ = d.w.WriteString("[")
	d.err = cmp.Or(d.err, lines())
	_, _ = d.w.WriteString("]")
}

func (d *jsonDocument) begin(name string) {
	lead := ",\n"
	if d.fields == 0 {
		lead = "{\n"
	}
	d.fields++
	_, _ = d.w.WriteString(lead + ` "` + name + `": `)
}

// close ends the object. bufio keeps a failed write, so one Flush reports any.
func (d *jsonDocument) close() error {
	_, _ = d.w.WriteString("\n}\n")
	return cmp.Or(d.err, d.w.Flush())
}
