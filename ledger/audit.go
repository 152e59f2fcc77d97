package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// Kinds of audit events, in addition to the events of the batch state machine.
const (
	EventCreated         = "ledger_created"
	EventSheetLoaded     = "sheet_loaded"
	EventPlanned         = "batch_planned"
	EventCorrected       = "payout_corrected" // the next attempt sends what a row of a later sheet says
	EventBroughtBack     = "row_brought_back" // a row that was left out of an earlier sheet became a payout of this one
	EventObserved        = "observed"         // something was observed or noted; the batch keeps its state
	EventApproved        = "approved"
	EventSentBack        = "sent_back"         // a person sent a planned batch back: it is not initiated until another approves it
	EventCommented       = "commented"         // a person commented on a sheet
	EventReleaseAsked    = "release_asked"     // one person asked for a release; a second one must confirm it
	EventReleased        = "released"          // two people released a lock, or closed a payout as paid
	EventRestored        = "restored_accepted" // a person accepted a ledger that is behind its mark
	EventMoved           = "moved"             // the ledger continues elsewhere: nothing more is recorded in this one
	EventDealtWith       = "dealt_with"        // a person acknowledged a refusal
	EventBranchesLoaded  = "branch_list_imported"
	EventPolicySet       = "policy_set"
	EventPolicyProposed  = "policy_proposed"       // to lower it; another person carries it out
	EventEnvironment     = "environment_confirmed" // by the bank before the first initiate; by a person if id_url and base_url are on different hosts
	EventBankListed      = "bank_listed"           // its accounts or beneficiaries
	EventStatementRead   = "statement_read"        // from the interface or from a file
	EventVoidAsked       = "statement_void_asked"  // a person proposed to void a file; another must confirm it
	EventVoided          = "statement_voided"
	EventExplainAsked    = "statement_explain_asked" // a person assigned lines of a statement
	EventExplained       = "statement_explained"
	EventPersonAdded     = "person_added"   // a person was given access to the desk
	EventPersonChanged   = "person_changed" // other roles, or a new one-time link
	EventPersonRemoved   = "person_removed"
	EventPersonConfirmed = "person_confirmed" // another admin confirmed what a person was given
	EventGrantTakenBack  = "grant_taken_back" // a grant that waited for another admin was withdrawn
	EventPasswordSet     = "password_set"     // by a one-time link, or by a person who had a password before
	EventFactorAdded     = "factor_added"     // a further way for a person to sign in
	EventFactorRemoved   = "factor_removed"
	EventLoggedIn        = "logged_in"     // at the desk
	EventLoginRefused    = "login_refused" // a wrong password, or an unknown name
	EventLoggedOut       = "logged_out"
	EventProofWanted     = "proof_wanted"          // a decision at the desk whose proof was too old; it was not examined
	EventNotDecided      = "decision_refused"      // a decision that was examined and refused
	EventNumbersGiven    = "account_numbers_given" // in full, for the payouts of a run of reports

	EventColumnsKept      = "columns_kept"      // the columns a person chose for a sheet, kept for every sheet with its header
	EventColumnsForgotten = "columns_forgotten" // the kept columns are deleted
)

// EventFilter selects events of the audit trail. The zero value selects all.
type EventFilter struct {
	Actor        string    // in any case
	Kind         string    // one of the above
	About        string    // prefix of the id of its batch or sheet
	Since, Until time.Time // Since inclusive, Until exclusive; zero: no bound
	After        int64     // only events after this number; 0: no bound
	Before       int64     // only events before this number; 0: no bound
	Most         int       // maximum number of events, the newest; 0: all
}

// CreatedEvent returns the first event of a ledger.
func CreatedEvent(ledgerID, actor string, at time.Time) Event {
	return Event{At: at, Actor: actor, Kind: EventCreated, Detail: jsonText(ledgerNote{Ledger: ledgerID})}
}

// MovedEvent returns the last event of a ledger that goes on where file is imported.
func MovedEvent(file, actor string, at time.Time) Event {
	return Event{At: at, Actor: actor, Kind: EventMoved, Detail: jsonText(ledgerNote{ExportedTo: file})}
}

// RestoredEvent returns the event of a person who accepts a ledger that may not be the newest. was says why it was
// not accepted before.
func RestoredEvent(was, reason, actor string, at time.Time) Event {
	return Event{At: at, Actor: actor, Kind: EventRestored, Detail: jsonText(ledgerNote{Was: was, Person: reason})}
}

// LoadedEvent returns the audit event of a sheet. r says how its bytes were read; nil if they
// are not kept.
func (s Sheet) LoadedEvent(r *ReadOptions) Event {
	detail := jsonText(sheetNote{s.Name, s.SHA256, s.RowsHash, s.Accepted, s.Rejected, s.Corrected})
	return Event{At: s.LoadedAt, Actor: s.LoadedBy, Kind: EventSheetLoaded, SheetID: s.ID, Digest: s.Digest(r).String(), Detail: detail}
}

// Event returns the audit event of one person's part in a release of b. Its detail is JSON.
func (p ReleaseApproval) Event(b Batch) Event {
	kind := map[bool]string{false: EventReleaseAsked, true: EventReleased}[p.Carried]
	return Event{At: p.At, Actor: p.Actor, Kind: kind, SheetID: b.SheetID, BatchID: b.ID, Detail: p.detail()}
}

// detail is the approval as JSON, without its number: it has none until it is recorded.
func (p ReleaseApproval) detail() string {
	p.No, p.At, p.BankTime = 0, p.At.UTC().Truncate(time.Microsecond), p.BankTime.UTC().Truncate(time.Microsecond)
	return jsonText(p)
}

// Chain is the audit chain up to the newest event read so far. A ledger without events has the
// zero Head.
type Chain struct {
	LedgerID string // takes the place of the previous hash for the first event
	Proof    string // Event.Proof of the events that are appended; "" at a terminal
	Head     AuditHead
}

// Append adds e to the chain. It returns it with its number and hash, its time cut to the
// microsecond, and the chain's Proof.
func (c *Chain) Append(e Event) Event {
	e.Proof = c.Proof
	e.Seq, e.At = c.Head.Length+1, e.At.UTC().Truncate(time.Microsecond)
	e.Hash = c.hash(e)
	c.Head = AuditHead{Length: e.Seq, Hash: e.Hash, At: e.At}
	return e
}

// Replay takes the next recorded event. It returns in words what is wrong with its number or its
// hash.
func (c *Chain) Replay(e Event) (wrong []string) {
	if e.Seq != c.Head.Length+1 {
		wrong = append(wrong, fmt.Sprintf("after event %d comes %d", c.Head.Length, e.Seq))
	}
	if e.Hash != c.hash(e) {
		wrong = append(wrong, fmt.Sprintf("event %d is not what was recorded", e.Seq))
	}
	c.Head = AuditHead{Length: e.Seq, Hash: e.Hash, At: e.At}
	return wrong
}

// hash is SHA-256 over the previous hash (for the first event, the ledger's id) and every field
// of the event, each preceded by its length, so that bytes cannot move from one field to the
// next.
func (c *Chain) hash(e Event) string {
	b := make([]byte, 0, 512) // most events fit, so this needs no allocation
	number := func(n int64) { b = binary.BigEndian.AppendUint64(b, uint64(n)) }
	text := func(s string) { number(int64(len(s))); b = append(b, s...) }
	text(cmp.Or(c.Head.Hash, c.LedgerID))
	number(e.Seq)
	number(e.At.UnixMicro())
	text(e.Actor)
	text(e.Kind)
	text(e.SheetID)
	text(e.BatchID)
	text(e.Detail)
	text(e.Digest)
	text(e.StateDigest)
	text(e.Proof)
	return Digest(sha256.Sum256(b)).String()
}

// Leads returns the state to which the event takes a batch in state from. It returns
// ErrTransition if the event cannot happen to such a batch.
func (e *Event) Leads(from BatchState) (BatchState, error) {
	event := BatchEvent(e.Kind)
	switch {
	case e.Kind == EventPlanned:
		return BatchPlanned, nil
	case details[e.Kind] != nil && !slices.Contains(BatchEvents[:], event), slices.Contains(PeopleKinds[:], e.Kind):
		return from, nil
	}
	return from.Next(event)
}
