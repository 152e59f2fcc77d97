package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// Outcomes that a control client may ask for (contract.md, "The sandbox").
const (
	outcomeSuccess  = "success"
	outcomeFailed   = "failed"
	outcomeReturned = "returned"
	outcomeStuck    = "stuck"
	outcomeMended   = "failed-then-success" // the bank says failed; at the next settlement it corrects itself and pays
	outcomeUnknown  = "unknown:"            // followed by a value that the interface does not list
)

// Values of bank_status_code that the interface names ("Payout").
const (
	codeInitiated = "INITIATED"
	codeInProcess = "IN_PROCESS"
	codeCompleted = "COMPLETED"
)

// failedCodes are not in the interface: "the full list per bank: not shown".
var failedCodes = []string{"FAILED", "REJECTED_BY_BENEFICIARY_BANK", "INVALID_BENEFICIARY_ACCOUNT"}

// mostSteps is the most settlements that a payout needs; the contract promises six.
const mostSteps = 5

// listed are the values that the interface lists; "unknown:" cannot use them.
var listed = []string{
	"", ledger.StatusRequestInitiated, ledger.StatusPending, ledger.StatusInitiated, ledger.StatusSuccess, ledger.StatusFailed,
	codeInitiated, codeInProcess, codeCompleted, ledger.CodeReturned,
}

func checkOutcome(outcome string) error {
	switch outcome {
	case outcomeSuccess, outcomeFailed, outcomeReturned, outcomeStuck, outcomeMended:
		return nil
	}
	value, isUnknown := strings.CutPrefix(outcome, outcomeUnknown)
	if !isUnknown || slices.Contains(listed, value) {
		return fmt.Errorf("outcome %q: want success, failed, failed-then-success, returned, stuck or unknown:XYZ with a value the interface does not list", outcome)
	}
	return nil
}

// endsWell reports whether an outcome is success, the default.
func endsWell(outcome string) bool { return outcome == "" || outcome == outcomeSuccess }

// settle moves every submitted payout and new beneficiary one step. It returns how many payouts are still open.
func (b *bank) settle() (open int) {
	for _, n := range b.Beneficiaries {
		b.verify(n)
	}
	for _, t := range b.Batches {
		if t.Submits == 0 {
			continue
		}
		a := b.account(t.BankAccountID)
		for _, p := range t.Payouts {
			if b.step(a, p) {
				t.Announced = false
			}
			if !p.final() {
				open++
			}
		}
	}
	return open
}

// step moves one payout. It reports whether the payout became final, or changed after it was final.
func (b *bank) step(a *Account, p *Payout) bool {
	outcome := b.Outcomes[p.WireRef]
	if p.Status == ledger.StatusSuccess && outcome == outcomeReturned && p.Returned < p.Executed {
		b.returnMoney(a, p)
		return true
	}
	if outcome == outcomeMended && p.Status == ledger.StatusFailed {
		a.Reserved += p.Amount
		p.Due++
		b.succeed(a, p)
		return true
	}
	if p.final() {
		return false
	}
	p.Step++
	if p.Step >= 1+b.dice.roll(mostSteps-1, "steps", p.WireRef) {
		return b.finish(a, p, outcome)
	}
	if p.Status == ledger.StatusPending && p.Step > 1 {
		p.Status, p.BankStatusCode = ledger.StatusInitiated, codeInProcess
	}
	return false
}

// finish ends a payout with its outcome, or keeps it open.
func (b *bank) finish(a *Account, p *Payout, outcome string) bool {
	if value, isUnknown := strings.CutPrefix(outcome, outcomeUnknown); isUnknown {
		if b.reading.UnknownInStatus {
			p.Status = value
		} else {
			p.BankStatusCode = value
		}
		return false
	}
	switch outcome {
	case outcomeStuck:
		return false
	case outcomeFailed, outcomeMended:
		p.Status, p.BankStatusCode = ledger.StatusFailed, b.dice.pick(failedCodes, "failed", p.WireRef)
		b.release(a, p)
	default:
		b.succeed(a, p)
	}
	return true
}

func (b *bank) succeed(a *Account, p *Payout) {
	p.Status, p.BankStatusCode, p.BankTxnRefID = ledger.StatusSuccess, codeCompleted, b.utr(p)
	b.execute(a, p)
}

// execute moves the money, once for each accepted submit. A second one is a trouble that no client should ever
// cause.
func (b *bank) execute(a *Account, p *Payout) {
	for ; p.Due > 0; p.Due-- {
		p.Executed++
		a.Reserved -= p.Amount
		a.Balance -= p.Amount
		b.enter(a, p, bankapi.EntryDebit)
	}
}

// release cancels the executions that will not be made.
func (b *bank) release(a *Account, p *Payout) {
	for ; p.Due > 0; p.Due-- {
		a.Reserved -= p.Amount
	}
}

// returnMoney returns what was executed. The bank code says so; the seed decides whether the status stays
// success or becomes failed.
func (b *bank) returnMoney(a *Account, p *Payout) {
	p.BankStatusCode = ledger.CodeReturned
	if b.reading.ReturnedFails {
		p.Status = ledger.StatusFailed
		if b.reading.NamelessReturns {
			p.BankStatusCode = b.dice.pick(failedCodes, "failed", p.WireRef)
		}
	}
	for ; p.Returned < p.Executed; p.Returned++ {
		a.Balance += p.Amount
		b.enter(a, p, bankapi.EntryCredit)
	}
}

func (b *bank) utr(p *Payout) string { return "SBOX" + b.dice.digits(12, "utr", p.OpenTxnID) }

func (p *Payout) final() bool {
	return p.Status == ledger.StatusSuccess || p.Status == ledger.StatusFailed
}
