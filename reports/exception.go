package reports

import (
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

// bucketLooks are the words for a bucket, its class in the page's style sheet, the colour of its
// bars in the workbook, and the style in which states are written there.
var bucketLooks = [buckets]struct {
	words, class, colour string
	style                xlsx.Style
}{
	paid:    {"Paid", "paid", xlsx.PaidColour, xlsx.StylePaid},
	open:    {"Open", "open", xlsx.OpenColour, xlsx.StyleOpen},
	notPaid: {"Not paid", "notpaid", xlsx.NotPaidColour, xlsx.StyleNotPaid},
	inDoubt: {"In doubt", "indoubt", xlsx.InDoubtColour, xlsx.StyleInDoubt},
}

func (b bucket) String() string    { return bucketLooks[b].words }
func (b bucket) class() string     { return bucketLooks[b].class }
func (b bucket) style() xlsx.Style { return bucketLooks[b].style }

// bucketOf decides where the money is from the states alone. Whatever action is needed, money whose
// submit has no answer may have moved.
func bucketOf(a ledger.Attempt, b ledger.Batch) bucket {
	switch a.State {
	case ledger.PayoutSuccess:
		return paid
	case ledger.PayoutDisputed:
		return inDoubt
	case ledger.PayoutFailed, ledger.PayoutReturned, ledger.PayoutCancelled:
		return notPaid
	}
	return bucketOfBatch(b)
}

// bucketOfBatch is where the money of a batch is that no payout shows.
func bucketOfBatch(b ledger.Batch) bucket {
	if b.State.SubmitSent() {
		return inDoubt
	}
	return open
}

// kindOf returns why a payout is an exception, that is, not paid: its ledger.Attention, and "" if it
// is paid.
func kindOf(a ledger.Attempt, b ledger.Batch) ledger.Attention {
	asks := a.Asks(b)
	if asks == ledger.NeedsNothing && a.State != ledger.PayoutSuccess {
		return ledger.AtTheBank // its batch asks nothing: still it is not paid, and must be named
	}
	return asks
}

// titleOf is a heading for exceptions of that kind.
func titleOf(kind ledger.Attention) string {
	row, _ := kind.Row()
	return row.Title
}

// reasonOf is why, for people: what the ledger says, or what the kind means.
// The batch's note counts where the payout's own state does not decide.
func reasonOf(kind ledger.Attention, a ledger.Attempt, b ledger.Batch) string {
	row, _ := kind.Row()
	switch {
	case a.Reason != "" && b.Note != "" && kind == b.Attention:
		return b.Note + "; " + a.Reason
	case a.Reason != "":
		return a.Reason
	case b.Note != "" && kind != ledger.PayoutNotPaid && kind != ledger.PayoutCameBack:
		return b.Note
	}
	return row.Why
}

// subject is the argument of commands: the batch, or the payout by its reference. If there are
// several, they are empty.
type subject struct{ batch, ref string }

// of gives the one that the step names. known is false where it has to be looked up.
func (n subject) of(step ledger.Next) (id string, known bool) {
	switch step.Names {
	case ledger.NamesNothing:
		return "", true
	case ledger.NamesPayout:
		return n.ref, n.ref != ""
	}
	return n.batch, n.batch != ""
}

// fixOf says what to do about a batch, or a payout of it, with every command
// that may follow.
func fixOf(kind ledger.Attention, of subject) string {
	row, _ := kind.Row()
	return withCommands(row.Do, row.Next, of)
}

// shortFixOf has the most useful command alone, for the page.
func shortFixOf(kind ledger.Attention, of subject) string {
	row, _ := kind.Row()
	return withCommands(row.Do, row.Next[:min(1, len(row.Next))], of)
}

// withCommands says what to do and the commands that do it; where one would have
// to name several, where each has its own.
func withCommands(do string, steps []ledger.Next, of subject) string {
	var commands []string
	for _, n := range steps {
		id, known := of.of(n)
		if !known {
			return do + " The command for each is in " + exceptionsFile + "."
		}
		commands = append(commands, n.Command(id))
	}
	if len(commands) == 0 {
		return do
	}
	return do + " Run: " + strings.Join(commands, "; or: ")
}
