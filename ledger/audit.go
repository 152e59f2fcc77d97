package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Kinds of audit events beside those of the batches' machine.
const (
	EventCreated         = "ledger_created"
	EventSheetLoaded     = "sheet_loaded"
	EventPlanned         = "batch_planned"
	EventCorrected       = "payout_corrected" // a further attempt sends what a row of a later sheet says
	EventBroughtBack     = "row_brought_back" // a row that was left out of a sheet came with this one, as a payout
	EventObserved        = "observed"         // something was observed or noted, and the batch stays where it is
	EventApproved        = "approved"
	EventSentBack        = "sent_back"         // a person sent a planned batch back: it is not initiated before one approves it
	EventCommented       = "commented"         // a person said something about a sheet
	EventReleaseAsked    = "release_asked"     // one person asked for a release; another one has to
	EventReleased        = "released"          // two people released a lock, or closed a payout as paid
	EventRestored        = "restored_accepted" // a person accepted a ledger that is behind its mark
	EventMoved           = "moved"             // the ledger goes on elsewhere: nothing is recorded behind it
	EventDealtWith       = "dealt_with"        // a person said that a refusal is dealt with
	EventBranchesLoaded  = "branch_list_imported"
	EventPolicySet       = "policy_set"
	EventPolicyProposed  = "policy_proposed"       // to lower it, for another person to carry out
	EventEnvironment     = "environment_confirmed" // by the bank before the first initiate; by a person where id_url and base_url are on different hosts
	EventBankListed      = "bank_listed"           // its accounts or beneficiaries
	EventStatementRead   = "statement_read"        // from the interface or from a file
	EventVoidAsked       = "statement_void_asked"  // a person said that a file is void, for another one to say the same
	EventVoided          = "statement_voided"
	EventExplainAsked    = "statement_explain_asked" // a person said whose lines of a statement are
	EventExplained       = "statement_explained"
	EventPersonAdded     = "person_added"   // somebody may use the desk
	EventPersonChanged   = "person_changed" // other roles, or a new one-time link
	EventPersonRemoved   = "person_removed"
	EventPersonConfirmed = "person_confirmed" // another admin confirmed what somebody was given
	EventGrantTakenBack  = "grant_taken_back" // what waited for another admin waits no longer
	EventPasswordSet     = "password_set"     // by a one-time link, or by who had another before
	EventFactorAdded     = "factor_added"     // a person proves themselves with it too
	EventFactorRemoved   = "factor_removed"
	EventLoggedIn        = "logged_in"     // at the desk
	EventLoginRefused    = "login_refused" // a wrong password, or nobody's name
	EventLoggedOut       = "logged_out"
	EventProofWanted     = "proof_wanted"          // a decision at the desk that came with too old a proof: it was not looked at
	EventNotDecided      = "decision_refused"      // one that was looked at, and not taken
	EventNumbersGiven    = "account_numbers_given" // in full, of the payouts of a run of reports

	EventColumnsKept      = "columns_kept"      // what a person chose the columns of a sheet to be, for all with its header
	EventColumnsForgotten = "columns_forgotten" // no longer
)

// EventFilter selects events of the audit trail; the zero value all of them.
type EventFilter struct {
	Actor        string    // in any case
	Kind         string    // one of the above
	About        string    // how the id of its batch or sheet begins
	Since, Until time.Time // at or after the one and before the other; zero: no bound
	Before       int64     // before the event of this number; 0: up to the newest
	Most         int       // the newest so many; 0: all
}

// CreatedEvent is the first event of a ledger.
func CreatedEvent(ledgerID, actor string, at time.Time) Event {
	return Event{At: at, Actor: actor, Kind: EventCreated, Detail: "ledger " + ledgerID}
}

// LoadedEvent is what the audit trail says of a sheet, with how its bytes were
// read; nil where they are not kept.
func (s Sheet) LoadedEvent(r *ReadOptions) Event {
	detail := jsonText(sheetNote{s.Name, s.SHA256, s.RowsHash, s.Accepted, s.Rejected, s.Corrected})
	return Event{At: s.LoadedAt, Actor: s.LoadedBy, Kind: EventSheetLoaded, SheetID: s.ID, Digest: s.Digest(r).String(), Detail: detail}
}

// Event is what the audit trail says of an approval of b.
func (a Approval) Event(b Batch) Event {
	return Event{At: a.At, Actor: a.Actor, Kind: EventApproved, SheetID: b.SheetID, BatchID: b.ID,
		Detail: batchNote{Payload: a.PayloadSHA256, Payouts: b.Count, Total: b.Total}.text()}
}

// Event is what the audit trail says of one person's word in a release of b, as JSON.
func (p ReleaseApproval) Event(b Batch) Event {
	kind := EventReleaseAsked
	if p.Carried {
		kind = EventReleased
	}
	return Event{At: p.At, Actor: p.Actor, Kind: kind, SheetID: b.SheetID, BatchID: b.ID, Detail: p.detail()}
}

// detail is the word as JSON, without the number that it has only once it is recorded.
func (p ReleaseApproval) detail() string {
	p.No, p.At, p.BankTime = 0, p.At.UTC().Truncate(time.Microsecond), p.BankTime.UTC().Truncate(time.Microsecond)
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings, numbers and times alone
	}
	return string(text)
}

// Chain is the audit chain as far as it was followed: its newest event. The
// zero Head is that of a ledger without events.
type Chain struct {
	LedgerID string // what the first event is chained to
	Proof    string // of whoever acts, for the events that are appended; "" at a terminal
	Head     AuditHead
}

// Append gives the event its number, moment and hash, and returns it. At is
// kept to the microsecond, and Proof is the chain's.
func (c *Chain) Append(e Event) Event {
	e.Proof = c.Proof
	e.Seq, e.At = c.Head.Length+1, e.At.UTC().Truncate(time.Microsecond)
	e.Hash = c.hash(e)
	c.Head = AuditHead{Length: e.Seq, Hash: e.Hash, At: e.At}
	return e
}

// Replay takes the next recorded event, and reports in words what of it is not
// as it was recorded.
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

// hash is SHA-256 over the previous hash, or for the first event the ledger's
// id, and every field of the event, each with its length before it, so that
// nothing can be moved from one field to the next.
func (c *Chain) hash(e Event) string {
	prev := c.Head.Hash
	if c.Head.Length == 0 {
		prev = c.LedgerID
	}
	b := make([]byte, 0, 512) // most events fit, and take no room of their own
	number := func(n int64) { b = binary.BigEndian.AppendUint64(b, uint64(n)) }
	text := func(s string) { number(int64(len(s))); b = append(b, s...) }
	text(prev)
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
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Leads returns where the event takes a batch that stands in from, or why it
// cannot have happened to it.
func (e *Event) Leads(from BatchState) (BatchState, error) {
	switch e.Kind {
	case EventPlanned:
		return BatchPlanned, nil
	case EventCreated, EventSheetLoaded, EventCorrected, EventBroughtBack, EventObserved, EventBranchesLoaded, EventStatementRead, EventBankListed,
		EventPersonAdded, EventPersonChanged, EventPersonRemoved, EventPersonConfirmed, EventGrantTakenBack, EventPasswordSet, EventFactorAdded, EventFactorRemoved, EventLoggedIn, EventLoginRefused, EventLoggedOut, EventProofWanted, EventNotDecided, EventNumbersGiven:
		return from, nil
	case EventApproved, EventSentBack, EventCommented, EventReleaseAsked, EventReleased, EventRestored, EventMoved, EventDealtWith, EventPolicySet, EventPolicyProposed, EventEnvironment, EventColumnsKept, EventColumnsForgotten,
		EventVoidAsked, EventVoided, EventExplainAsked, EventExplained: // words of people, which move nothing
		return from, nil
	}
	return from.Next(BatchEvent(e.Kind))
}
