package reports

import (
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// bucket is where the money of a payout is, in the words of the summary.
type bucket int

const (
	paid    bucket = iota // the bank says success
	open                  // not with the payee, and not refused: on its way or waiting
	notPaid               // failed, came back, or was cancelled: a retry may be planned
	inDoubt               // it may or may not have been paid
	buckets
)

func (b bucket) String() string {
	return [...]string{"Paid", "Open", "Not paid", "In doubt"}[b]
}

// style in which a payout's state is written.
func (b bucket) style() xlsx.Style {
	return [...]xlsx.Style{xlsx.StylePaid, xlsx.StyleOpen, xlsx.StyleNotPaid, xlsx.StyleInDoubt}[b]
}

// colour of a bar, as six hexadecimal digits.
func (b bucket) colour() string {
	return [...]string{xlsx.PaidColour, xlsx.OpenColour, xlsx.NotPaidColour, xlsx.InDoubtColour}[b]
}

// kind names why a payout is an exception: why it is anything but paid.
// Kinds are stable, snake_case, and only ever added.
type kind string

const (
	kindNone            kind = "" // paid
	kindDisputed        kind = "disputed"
	kindSubmitUnknown   kind = "submit_unknown"
	kindQuarantined     kind = "quarantined"
	kindOverdue         kind = "overdue"
	kindUnknownStatus   kind = "unknown_status"
	kindBatch           kind = "batch_needs_person"
	kindReturned        kind = "returned"
	kindFailed          kind = "failed"
	kindHeld            kind = "held"
	kindCancelled       kind = "cancelled"
	kindPlanned         kind = "planned"
	kindInitiateUnknown kind = "initiate_unknown"
	kindOpen            kind = "open"
)

// kinds is the one table of exceptions, gravest first. BATCH in a fix stands
// for the batch id. Why is said where the ledger holds no reason of its own.
var kinds = [...]struct {
	kind    kind
	title   string
	where   bucket
	person  bool // it waits for a person, not for the bank
	why, do string
}{
	{kindDisputed, "Disputed", inDoubt, true,
		"the bank contradicts itself",
		"Do not pay it again. Ask the bank, naming the UTR or the service's payout id, whether the money moved; until then it stays locked."},
	{kindSubmitUnknown, "Outcome unknown", inDoubt, true,
		"the batch was submitted and no answer could be read: it may have paid",
		"Never send it again. Run: payrun poll BATCH. When it stays unknown past poll.overdue_after, decide with the bank's help: payrun resolve BATCH."},
	{kindQuarantined, "Quarantined", open, true,
		"the bank's answer does not match what was sent; the batch is never submitted",
		"Compare the batch with the bank's answer, then: payrun abandon BATCH --reason TEXT, and payrun retry BATCH."},
	{kindOverdue, "Overdue", open, true,
		"the bank has not finished it in time",
		"Ask the bank about it, naming the service's payout id, and run: payrun poll BATCH."},
	{kindUnknownStatus, "Unknown status", open, true,
		"the bank reports a status that its interface does not list",
		"Ask the bank what the status means. It stays open; run: payrun poll BATCH."},
	{kindBatch, "Batch needs a person", open, true,
		"the batch is marked for a person",
		"Read the batch's note, ask the bank where they differ, and run: payrun poll BATCH."},
	{kindReturned, "Came back", notPaid, true,
		"paid, then returned by the beneficiary's bank",
		"Confirm account number and IFSC with the payee, then plan a new attempt: payrun retry BATCH."},
	{kindFailed, "Failed", notPaid, true,
		"the bank says not paid",
		"Settle the reason with the payee or the bank, then plan a new attempt: payrun retry BATCH."},
	{kindHeld, "Held for its OTP", open, true,
		"the bank holds the batch until its OTP is entered",
		"Enter the OTP: payrun submit BATCH."},
	{kindCancelled, "Cancelled", notPaid, true,
		"its batch was refused or given up before it could pay",
		"Plan a new attempt: payrun retry BATCH; or leave it unpaid."},
	{kindPlanned, "Not sent yet", open, true,
		"planned; nothing was sent",
		"Initiate it: payrun initiate BATCH."},
	{kindInitiateUnknown, "Initiate unanswered", open, false,
		"initiate was sent and no answer could be read; it cannot pay without an OTP",
		"Nothing to decide. Run: payrun poll BATCH; after doubt.quiet it is planned anew."},
	{kindOpen, "At the bank", open, false,
		"the bank works on it",
		"Wait, and run: payrun poll BATCH."},
}

func (k kind) index() int {
	for i := range kinds {
		if kinds[i].kind == k {
			return i
		}
	}
	return -1
}

func (k kind) where() bucket {
	if k == kindNone {
		return paid
	}
	return kinds[k.index()].where
}

func (k kind) title() string     { return kinds[k.index()].title }
func (k kind) why() string       { return kinds[k.index()].why }
func (k kind) needsPerson() bool { return kinds[k.index()].person }

// fix says what to do, for one batch; "" leaves the word BATCH.
func (k kind) fix(batchID string) string {
	if batchID == "" {
		return kinds[k.index()].do
	}
	return strings.ReplaceAll(kinds[k.index()].do, "BATCH", batchID)
}

// classify tells why the payout is an exception, from its latest attempt and
// that attempt's batch. Every state but success is one; what the bank's word
// cannot decide, the batch's state does.
func classify(a ledger.Attempt, b ledger.Batch) kind {
	switch a.State {
	case ledger.PayoutSuccess:
		return kindNone
	case ledger.PayoutDisputed:
		return kindDisputed
	case ledger.PayoutReturned:
		return kindReturned
	case ledger.PayoutFailed:
		return kindFailed
	case ledger.PayoutCancelled:
		return kindCancelled
	}
	switch b.State {
	case ledger.BatchSubmitting, ledger.BatchSubmitUnknown:
		return kindSubmitUnknown
	case ledger.BatchQuarantined:
		return kindQuarantined
	case ledger.BatchHeld:
		return kindHeld
	case ledger.BatchPlanned:
		return kindPlanned
	case ledger.BatchInitiating, ledger.BatchInitiateUnknown:
		return kindInitiateUnknown
	}
	switch {
	case b.Attention != ledger.NeedsNothing:
		return kindOverdue
	case !isListed(a.Status):
		return kindUnknownStatus
	}
	return kindOpen
}

// isListed reports whether the interface lists the status (interface.md,
// "Payout status"), or none was seen yet.
func isListed(status string) bool {
	return status == "" || slices.Contains([]string{ledger.StatusRequestInitiated, ledger.StatusPending,
		ledger.StatusInitiated, ledger.StatusSuccess, ledger.StatusFailed}, status)
}

// reason is why, for people: what the ledger says, or what the kind means.
func (k kind) reason(a ledger.Attempt, b ledger.Batch) string {
	switch {
	case a.Reason != "" && k == kindOverdue && b.Note != "":
		return b.Note + "; " + a.Reason
	case a.Reason != "":
		return a.Reason
	case b.Note != "" && k != kindFailed && k != kindReturned:
		return b.Note
	}
	return k.why()
}
