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

// MostStatementDays is how far to_date may lie behind from_date (interface.md,
// "Limits").
const MostStatementDays = 30

// StatementQuery says what of which account is asked for. From and To are days,
// both included; their time of day and zone count for nothing.
type StatementQuery struct {
	BankAccountID string
	// SubMerchantID goes along where it is known: one variant of the interface
	// lists it as required, the other leaves it out.
	SubMerchantID string
	From, To      time.Time
}

// Statement is what the bank gave for one query.
type Statement struct {
	BankAccountID string
	// RequestIDs are those of the pages, each once, in their order; kept for
	// reconciliation.
	RequestIDs []string
	// Shape says what the bank gave: Entries; or ledger.ShapePending, where it prepares
	// them and calls a webhook when they are ready (partner bank 8), and how they are
	// fetched then is not shown; or ledger.ShapeOther, which is Payouts in their place.
	Shape   ledger.StatementShape
	Payouts []ledger.Observation
	Entries []ledger.StatementEntry // in the order of the answer
}

// Statement fetches the statement of one account over at most
// MostStatementDays, all pages of it (interface.md, "Fetch bank statements").
// Every error is a *ledger.CallError; with one, nothing is returned: half a
// statement says nothing about what is not in it.
func (c *Client) Statement(ctx context.Context, q StatementQuery) (Statement, error) {
	query, err := q.values()
	if err != nil {
		return Statement{}, notSent(opStatements, err)
	}
	s := Statement{BankAccountID: q.BankAccountID}
	err = eachPage(ctx, c, list{op: opStatements, path: PathStatements, query: query}, s.take)
	if err != nil && !errors.Is(err, errLast) {
		return Statement{}, listError(opStatements, err)
	}
	return s, nil
}

// values gives the query, or says what it lacks.
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

// day is a time's day as UTC has it, so that days can be counted.
func day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// take adds a page. Pages of another account, and pages of different shapes,
// are refused.
func (s *Statement) take(page StatementData, _ Meta) error {
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
	case ledger.ShapePending: // only a promise: it has no pages (interface.md: meta.timestamp only)
		return errLast
	case ledger.ShapeOther:
		s.Payouts = append(s.Payouts, observations(*page.Payouts)...)
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

// check holds the shape against the HTTP status.
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

// read gives the entry in the words of the ledger. An entry of which amount,
// direction, balance or day cannot be read makes the statement unreadable.
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
