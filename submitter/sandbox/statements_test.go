package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// days gives the query of a statement of account from n days ago to today.
func days(n, account int) []string {
	today := time.Now().In(india)
	return []string{
		"from_date", today.AddDate(0, 0, -n).Format(time.DateOnly), "to_date", today.Format(time.DateOnly),
		"bank_account_id", accountID(account), "sub_merchant_id", subMerchantID, "limit", "100",
	}
}

// entries fetches all pages of a statement.
func (c *client) entries(query ...string) (all []bankapi.StatementEntry) {
	c.t.Helper()
	cursor := ""
	for {
		var data bankapi.StatementData
		g := c.get(bankapi.PathStatements, append(slices.Clone(query), "cursor", cursor)...)
		succeeded(c.t, g, &data)
		if data.Statements == nil || data.RequestID == "" || data.BankAccountID == "" {
			c.t.Fatalf("not a statement: %s", g.raw)
		}
		all = append(all, *data.Statements...)
		page := g.env.Meta.Pagination
		if page == nil {
			c.t.Fatalf("no pagination: %s", g.raw)
		}
		if !page.HasMore {
			return all
		}
		cursor = *page.NextCursor
	}
}

// A statement shows each debit and return once, by its UTR, others' entries
// besides, and balances that chain from the opening to what the account holds.
func TestAStatementShowsWhatWasPaidAndItsBalancesChain(t *testing.T) {
	for _, newest := range []bool{false, true} {
		seed := seedWith(t, false, func(r Reading) bool { return !r.StatementOfPayouts && r.NewestFirst == newest })
		t.Run(fmt.Sprint("newest first ", newest), func(t *testing.T) {
			c := bulk(t, Options{Seed: seed}, 120, map[string]string{"r-002": "failed", "r-003": "returned"})
			c.settle(7)
			all := c.entries(days(1, 3)...)
			if newest {
				slices.Reverse(all)
			}
			balance, ids := openingBalance, map[string]bool{}
			debits, credits, others := map[string]int{}, map[string]int{}, 0
			for _, e := range all {
				amount, err := ledger.ParsePaise(fmt.Sprint(e.Amount))
				if err != nil || ids[e.TransactionID] {
					t.Fatalf("%+v: %v", e, err)
				}
				ids[e.TransactionID] = true
				switch {
				case strings.HasPrefix(e.Reference, "OWN"):
					others++
				case e.Type == "debit":
					debits[e.Reference]++
				default:
					credits[e.Reference]++
				}
				if e.Type == "debit" {
					amount = -amount
				}
				if balance += amount; e.Closing != balance.String() {
					t.Fatalf("%+v: want a closing balance of %s", e, balance)
				}
				if _, err := time.Parse(time.DateTime, e.Transacted); err != nil {
					t.Error(err)
				}
			}
			if len(debits) != 119 || others == 0 || others%2 != 0 {
				t.Errorf("%d debits, %d entries of others", len(debits), others)
			}
			if utr := c.payout("r-003").BankTxnRefID; len(credits) != 1 || credits[utr] != 1 || debits[utr] != 1 {
				t.Errorf("the return of %s: %v", utr, credits)
			}
			var b bankapi.BalanceList
			succeeded(t, c.get(bankapi.PathBalance, "bank_account_id", accountID(3)), &b)
			if b.Balances[0].Balance != balance.String() {
				t.Errorf("the account holds %s, its statement ends with %s", b.Balances[0].Balance, balance)
			}
			if got := c.entries(append(days(1, 3), "from_date", "2020-01-01", "to_date", "2020-01-31")...); len(got) != 0 {
				t.Errorf("entries of another year: %+v", got)
			}
		})
	}
}

func TestRemarksNameTheReferenceBySeed(t *testing.T) {
	for _, names := range []bool{false, true} {
		seed := seedWith(t, false, func(r Reading) bool { return !r.StatementOfPayouts && r.NamesReference == names })
		c := bulk(t, Options{Seed: seed}, 1, nil)
		c.settle(6)
		named := 0
		for _, e := range c.entries(days(1, 3)...) {
			if strings.Contains(e.Remarks, "r-001") {
				named++
			}
		}
		if named == 1 != names {
			t.Errorf("named %d times, want %v", named, names)
		}
	}
}

func TestTheOtherShapeOfAStatement(t *testing.T) {
	c := bulk(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return r.StatementOfPayouts && !r.ShortPages })}, 3, nil)
	query := days(1, 3)
	if g := c.get(bankapi.PathStatements, query...); !strings.Contains(string(g.raw), `"payouts":[]`) {
		t.Errorf("before anything was debited: %s", g.raw)
	}
	c.settle(6)
	g := c.get(bankapi.PathStatements, query...)
	if got := accepted(t, g); got.BatchID != "b" || got.BankAccountID != accountID(3) || len(got.Payouts) != 3 || strings.Contains(string(g.raw), `"statements"`) {
		t.Errorf("got %s", g.raw)
	}
}

// Partner bank 8 promises the statement and hints when it is ready: at the next
// settlement, or soon by itself.
func TestPartnerBank8PromisesAStatement(t *testing.T) {
	url, received := receiver(t, http.StatusNoContent)
	c := newClient(t, Options{Seed: 6, WebhookURL: url})
	g := c.get(bankapi.PathStatements, append(days(1, 8), "cursor", "ignored", "limit", "100000")...)
	if g.status != http.StatusAccepted || g.env.Meta.Pagination != nil || !strings.Contains(string(g.raw), `"statements":null`) || !strings.Contains(string(g.raw), `"request_id":"`) {
		t.Fatalf("HTTP %d: %s", g.status, g.raw)
	}
	if n := len(c.webhooks()); n != 0 {
		t.Errorf("%d webhooks before it is ready", n)
	}
	c.settle(1)
	<-received
	if sent := c.webhooks(); len(sent) != 1 || sent[0].Event != "statement" {
		t.Errorf("sent %+v", sent)
	}
	c.settle(2)
	if n := len(c.webhooks()); n != 1 {
		t.Errorf("%d webhooks for one statement", n)
	}
}

func TestAPromisedStatementIsReadySoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := openBank(Options{Seed: 6, Now: time.Now, WebhookURL: "http://127.0.0.1/hook"})
		must(t, err)
		s := &Server{bank: b, hints: make(chan *Webhook, 1)}
		b.promise("id", b.account(accountID(8)))
		go every(t.Context(), statementReadyWithin, s.readyStatements)
		time.Sleep(statementReadyWithin)
		synctest.Wait()
		if len(s.State().Webhooks) != 1 {
			t.Error("it is not ready")
		}
	})
}

func TestStatementsThatAreRefused(t *testing.T) {
	seed := func(needs bool) int64 {
		return seedWith(t, false, func(r Reading) bool { return r.StatementNeedsMerchant == needs && !r.StatementOfPayouts })
	}
	c := newClient(t, Options{Seed: seed(true)})
	with := func(name, value string) []string { return append(days(30, 3), name, value) }
	if got := c.entries(days(30, 3)...); len(got) != 0 {
		t.Errorf("entries of a new account: %+v", got)
	}
	for name, query := range map[string][]string{
		"no from_date":                  with("from_date", ""),
		"no to_date":                    with("to_date", ""),
		"a date of another form":        with("from_date", "01-03-2031"),
		"31 days":                       days(31, 3),
		"to before from":                with("to_date", "2020-01-01"),
		"no account":                    with("bank_account_id", ""),
		"another's account":             with("bank_account_id", "a"),
		"no sub-merchant":               with("sub_merchant_id", ""),
		"another sub-merchant":          with("sub_merchant_id", "sm_0002"),
		"a cursor of another statement": with("cursor", "x"),
	} {
		t.Run(name, func(t *testing.T) { refused(t, c.get(bankapi.PathStatements, query...), 400) })
	}
	lenient := newClient(t, Options{Seed: seed(false)})
	lenient.entries(append(days(30, 3), "sub_merchant_id", "")...)
}
