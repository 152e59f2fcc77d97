package ledger

import "slices"

// Attention names what a batch or a payout needs, and so why it does not proceed. Exit codes,
// exception kinds, hints, views and reports derive from its row in the table below; no code
// compares sentences. Names are snake_case and stable: names are added, never changed or removed.
type Attention string

const (
	// For batches and payouts alike.
	NeedsNothing       Attention = ""
	ToBeInitiated      Attention = "planned"          // nothing was sent yet
	ToBeApproved       Attention = "approval_waiting" // planned; another person must approve it first
	SentBack           Attention = "sent_back"        // planned; another person sent it back
	QueuedBehindOTP    Attention = "turn_waiting"     // planned; another batch of the debit account gets its OTP first
	AfterRestore       Attention = "restore_waiting"  // planned; an older copy of the ledger was accepted a short time ago
	FundsShort         Attention = "funds_short"      // planned; the debit account does not have the money
	InitiateUnanswered Attention = "initiate_unknown" // initiate was sent, no answer was read
	InitiateNo         Attention = "initiate_no"      // the bank answered no to initiate, and the effect is unknown
	OTPWaiting         Attention = "otp_waiting"      // held
	OTPLate            Attention = "otp_late"         // held for longer than otp.window
	OTPSpent           Attention = "otp_spent"        // held, and no tries are left
	SubmitUnanswered   Attention = "submit_unknown"   // submit was sent, no answer was read
	SubmitNo           Attention = "submit_no"        // the bank answered no to the submit, and the effect is unknown
	SubmitOverdue      Attention = "submit_overdue"   // the same, and the bank did not show it moving within poll.overdue_after
	BeingSent          Attention = "being_sent"       // a call for it is in progress; only the process that makes the call knows more
	AtTheBank          Attention = "open"             // the bank works on it
	Overdue            Attention = "overdue"          // the bank has worked on it for longer than poll.overdue_after
	StatusUnlisted     Attention = "unknown_status"   // a status that the interface does not list
	StatusDiffers      Attention = "status_differs"   // a status that does not belong to this batch, or not to it alone
	EchoDiffered       Attention = "echo_differs"     // quarantined
	EchoUnlisted       Attention = "echo_unlisted"    // quarantined, and the bank shows a status that the interface does not list
	BlockedByStatus    Attention = "look_forbids"     // not sent, because of what the bank shows
	AccountUnusable    Attention = "account_unusable" // the bank does not list its debit account as active under its partner bank
	WasRefused         Attention = "refused"          // the bank said no to initiate

	// Acknowledged marks a refused batch that a person acknowledged. It needs nothing more, and
	// is not in the table.
	Acknowledged Attention = "dealt_with"

	// For payouts only.
	PayoutContradicted Attention = "disputed"
	PayoutCameBack     Attention = "returned"
	PayoutNotPaid      Attention = "failed"
	PayoutGivenUp      Attention = "cancelled"

	// LeftOut is for rows of a sheet that never became payouts.
	LeftOut Attention = "rejected"

	// For what the bank's statement shows (ledger/reconcile).
	MissingInStatement    Attention = "missing_in_statement"    // the bank says success, and the statement has no debit for it
	UnknownDebit          Attention = "unknown_debit"           // a debit that belongs to no payout
	DebitedTwice          Attention = "double_debit"            // a payout was debited more than once
	AmountDiffers         Attention = "amount_differs"          // the debit differs from the amount sent
	ReturnedInStatement   Attention = "returned_in_statement"   // the money came back, and the interface says success
	FailedButDebited      Attention = "failed_but_debited"      // it was debited, and the ledger says it is not paid
	OnlyInFile            Attention = "only_in_file"            // a file shows a line that is missing from the bank's own statement of the day
	WithdrawnDebit        Attention = "withdrawn"               // a debit that is missing from a newer statement
	AwaitingStatement     Attention = "awaiting_statement"      // its debit may still come
	StatementNotAvailable Attention = "statement_not_available" // no statement covers the days
)

// Weight says who has to act, and orders attentions by gravity.
type Weight int

const (
	WeightNone   Weight = iota // nothing to do
	WeightBank                 // the bank has to act; a person can only ask it to
	WeightPerson               // a person has to act or decide
	WeightGrave                // money may have moved, or the records contradict each other: nothing is sent again
)

// Next is one legal next step: a command of payrun, as data. The caller fills in the id and
// other values before it shows the step.
type Next struct {
	Verb   string // "submit", "poll", …
	Names  Object // the argument of the verb
	Flags  []string
	Reason string // what --reason could say; "" if the verb takes none
}

// Object is what a Next names.
type Object string

const (
	NamesNothing Object = ""
	NamesBatch   Object = "batch"
	NamesPayout  Object = "payout"
)

// Args returns the words of the command after "payrun". id is the id of the batch, sheet or
// payout, if the step names one.
func (n Next) Args(id string) []string {
	args := []string{n.Verb}
	if n.Names != NamesNothing && id != "" {
		args = append(args, id)
	}
	args = append(args, n.Flags...)
	if n.Reason != "" {
		args = append(args, "--reason", n.Reason)
	}
	return args
}

// AttentionRow is everything payrun says about one kind of attention.
type AttentionRow struct {
	Kind   Attention
	Weight Weight
	Exit   int    // the exit code it gives (contract.md, "Exit codes"); 0 for none
	Title  string // a heading
	Why    string // what it means, if the ledger has no reason of its own
	Do     string // what to do, without the commands
	Next   []Next // the legal next steps, most useful first
}

// Exit codes that attentions give.
const (
	ExitPerson   = 12 // waiting for a person
	exitFailed   = 13
	exitOpen     = 14
	exitUnknown  = 15
	exitMismatch = 16
)

var (
	pollBatch    = Next{Verb: "poll", Names: NamesBatch}
	retryBatch   = Next{Verb: "retry", Names: NamesBatch}
	correctBatch = Next{Verb: "retry", Names: NamesBatch, Flags: []string{"--out", "to-correct.xlsx"}}
	submitBatch  = Next{Verb: "submit", Names: NamesBatch}
	abandonBatch = func(reason string) Next { return Next{Verb: "abandon", Names: NamesBatch, Reason: reason} }
)

// attentions is the one table, gravest first.
var attentions = [...]AttentionRow{
	{
		Kind: DebitedTwice, Weight: WeightGrave, Exit: exitMismatch, Title: "Debited twice",
		Why: "the statement shows more than one debit of the payout",
		Do:  "Ask the bank, quoting both lines of its statement, and have one of them returned. Do not pay it again.",
	},
	{
		Kind: FailedButDebited, Weight: WeightGrave, Exit: exitMismatch, Title: "Debited, although not paid",
		Why: "the statement shows its debit, and the bank's status does not say that it was paid",
		Do:  "Do not pay it again. Ask the bank, quoting the line of its statement, whether the money moved and whether it comes back.",
	},
	{
		Kind: ReturnedInStatement, Weight: WeightGrave, Exit: exitMismatch, Title: "Came back, although paid",
		Why: "the statement shows it coming back, and the bank's status says success",
		Do:  "Ask the bank about it. payrun polls it again; it is not paid again until the status shows the return.",
	},
	{
		Kind: AmountDiffers, Weight: WeightGrave, Exit: exitMismatch, Title: "Amount differs",
		Why: "the statement shows another amount than was sent",
		Do:  "Ask the bank, quoting the UTR and both amounts.",
	},
	{
		Kind: MissingInStatement, Weight: WeightGrave, Exit: exitMismatch, Title: "Not on the statement",
		Why: "the bank's status says that it was paid, and the statement does not show it",
		Do:  "Ask the bank for the UTR's debit. Do not pay it again.",
	},
	{
		Kind: WithdrawnDebit, Weight: WeightGrave, Exit: exitMismatch, Title: "Withdrawn debit",
		Why: "a statement showed a debit, and a newer one of the same days lacks it",
		Do:  "Ask the bank about it. The payouts that it could be stay locked until two people release them. Of a paid payout it ends when its debit is there again. Two people explain a debit that is not payrun's: payrun statement explain ENTRY --reason TEXT.",
	},
	{
		Kind: OnlyInFile, Weight: WeightGrave, Exit: exitMismatch, Title: "Only in a file",
		Why: "an imported file shows a line, and the bank's own statement of the day lacks it",
		Do:  "Compare the file with the bank. If the file is wrong, two people take it back: payrun statement void READING --reason TEXT.",
	},
	{
		Kind: UnknownDebit, Weight: WeightGrave, Exit: exitMismatch, Title: "Unknown debit",
		Why: "the statement shows a debit that belongs to no payout",
		Do:  "Find out who made it: a person at the bank's portal, a copy of this ledger, or the bank. Two people explain a debit that is not payrun's: payrun statement explain ENTRY --reason TEXT.",
	},
	{
		Kind: PayoutContradicted, Weight: WeightGrave, Exit: exitMismatch, Title: "Disputed",
		Why:  "what the bank shows contradicts what it showed before: the payout may have been paid, and is locked",
		Do:   "Do not pay it again. Ask the bank, quoting the UTR or the service's payout id, whether the money moved. Two people release it with the bank's written confirmation, or close it as paid.",
		Next: []Next{releasePayout, closePaid},
	},
	{
		Kind: SubmitOverdue, Weight: WeightGrave, Exit: exitUnknown, Title: "In doubt for too long",
		Why:  "the batch was submitted, no answer could be read, and the bank does not show it moving: it may have paid",
		Do:   "Never send it again. Ask the bank whether it was paid. If the bank confirms in writing that it was not, two people release it.",
		Next: []Next{pollBatch, releaseBatch},
	},
	{
		Kind: SubmitUnanswered, Weight: WeightGrave, Exit: exitUnknown, Title: "In doubt",
		Why:  "the batch was submitted and no answer could be read: it may have paid",
		Do:   "Never send it again. payrun poll asks until the bank shows the payouts. If it does not by poll.overdue_after, ask the bank.",
		Next: []Next{pollBatch},
	},
	{
		Kind: SubmitNo, Weight: WeightGrave, Exit: exitUnknown, Title: "No to submit, outcome unknown",
		Why:  "the bank answered no to the submit, and may have carried it out all the same: it may have paid",
		Do:   "Never send it again. Ask the bank what its answer means. payrun poll asks until the bank shows the payouts.",
		Next: []Next{pollBatch},
	},
	{
		Kind: EchoUnlisted, Weight: WeightGrave, Exit: exitMismatch, Title: "Quarantined, with an unknown status",
		Why:  "the batch is never submitted, and the bank shows it with a status that its interface does not list: it may pay",
		Do:   "Ask the bank what the status means, and whether it pays the batch. The batch cannot be abandoned while the bank shows that status. If the bank confirms in writing that it does not pay it, two people release it.",
		Next: []Next{pollBatch, releaseBatch},
	},
	{
		Kind: EchoDiffered, Weight: WeightGrave, Exit: exitMismatch, Title: "Quarantined",
		Why:  "the bank's answer does not match what was sent; the batch is never submitted",
		Do:   "Compare the batch with the bank's answer, then abandon it.",
		Next: []Next{abandonBatch("the bank's answer differs from what was sent")},
	},
	{
		Kind: StatusDiffers, Weight: WeightGrave, Exit: exitMismatch, Title: "Status differs",
		Why:  "the bank's status does not match the batch",
		Do:   "Ask the bank about what differs.",
		Next: []Next{pollBatch},
	},
	{
		Kind: LockInDoubt, Weight: WeightGrave, Exit: exitUnknown, Title: "In doubt",
		Why:  "its submit was sent, and neither an answer nor a status says what happened: it may have been paid",
		Do:   "It ends when a status shows the payout moving. If the bank confirms in writing that it was not paid, two people release it.",
		Next: []Next{releasePayout, closePaid},
	},
	{
		Kind: LockContradicted, Weight: WeightGrave, Exit: exitMismatch, Title: "Contradicted",
		Why:  "what the bank shows of it contradicts what it showed before, so it may have been paid",
		Do:   "Ask the bank, quoting the UTR or the service's payout id, whether the money moved. Two people release it with the bank's written confirmation.",
		Next: []Next{releasePayout, closePaid},
	},
	{
		Kind: LockDebited, Weight: WeightGrave, Exit: exitMismatch, Title: "Debited",
		Why:  "statements show that more money went out for it than came back",
		Do:   "It ends when the bank's own statement shows the credits. If the money came back without a name, two people release it with the bank's written confirmation.",
		Next: []Next{{Verb: "reconcile"}, releasePayout, closePaid},
	},
	{
		Kind: LockPossible, Weight: WeightGrave, Exit: exitMismatch, Title: "Possibly debited",
		Why:  "a statement shows a debit that could be its own",
		Do:   "It ends when the bank's own statement shows whose debit it is. Two people can explain a debit that is not payrun's: payrun statement explain ENTRY --reason TEXT.",
		Next: []Next{{Verb: "reconcile"}, releasePayout, closePaid},
	},
	{
		Kind: LockRestored, Weight: WeightPerson, Exit: ExitPerson, Title: "Restored from a copy",
		Why:  "an older copy of the ledger was accepted after it was loaded, so a later ledger may have paid it",
		Do:   "Ask the bank. Two people release it with the bank's written confirmation.",
		Next: []Next{releasePayout, closePaid},
	},
	{
		Kind: BlockedByStatus, Weight: WeightPerson, Exit: ExitPerson, Title: "A check forbids sending it",
		Why:  "a check at the bank forbids sending it",
		Do:   "The batch's note says what the bank shows and what to do. Nothing of the batch is sent until that is clear.",
		Next: []Next{pollBatch},
	},
	{
		Kind: AccountUnusable, Weight: WeightPerson, Exit: ExitPerson, Title: "Debit account cannot be used",
		Why:  "the bank does not list its debit account as active under its partner bank",
		Do:   "Link the account again, or correct it in payrun.toml; then initiate.",
		Next: []Next{{Verb: "initiate", Names: NamesBatch}},
	},
	{
		Kind: Overdue, Weight: WeightPerson, Exit: ExitPerson, Title: "Overdue",
		Why:  "the bank has not finished it in time",
		Do:   "Ask the bank about it, quoting the service's payout id. If the bank confirms in writing that it was not paid, two people release it after five days.",
		Next: []Next{pollBatch, releaseBatch},
	},
	{
		Kind: StatusUnlisted, Weight: WeightPerson, Exit: exitOpen, Title: "Unknown status",
		Why:  "the bank reports a status that its interface does not list",
		Do:   "Ask the bank what the status means. Until it changes, the payout stays open.",
		Next: []Next{pollBatch},
	},
	{
		Kind: PayoutCameBack, Weight: WeightPerson, Exit: exitFailed, Title: "Returned",
		Why:  "paid, then returned by the beneficiary's bank",
		Do:   "Confirm the account number and IFSC with the payee. If they were wrong, write the payouts to a sheet and correct them there; if they were right, plan a new attempt.",
		Next: []Next{correctBatch, retryBatch},
	},
	{
		Kind: PayoutNotPaid, Weight: WeightPerson, Exit: exitFailed, Title: "Failed",
		Why:  "the bank says not paid",
		Do:   "Clear up the reason with the payee or the bank. If the row was wrong, write the payouts to a sheet and correct them there; if not, plan a new attempt.",
		Next: []Next{correctBatch, retryBatch},
	},
	{
		Kind: WasRefused, Weight: WeightPerson, Exit: exitFailed, Title: "Refused",
		Why:  "the bank said no to initiate; nothing of it was held",
		Do:   "Find out why: if the bank says that a reference is used, someone has sent it before. Remove the cause, then plan the payouts again; or abandon the batch, which records it as dealt with.",
		Next: []Next{retryBatch, abandonBatch("its payouts are not to be paid")},
	},
	{
		Kind: OTPSpent, Weight: WeightPerson, Exit: ExitPerson, Title: "No OTP tries left",
		Why:  "the bank rejected as many submits as otp.tries allows",
		Do:   "Abandon the batch, then plan its payouts again; or raise otp.tries, if the bank still takes an OTP.",
		Next: []Next{abandonBatch("the bank rejected every OTP")},
	},
	{
		Kind: OTPLate, Weight: WeightPerson, Exit: ExitPerson, Title: "Held past the OTP's window",
		Why:  "the bank has held the batch for its OTP longer than otp.window",
		Do:   "Enter the OTP if it still works, or abandon the batch.",
		Next: []Next{submitBatch, abandonBatch("no OTP came")},
	},
	{
		Kind: OTPWaiting, Weight: WeightPerson, Exit: ExitPerson, Title: "Held for OTP",
		Why:  "the bank holds the batch until its OTP is entered",
		Do:   "Enter the OTP.",
		Next: []Next{submitBatch},
	},
	{
		Kind: SentBack, Weight: WeightPerson, Exit: ExitPerson, Title: "Sent back",
		Why:  "another person sent it back, with a reason; it is not initiated until it is approved",
		Do:   "The person who loaded it withdraws it (abandon), writes its payouts to a sheet (retry --out), corrects them and loads it with --correct; or another person approves it after all.",
		Next: []Next{abandonBatch("sent back"), {Verb: "approve", Names: NamesBatch}},
	},
	{
		Kind: ToBeApproved, Weight: WeightPerson, Exit: ExitPerson, Title: "Waiting for approval",
		Why:  "someone other than the person who planned it has to approve it first",
		Do:   "Have it approved by someone other than the person who planned it.",
		Next: []Next{{Verb: "approve", Names: NamesBatch}},
	},
	{
		Kind: QueuedBehindOTP, Weight: WeightPerson, Exit: ExitPerson, Title: "Waiting its turn",
		Why:  "another batch of the debit account has its OTP first (otp.held_at_once)",
		Do:   "Enter the OTP of the batch before it, then initiate again.",
		Next: []Next{{Verb: "submit"}, {Verb: "initiate", Flags: []string{"--all"}}},
	},
	{
		Kind: AfterRestore, Weight: WeightPerson, Exit: ExitPerson, Title: "Waiting after a restore",
		Why:  "an older copy of the ledger was accepted a short time ago, and the bank may not show yet what a newer ledger sent",
		Do:   "Compare with the bank's statement meanwhile; then initiate again.",
		Next: []Next{{Verb: "initiate", Flags: []string{"--all"}}},
	},
	{
		Kind: FundsShort, Weight: WeightPerson, Exit: ExitPerson, Title: "Short of funds",
		Why:  "what the debit account holds, less what is held or on its way, is not enough",
		Do:   "Put money into the debit account; payrun balance shows what is there. Then initiate again. If the money comes in time, --allow-short-funds initiates now.",
		Next: []Next{{Verb: "initiate", Flags: []string{"--all"}}},
	},
	{
		Kind: PayoutGivenUp, Weight: WeightPerson, Title: "Cancelled",
		Why:  "its batch was refused or abandoned before it could pay, or two people released it",
		Do:   "Plan a new attempt, or leave it unpaid.",
		Next: []Next{retryBatch},
	},
	{
		Kind: ToBeInitiated, Weight: WeightPerson, Title: "Not sent yet",
		Why:  "planned; nothing was sent",
		Do:   "Initiate it.",
		Next: []Next{{Verb: "initiate", Names: NamesBatch}},
	},
	{
		Kind: LeftOut, Weight: WeightPerson, Title: "Left out of the sheet",
		Why: "rows that had errors when the sheet was loaded; nothing is paid for them",
		Do:  "Correct them in the sheet's .rejected file, next to the sheet or from the desk, and load that, or leave them unpaid.",
	},
	{
		Kind: InitiateUnanswered, Weight: WeightBank, Exit: exitUnknown, Title: "No answer to initiate",
		Why:  "initiate was sent and no answer could be read; it cannot pay without an OTP",
		Do:   "There is nothing to decide: it is held once the bank shows it, or planned again after doubt.quiet.",
		Next: []Next{pollBatch},
	},
	{
		Kind: InitiateNo, Weight: WeightBank, Exit: exitUnknown, Title: "No to initiate, outcome unknown",
		Why:  "the bank answered no to initiate, and may have the batch all the same; it cannot pay without an OTP",
		Do:   "Find out what the bank objects to. It is held if the bank shows it; if not, it is refused after doubt.quiet, and nothing is planned again by itself.",
		Next: []Next{pollBatch},
	},
	{
		Kind: LockInFlight, Weight: WeightBank, Title: "On its way",
		Why:  "an attempt of it is planned, held or with the bank",
		Do:   "It ends when the bank's status is final, or its batch is refused or abandoned.",
		Next: []Next{pollBatch},
	},
	{
		Kind: AwaitingStatement, Weight: WeightBank, Title: "Not on the statement yet",
		Why:  "paid, and young enough that the statement may not have it yet (reconcile.statement_grace)",
		Do:   "Wait, then reconcile again.",
		Next: []Next{{Verb: "reconcile"}},
	},
	{
		Kind: StatementNotAvailable, Weight: WeightBank, Title: "No statement",
		Why:  "the bank's interface gives no statement of the account for these days, and none was imported",
		Do:   "Download the statement at the bank's portal and import it (payrun statement import), then reconcile again.",
		Next: []Next{{Verb: "reconcile"}},
	},
	{
		Kind: BeingSent, Weight: WeightBank, Exit: exitOpen, Title: "In progress",
		Why:  "the bank is being asked",
		Do:   "Wait for the bank's answer.",
		Next: []Next{{Verb: "poll", Names: NamesBatch, Flags: []string{"--wait", "10m"}}},
	},
	{
		Kind: AtTheBank, Weight: WeightBank, Exit: exitOpen, Title: "At the bank",
		Why:  "the bank is working on it",
		Do:   "Wait.",
		Next: []Next{{Verb: "poll", Names: NamesBatch, Flags: []string{"--wait", "10m"}}},
	},
}

// Attentions returns the table, gravest first.
func Attentions() []AttentionRow { return slices.Clone(attentions[:]) }

// Row returns the row of the kind in the table; the zero row for NeedsNothing. A newer program wrote an
// unknown kind: it counts as grave, because money may have moved.
func (a Attention) Row() AttentionRow {
	if i := a.Rank(); i < len(attentions) {
		return attentions[i]
	}
	if a == NeedsNothing {
		return AttentionRow{}
	}
	return AttentionRow{Kind: a, Weight: WeightGrave, Exit: ExitPerson, Title: "Action required", Do: "A newer version of payrun says what to do."}
}

// NeedsPerson reports whether a person has to act or decide.
func (a Attention) NeedsPerson() bool { return a.Row().Weight >= WeightPerson }

// OfPerson returns the kind if a person has to act or decide, else NeedsNothing.
func (a Attention) OfPerson() Attention {
	if a.NeedsPerson() {
		return a
	}
	return NeedsNothing
}

// Rank returns the place in the table, 0 for the gravest. A kind that is not in it comes last.
func (a Attention) Rank() int {
	for i := range attentions { // no copies: a row is large, and Rank is called for each payout
		if attentions[i].Kind == a {
			return i
		}
	}
	return len(attentions)
}

// Asks returns what the batch needs: the finding recorded about it, or else what its state needs.
// For a batch in doubt, that depends on whether the bank answered no or not at all.
func (b Batch) Asks() Attention {
	switch {
	case b.State == BatchAbandoned, b.Attention == Acknowledged:
		return NeedsNothing // abandoned or acknowledged: earlier findings are history
	case b.State == BatchPlanned && b.Approval == ApprovalSentBack:
		return SentBack // even if something else was found
	case b.Attention != NeedsNothing && !(b.Attention == ToBeApproved && b.Approval == ApprovalGiven):
		return b.Attention
	}
	asks := stateAsks[b.State]
	switch {
	case asks == ToBeInitiated && (b.Approval == ApprovalWanted || b.NeedsApproval && b.Approval != ApprovalGiven):
		return ToBeApproved
	case asks == InitiateUnanswered && b.Refusal != "":
		return InitiateNo
	case asks == SubmitUnanswered && b.Refusal != "":
		return SubmitNo
	}
	return asks
}

// stateAsks has what a batch needs because of its state.
var stateAsks = map[BatchState]Attention{
	BatchPlanned: ToBeInitiated, BatchInitiating: InitiateUnanswered, BatchInitiateUnknown: InitiateUnanswered, BatchHeld: OTPWaiting,
	BatchSubmitting: SubmitUnanswered, BatchSubmitUnknown: SubmitUnanswered, BatchSubmitted: AtTheBank, BatchQuarantined: EchoDiffered, BatchRefused: WasRefused,
}

// AsksUnder is Asks for a configuration that may require two people even if the ledger does
// not.
func (b Batch) AsksUnder(twoPerson bool) Attention {
	asks := b.Asks()
	if asks == ToBeInitiated && twoPerson && b.Approval != ApprovalGiven {
		return ToBeApproved
	}
	return asks
}

// Asks returns what the payout needs: what its own state needs, or if that needs nothing
// particular, what its batch b needs.
func (a Attempt) Asks(b Batch) Attention {
	switch asks, own := payoutAsks[a.State]; {
	case a.State == PayoutDisputed && a.Over():
		return NeedsNothing
	case own:
		return asks
	}
	asks := b.Asks()
	switch listed := Listed(a.Status); {
	case asks == AtTheBank && !listed:
		return StatusUnlisted
	case asks == StatusUnlisted && listed && b.State == BatchSubmitted: // it is another payout's
		return AtTheBank
	}
	return asks
}

// payoutAsks has what a payout needs because of its own state.
var payoutAsks = map[PayoutState]Attention{
	PayoutSuccess: NeedsNothing, PayoutDisputed: PayoutContradicted, PayoutReturned: PayoutCameBack, PayoutFailed: PayoutNotPaid, PayoutCancelled: PayoutGivenUp,
}

// Listed reports whether the interface lists the status (interface.md, "Payout status"). It is
// true if no status was seen yet.
func Listed(status string) bool {
	return slices.Contains([]string{"", StatusRequestInitiated, StatusPending, StatusInitiated, StatusSuccess, StatusFailed}, status)
}
