package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// batchNote is the detail of a batch event, as JSON: of a step, a planning or an approval. It has
// the texts of the bank and of people, and no account number.
type batchNote struct {
	Payload   string              `json:"payload,omitempty"` // SHA-256
	Payouts   int                 `json:"payouts,omitempty"`
	Total     Paise               `json:"total,omitempty"`
	Attempt   int                 `json:"attempt,omitempty"`
	Outcome   Outcome             `json:"outcome,omitempty"`
	HTTP      int                 `json:"http_status,omitempty"`
	Code      string              `json:"code,omitempty"`
	Looked    string              `json:"looked,omitempty"`
	Observed  map[PayoutState]int `json:"observed,omitempty"`
	Person    string              `json:"person,omitempty"`
	Note      string              `json:"note,omitempty"`
	Attention Attention           `json:"attention,omitempty"`
}

// text returns the detail as JSON; "" for an empty note.
func (n batchNote) text() string {
	return strings.TrimSuffix(jsonText(n), "{}")
}

func (n batchNote) words() string {
	var parts phrases
	parts.add(n.Payload != "", "payload "+n.Payload)
	parts.add(n.Payouts > 0, CountedPayouts(n.Payouts)+" of "+n.Total.Rupees())
	parts.add(n.Attempt > 0, fmt.Sprintf("attempt %d", n.Attempt))
	parts.add(n.Outcome != "", "outcome "+string(n.Outcome))
	parts.add(n.HTTP != 0, fmt.Sprintf("HTTP %d", n.HTTP))
	parts.add(n.Code != "", "code "+n.Code)
	parts.add(n.Looked != "", "looked: "+n.Looked)
	parts.add(len(n.Observed) > 0, "observed "+CountStates(n.Observed))
	parts.add(n.Person != "", "by a person: "+n.Person)
	parts.add(n.Note != "", "note: "+n.Note)
	parts.add(n.Attention != "", "needs "+string(n.Attention))
	return strings.Join(parts, "; ")
}

// batchNote returns the note of a batch event; the zero note for another event.
func (e *Event) batchNote() (n batchNote) {
	if e.Detail == "" || json.Unmarshal([]byte(e.Detail), &n) != nil {
		return batchNote{}
	}
	return n
}

// LikeLocked reports whether the event says that a planned batch has a payout like a locked one.
func (e *Event) LikeLocked() bool {
	return e.Kind == EventObserved && e.batchNote().Attention == ToBeApproved
}

// payload returns the SHA-256 of the payload of an intent or an approval; "" if the event has none.
func (e *Event) payload() string { return e.batchNote().Payload }

// Reason returns the person's reason in a batch event; "" for none.
func (e *Event) Reason() string { return e.batchNote().Person }

// sheetNote is the detail of the event of a loaded sheet, as JSON.
type sheetNote struct {
	Name      string `json:"name"`
	SHA256    string `json:"sha256"`
	Rows      string `json:"rows"` // Sheet.RowsHash
	Accepted  Tally  `json:"accepted"`
	Rejected  Tally  `json:"rejected"`
	Corrected Tally  `json:"corrected,omitzero"`
}

func (n sheetNote) words() string {
	s := fmt.Sprintf("%s; sha256 %s; rows %s; %s of %s; %d rejected of %s", n.Name, n.SHA256, n.Rows,
		CountedPayouts(n.Accepted.Count), n.Accepted.Total.Rupees(), n.Rejected.Count, n.Rejected.Total.Rupees())
	if n.Corrected.Count > 0 {
		s += fmt.Sprintf("; %d corrected to %s", n.Corrected.Count, n.Corrected.Total.Rupees())
	}
	return s
}

// rowNote is the detail of the event of a payout that came with a row, as JSON: of a sheet that corrects it, or of the
// sheet that left it out.
type rowNote struct {
	Ref     string        `json:"ref"`
	Row     int           `json:"row"`
	SheetID string        `json:"sheet_id,omitempty"` // that left it out
	Changes []FieldChange `json:"changes,omitempty"`  // by the correction
}

func (n rowNote) words() string {
	s := fmt.Sprintf("%s: row %d", n.Ref, n.Row)
	if n.SheetID != "" {
		return s + " of " + n.SheetID + ", which was left out there"
	}
	return s + ": " + cmp.Or(ChangeWords(n.Changes), "nothing is changed")
}

// correction returns the note of a corrected payout's event; false for another event.
func (e *Event) correction() (n rowNote, is bool) {
	is = e.Kind == EventCorrected && json.Unmarshal([]byte(e.Detail), &n) == nil
	return n, is
}

// Corrects reports whether the event is of a row that changed a payout.
func (e *Event) Corrects() bool {
	n, is := e.correction()
	return is && len(n.Changes) > 0
}

// OfAnother reports whether the event of a batch is about one payout of it, and that is not the one with the
// reference.
func (e *Event) OfAnother(ref string) bool {
	n, is := e.correction()
	return is && n.Ref != ref
}

// ledgerNote is the detail of an event of the ledger as a whole, as JSON.
type ledgerNote struct {
	Ledger     string `json:"ledger,omitempty"`      // the id of a new one
	ExportedTo string `json:"exported_to,omitempty"` // the file of one that was moved
	Was        string `json:"was,omitempty"`         // why an accepted copy was not accepted before
	Person     string `json:"person,omitempty"`      // the reason to accept it
}

func (n ledgerNote) words() string {
	switch {
	case n.Ledger != "":
		return "ledger " + n.Ledger
	case n.ExportedTo != "":
		return "exported to " + n.ExportedTo
	}
	return n.Was + "; by a person: " + n.Person
}

// listingNote is the detail of the event of a list of the bank, as JSON.
type listingNote struct {
	List          string `json:"list"`
	SubMerchantID string `json:"sub_merchant_id,omitempty"`
	BankAccountID string `json:"bank_account_id,omitempty"`
	Part          bool   `json:"part,omitempty"` // not the whole list
	Listed        int    `json:"listed"`
}

func (n listingNote) words() string {
	what := phrases{n.List}
	what.add(n.SubMerchantID != "", " of "+n.SubMerchantID)
	what.add(n.BankAccountID != "", ", account "+n.BankAccountID)
	what.add(n.Part, ", in part")
	return fmt.Sprintf("%s: %d listed", strings.Join(what, ""), n.Listed)
}

// branchesNote is the detail of the event of an imported branch list, as JSON.
type branchesNote struct {
	Name     string `json:"name"`
	SHA256   string `json:"sha256"`
	Branches int    `json:"branches"`
}

func (n branchesNote) words() string {
	return fmt.Sprintf("%s; sha256 %s; %d branches", n.Name, n.SHA256, n.Branches)
}

// loginNote is the detail of the event of a Login, as JSON.
type loginNote struct {
	From string `json:"from"`
	What string `json:"what,omitempty"`
}

func (n loginNote) words() string {
	s := "at the desk, from " + n.From
	if n.What != "" {
		s += ": " + n.What
	}
	return s
}

func (v Environment) words() string {
	return "environment = " + v.Name + "; id_url at " + v.IDHost + "; base_url at " + v.BaseHost
}

func (n columnsNote) words() string {
	parts := ListOf(slices.Sorted(maps.Keys(n.Columns)), func(column string) string { return column + " = " + n.Columns[column] })
	return strings.Join(append(parts, "header "+n.Header), "; ")
}

func (p ReleaseApproval) words() string {
	s, shown := string(p.As), p.Saw().Attempts
	if len(shown) == 1 {
		s = shown[0].WireRef + " " + s
	} else if len(shown) > 1 {
		s = fmt.Sprintf("%d payouts %s", len(shown), s)
	}
	if s += ": " + p.Reason; p.Ticket != "" {
		s += "; bank ticket " + p.Ticket
	}
	return s
}

// worded is a detail that has words for people.
type worded interface{ words() string }

// saidAs reads a detail as the type that its kind of event has.
func saidAs[T worded](detail string) (string, bool) {
	var n T
	if err := json.Unmarshal([]byte(detail), &n); err != nil {
		return "", false
	}
	return n.words(), true
}

// Words describes an event for people: details are JSON.
func (e *Event) Words() string {
	if slices.Contains(PeopleKinds[:], e.Kind) {
		if c, err := e.PersonChange(); err == nil {
			return c.Words()
		}
	}
	if said := details[e.Kind]; said != nil {
		if words, ok := said(e.Detail); ok {
			return words
		}
	}
	return e.Detail
}

// details has, by kind of event, the function that reads its detail.
var details = func() map[string]func(detail string) (string, bool) {
	all := map[string]func(string) (string, bool){
		EventPolicySet: saidAs[PolicyChange], EventPolicyProposed: saidAs[PolicyChange],
		EventStatementRead: saidAs[readingNote],
		EventVoidAsked:     saidAs[decisionNote], EventVoided: saidAs[decisionNote], EventExplainAsked: saidAs[decisionNote], EventExplained: saidAs[decisionNote],
		EventSheetLoaded: saidAs[sheetNote], EventEnvironment: saidAs[Environment], EventCommented: saidAs[Comment],
		EventColumnsKept: saidAs[columnsNote], EventColumnsForgotten: saidAs[columnsNote],
		EventReleaseAsked: saidAs[ReleaseApproval], EventReleased: saidAs[ReleaseApproval],
		EventCorrected: saidAs[rowNote], EventBroughtBack: saidAs[rowNote],
		EventCreated: saidAs[ledgerNote], EventMoved: saidAs[ledgerNote], EventRestored: saidAs[ledgerNote],
		EventBankListed: saidAs[listingNote], EventBranchesLoaded: saidAs[branchesNote],
		EventPlanned: saidAs[batchNote], EventApproved: saidAs[batchNote], EventSentBack: saidAs[batchNote], EventObserved: saidAs[batchNote], EventDealtWith: saidAs[batchNote],
	}
	for _, kind := range LoginKinds {
		all[kind] = saidAs[loginNote]
	}
	for _, e := range BatchEvents {
		if all[string(e)] = saidAs[batchNote]; e.Released() {
			all[string(e)] = saidAs[ReleaseApproval]
		}
	}
	return all
}()
