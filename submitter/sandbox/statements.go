package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// statementAsked is a statement that partner bank 8 promised.
type statementAsked struct {
	ID        string `json:"id"`
	AccountID string `json:"account_id"`
	Ready     bool   `json:"ready"` // from the next settlement, or soon without one
}

// statementReadyWithin is the longest time that a promised statement takes.
const statementReadyWithin = 3 * time.Second

// readyStatements makes promised statements ready, even without a settlement.
func (s *Server) readyStatements() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready() {
		_ = s.keep()
	}
}

// ready makes promised statements ready, sends a webhook for each, and reports whether any was not ready
// before. The caller holds s.mu.
func (s *Server) ready() (news bool) {
	for _, q := range s.bank.Requests {
		if !q.Ready {
			q.Ready, news = true, true
			s.hint("statement", map[string]string{"bank_account_id": q.AccountID, "request_id": q.ID})
		}
	}
	return news
}

// india is the zone of a statement's dates; the interface names none.
var india = time.FixedZone("IST", 5*3600+1800)

// fetchStatements answers "Fetch bank statements".
func (b *bank) fetchStatements(r request) *answer {
	q := r.query
	from, errFrom := time.ParseInLocation(time.DateOnly, q.Get("from_date"), india)
	to, errTo := time.ParseInLocation(time.DateOnly, q.Get("to_date"), india)
	a := b.account(q.Get("bank_account_id"))
	switch {
	case errFrom != nil || errTo != nil:
		return b.refuse(r, "dates", "from_date and to_date are required as YYYY-MM-DD")
	case to.Before(from):
		return b.refuse(r, "dates", "to_date is before from_date")
	case to.Sub(from) > bankapi.MostStatementDays*24*time.Hour:
		return b.refuse(r, "window", "at most %d days between from_date and to_date", bankapi.MostStatementDays)
	case q.Get("bank_account_id") == "":
		return b.refuse(r, "account", "bank_account_id is required")
	case a == nil || a.Linking != nil:
		return b.refuse(r, "account", "bank_account_id is not one of the merchant's accounts")
	case q.Get("sub_merchant_id") == "" && b.reading.StatementNeedsMerchant:
		return b.refuse(r, "merchant", "sub_merchant_id is required")
	case !matches(q.Get("sub_merchant_id"), a.SubMerchantID):
		return b.refuse(r, "merchant", "the account belongs to another sub-merchant")
	}
	id := b.dice.uuid("statement", a.BankAccountID, q.Get("from_date"), q.Get("to_date"))
	if a.rules().AsyncStatements {
		return b.promise(id, a)
	}
	to = to.AddDate(0, 0, 1)
	if b.reading.StatementOfPayouts {
		return b.payoutStatement(a, from, to, r)
	}
	return page(b, r, b.statement(a, from, to), func(shown []bankapi.StatementEntry) any {
		return bankapi.StatementData{BankAccountID: a.BankAccountID, RequestID: id, Statements: &shown}
	})
}

// promise answers for partner bank 8: HTTP 202, no statement, and a webhook when it is ready. The interface
// does not show how to fetch it then.
func (b *bank) promise(id string, a *Account) *answer {
	q := &statementAsked{ID: b.dice.uuid(id, strconv.Itoa(len(b.Requests))), AccountID: a.BankAccountID}
	b.Requests = append(b.Requests, q)
	promised := answered(bankapi.StatementData{BankAccountID: a.BankAccountID, RequestID: q.ID}, nil)
	promised.status = http.StatusAccepted
	return promised
}

// statement returns the entries from one moment to just before another, oldest first or, by seed, newest first.
// Their balances chain from the opening balance to the current one.
func (b *bank) statement(a *Account, from, to time.Time) []bankapi.StatementEntry {
	all := []bankapi.StatementEntry{}
	add := func(at time.Time, e bankapi.StatementEntry) {
		if at.Before(from) || !at.Before(to) {
			return
		}
		e.Transacted, e.Posted = at.In(india).Format(time.DateTime), at.In(india).Format(time.DateTime)
		e.Value = at.In(india).Format(time.DateOnly) + " 00:00:00"
		all = append(all, e)
	}
	before := a.Opening
	for i, e := range a.Entries {
		for _, other := range b.others(a, i, before) {
			add(e.At, other)
		}
		reference, remarks := e.UTR, b.remarks(e)
		if e.Kind == bankapi.EntryCredit && b.reading.NamelessReturns {
			reference, remarks = "RVSL"+b.dice.digits(9, "return", a.BankAccountID, strconv.Itoa(i)), "REVERSAL"
		}
		add(e.At, bankapi.StatementEntry{
			TransactionID: b.dice.digits(12, "entry", a.BankAccountID, strconv.Itoa(i)),
			Amount:        e.Amount.String(), Type: e.Kind, Closing: e.Closing.String(),
			Reference: reference, Remarks: remarks,
		})
		before = e.Closing
	}
	if b.reading.NewestFirst {
		slices.Reverse(all)
	}
	return all
}

// others returns entries of third parties just before the account's i-th entry: money that came and went again,
// so the balance stays what our own payouts leave.
func (b *bank) others(a *Account, i int, before ledger.Paise) []bankapi.StatementEntry {
	n := strconv.Itoa(i)
	if b.dice.roll(4, "others", a.BankAccountID, n) != 0 {
		return nil
	}
	amount := ledger.Paise(1_000_00 + b.dice.roll(50_000_00, "others amount", a.BankAccountID, n))
	of := func(which, kind, remarks string, closing ledger.Paise) bankapi.StatementEntry {
		return bankapi.StatementEntry{
			TransactionID: b.dice.digits(12, which, a.BankAccountID, n), Amount: amount.String(), Type: kind, Closing: closing.String(),
			Reference: "OWN" + b.dice.digits(9, which, a.BankAccountID, n), Remarks: remarks,
		}
	}
	return []bankapi.StatementEntry{
		of("others in", bankapi.EntryCredit, "NEFT INWARD", before+amount),
		of("others out", bankapi.EntryDebit, "TRANSFER TO OWN ACCOUNT", before),
	}
}

// remarks are free text from the bank.
func (b *bank) remarks(e entry) string {
	what := "NEFT"
	if e.Kind == bankapi.EntryCredit {
		what = "NEFT RETURN"
	}
	if b.reading.NamesReference {
		return fmt.Sprintf("%s/%s/%s", what, e.UTR, e.Ref)
	}
	return what
}

// payoutStatement is the other shape: the payouts of one batch. The interface does not show which batch; this
// takes the last one that was debited in the time.
func (b *bank) payoutStatement(a *Account, from, to time.Time, r request) *answer {
	of := &Batch{BankAccountID: a.BankAccountID} // without payouts, if there is no such batch
	for _, e := range a.Entries {
		if t := b.byRef[e.Ref]; t != nil && !e.At.Before(from) && e.At.Before(to) {
			of = t
		}
	}
	return b.statusPage(r, of, b.ordered(of, "status"))
}
