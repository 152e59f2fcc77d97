package reports

import (
	"math"
	"strings"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// bucket is where the money of a payout is, as the summary groups it.
type bucket int

const (
	paid    bucket = iota // the bank says success
	open                  // not with the payee and not refused: on its way or waiting
	notPaid               // failed, came back or cancelled: a retry may be planned
	inDoubt               // it may or may not have been paid
	buckets
)

// bucketLooks are the words for a bucket, its class in the page's style sheet, the colour of its bars in the
// workbook, and the style of its states there.
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

// bucketOf decides from the states alone where the money is. "" for a payout's is the batch as a whole. If a submit has no answer, the money may have
// moved, and the needed action does not change that.
func bucketOf(payout ledger.PayoutState, batch ledger.BatchState) bucket {
	switch payout {
	case ledger.PayoutSuccess:
		return paid
	case ledger.PayoutDisputed:
		return inDoubt
	case ledger.PayoutFailed, ledger.PayoutReturned, ledger.PayoutCancelled:
		return notPaid
	}
	if batch.SubmitSent() {
		return inDoubt
	}
	return open
}

// kindOf returns why a payout is an exception, that is, not paid: its ledger.Attention; "" if it is paid.
func kindOf(a *ledger.Attempt, b *ledger.Batch) ledger.Attention {
	asks := a.Asks(*b)
	if asks == ledger.NeedsNothing && a.State != ledger.PayoutSuccess {
		return ledger.AtTheBank // its batch needs nothing, but it is not paid and must be listed
	}
	return asks
}

// reasonOf returns the reason for people: the payout's from the ledger, or what the kind means. The batch's note counts
// unless the payout's own state decides.
func reasonOf(kind ledger.Attention, payout string, b *ledger.Batch) string {
	switch {
	case payout != "" && b.Note != "" && kind == b.Attention:
		return b.Note + "; " + payout
	case payout != "":
		return payout
	case kind == ledger.AtTheBank && b.Attention == ledger.StatusUnlisted: // the note is about another payout
	case b.Note != "" && kind != ledger.PayoutNotPaid && kind != ledger.PayoutCameBack:
		return b.Note
	}
	return kind.Row().Why
}

// subject is the argument of commands: the batch, or the payout by its reference. A field is empty if there are
// several.
type subject struct{ batch, ref string }

// everyStep is the number of next steps in the files for the work itself. The page has only the most useful one.
const everyStep = math.MaxInt

// fixOf says what to do about a batch or one of its payouts, with the commands of the first steps. If a command
// would have to name several payouts or batches, it says where the command for each is.
func fixOf(kind ledger.Attention, about subject, steps int) string {
	row := kind.Row()
	var commands []string
	for _, step := range row.Next[:min(steps, len(row.Next))] {
		id := about.batch
		if step.Names == ledger.NamesPayout {
			id = about.ref
		}
		if id == "" && step.Names != ledger.NamesNothing {
			return row.Do + " The command for each is in " + exceptionsFile + "."
		}
		if about.ref != "" && (kind == ledger.PayoutNotPaid || kind == ledger.PayoutCameBack) {
			step.Flags = append(step.Flags[:len(step.Flags):len(step.Flags)], "--ref", about.ref) // not the others of its batch
		}
		commands = append(commands, step.Command(id))
	}
	if len(commands) == 0 {
		return row.Do
	}
	return row.Do + " Run: " + strings.Join(commands, "; or: ")
}
