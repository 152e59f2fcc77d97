package bankapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// MostStatementDays is the most days that to_date may lie after from_date (interface.md, "Limits").
const MostStatementDays = 30

// StatementQuery names the account and the days. From and To are days, both included; their time of day and
// zone are ignored.
type StatementQuery struct {
	BankAccountID string
	// SubMerchantID is sent if it is known: one variant of the interface requires it, the other leaves it out.
	SubMerchantID string
	From, To      time.Time
}

// Statement is the bank's answer to one query, with the ids of its pages. With ledger.ShapePending, the bank
// prepares the entries and calls a webhook when they are ready (partner bank 8); the interface does not show how
// to fetch them then.
type Statement struct {
	ledger.StatementRead
	BankTime time.Time            // by the bank's clock; zero if it gave none
	Payouts  []ledger.Observation // of ledger.ShapeOther
}

// Statement fetches the statement of one account over at most MostStatementDays, all pages (interface.md,
// "Fetch bank statements"). Every error is a *ledger.CallError; then nothing is returned, because half a
// statement does not show what is missing from it.
func (c *Client) Statement(ctx context.Context, q StatementQuery) (Statement, error) {
	query, err := q.values()
	if err != nil {
		return Statement{}, notSent(opStatements, err)
	}
	s := Statement{StatementRead: ledger.StatementRead{BankAccountID: q.BankAccountID, Source: ledger.FromInterface,
		From: q.From.Format(time.DateOnly), To: q.To.Format(time.DateOnly)}}
	err = eachPage(ctx, c, list{op: opStatements, path: PathStatements, query: query}, s.take)
	if err != nil && !errors.Is(err, errLast) {
		return Statement{}, listError(opStatements, err)
	}
	return s, nil
}

// values returns the query, or an error if it is incomplete or too long.
func (q StatementQuery) values() (url.Values, error) {
	if err := require(field{"bank_account_id", q.BankAccountID}); err != nil {
		return nil, err
	}
	from, to := day(q.From), day(q.To)
	switch days := int(to.Sub(from).Hours() / 24); {
	case days < 0:
		return nil, errors.New("to_date is before from_date")
	case days > MostStatementDays:
		return nil, fmt.Errorf("%d days where the interface takes at most %d", days, MostStatementDays)
	}
	return filters(field{"bank_account_id", q.BankAccountID}, field{"from_date", from.Format(time.DateOnly)}, field{"to_date", to.Format(time.DateOnly)},
		field{"sub_merchant_id", q.SubMerchantID}), nil
}

// day returns the day of a time as midnight UTC, so that days can be counted.
func day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// take adds a page. It refuses pages of another account and pages of different shapes.
func (s *Statement) take(page StatementData, meta Meta) error {
	s.BankTime = meta.bankTime()
	if !strings.EqualFold(page.BankAccountID, s.BankAccountID) {
		return fmt.Errorf("the statement is of account %q", clip(page.BankAccountID))
	}
	if page.RequestID != "" && !slices.Contains(s.RequestIDs, page.RequestID) {
		s.RequestIDs = append(s.RequestIDs, page.RequestID)
	}
	if s.Shape != "" && page.shape() != s.Shape {
		return errors.New("the pages have different shapes")
	}
	s.Shape = page.shape()
	switch s.Shape {
	case ledger.ShapePending: // ShapePending has no pages (interface.md: meta.timestamp only)
		return errLast
	case ledger.ShapeOther:
		s.Payouts = append(s.Payouts, ledger.ListOf(*page.Payouts, observation)...)
		return nil
	}
	for i, e := range *page.Statements {
		entry, err := e.read()
		if err != nil {
			return fmt.Errorf("data.statements[%d].%w", i, err)
		}
		s.Entries = append(s.Entries, entry)
	}
	return nil
}

func (d StatementData) shape() ledger.StatementShape {
	switch {
	case d.Payouts != nil:
		return ledger.ShapeOther
	case d.Statements != nil:
		return ledger.ShapeEntries
	}
	return ledger.ShapePending
}

// check compares the shape with the HTTP status.
func (d StatementData) check(r reply, _ string) error {
	switch pending := d.shape() == ledger.ShapePending; {
	case r.status == http.StatusAccepted && !pending:
		return errors.New("HTTP 202, yet the statement is there")
	case r.status == http.StatusOK && pending:
		return errors.New("neither data.statements nor data.payouts is there")
	case d.Statements != nil && d.Payouts != nil:
		return errors.New("data.statements and data.payouts are both there")
	}
	return nil
}

// read converts the entry to the ledger's type. If amount, direction, balance or day cannot be read, the whole
// statement is unreadable.
func (e StatementEntry) read() (ledger.StatementEntry, error) {
	out := ledger.StatementEntry{TransactionID: e.TransactionID, Reference: e.Reference, Remarks: e.Remarks, Debit: e.Type == EntryDebit}
	if e.Type != EntryDebit && e.Type != EntryCredit {
		return out, fmt.Errorf("transaction_type is %q", clip(e.Type))
	}
	amount, err := amountOf(e.Amount)
	if err != nil || amount == nil {
		return out, fmt.Errorf("transaction_amount %s cannot be read", clip(raw(e.Amount)))
	}
	out.Amount = *amount
	if out.Closing, err = balanceOf(e.Closing); err != nil {
		return out, fmt.Errorf("closing_balance: %w", err)
	}
	for _, date := range []struct {
		name, text string
		into       *string
	}{{"transacted_date", e.Transacted, &out.Transacted}, {"posted_date", e.Posted, &out.Posted}, {"value_date", e.Value, &out.Value}} {
		if _, err := time.Parse(time.DateTime, date.text); err != nil && (date.text != "" || date.into == &out.Transacted) {
			return out, fmt.Errorf("%s %q: want YYYY-MM-DD HH:MM:SS", date.name, clip(date.text))
		}
		*date.into = date.text
	}
	return out, nil
}
