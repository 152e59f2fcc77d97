package app

import (
	"context"
	"time"

	"payrun/submitter/bankapi"
)

// StatementRequest names an account and the days that are asked for, both
// included.
type StatementRequest struct {
	SubMerchantID string // "" for the configured one, if any
	Account       string // by its name or id
	From, To      time.Time
}

// StatementWindow is the statement of a part of the days that were asked for:
// the interface gives at most bankapi.MostStatementDays at once.
type StatementWindow struct {
	bankapi.Statement
	From, To time.Time
}

// Statement fetches the statement of an account, window by window, all pages of
// each. With an error the windows that were read whole before it are returned.
func (a *App) Statement(ctx context.Context, call Call, r StatementRequest) (windows []StatementWindow, err error) {
	account, err := a.account(r.Account)
	if err != nil {
		return nil, err
	}
	if r.SubMerchantID == "" {
		r.SubMerchantID = a.set.SubMerchantID
	}
	asked := windowsOf(r.From, r.To)
	if len(asked) > mostWindows {
		return nil, Fail(Usage, "that would be %d requests; ask for at most %d days at once", len(asked), mostWindows*bankapi.MostStatementDays)
	}
	err = a.atBank(call, func(c *bankapi.Client) error {
		reading := call.progress().Begin("reading the statement", "windows")
		defer reading.End()
		for _, w := range asked {
			w.Statement, err = c.Statement(ctx, bankapi.StatementQuery{BankAccountID: account, SubMerchantID: r.SubMerchantID, From: w.From, To: w.To})
			if err != nil {
				return notListed("the statement from "+w.From.Format(time.DateOnly)+" to "+w.To.Format(time.DateOnly), err)
			}
			windows = append(windows, w)
			reading.Add(1)
		}
		return nil
	})
	return windows, err
}

// mostWindows bounds what one command asks for: ten years.
const mostWindows = 123

// StatementSince is the first day of the longest statement that ends at to and
// takes one request.
func StatementSince(to time.Time) time.Time { return to.AddDate(0, 0, 1-bankapi.MostStatementDays) }

// windowsOf splits days into windows of at most bankapi.MostStatementDays days,
// the first and the last counted: whether the interface counts both is not shown.
func windowsOf(from, to time.Time) (windows []StatementWindow) {
	for !from.After(to) && len(windows) <= mostWindows {
		last := from.AddDate(0, 0, bankapi.MostStatementDays-1)
		if last.After(to) {
			last = to
		}
		windows = append(windows, StatementWindow{From: from, To: last})
		from = last.AddDate(0, 0, 1)
	}
	return windows
}
