package desk

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// sinceOf is what the page of the sheet that was loaded last says of last time.
func (h *house) sinceOf(b *browser) page {
	h.Helper()
	all := h.batches()
	p := b.get("/sheets/" + all[len(all)-1].SheetID)
	p.body, _, _ = strings.Cut(p.body, "Compare with another sheet")
	return p.since("The largest")
}

// since is what a page says of the comparison, up to some words: a line a row of its table.
func (p page) since(end string) page {
	_, p.body, _ = strings.Cut(p.body, "<h2>Compared with")
	p.body, _, _ = strings.Cut(p.body, end)
	p.body = regexp.MustCompile(`<tr><th scope="row">([^<]*)</th><td[^>]*>(\d+)</td><td[^>]*>(?:<b>)?([+−]?) ?<data value="([^"]*)">[^<]*</data>(?:</b>)?</td></tr>`).ReplaceAllString(p.body, "$1 $2: $3$4\n")
	return p
}

// The sheet before is found however many sheets of other debit accounts lie between.
func TestTheSheetBeforeIsFoundHoweverLongAgo(t *testing.T) {
	h := build(t, "INV/1")
	b := h.adminWho("pay")
	is(t, h.sinceOf(b), 200, "No earlier sheet of this account was paid or can still be paid.")
	for i := range 51 {
		h.loadFor("pb4", fmt.Sprintf("V/%d", i))
	}
	h.load("INV/2")
	p := h.sinceOf(b)
	is(t, p, 200, "Was 1: 100.00\n", "nov.csv: 1 payout of ₹100.00, planned, not paid yet.", "1 the same", "1 payee in common")
	isNot(t, p, "No sheet before", "\nNew ")
}

// What was abandoned was not paid last time, of this sheet neither; and a look after it
// says so, although it was looked at before.
func TestWhatWasGivenUpIsNotLastTime(t *testing.T) {
	h := build(t)
	h.reopen(func(set *config.Settings) { set.Limits.PayoutsPerBatch = 1 })
	h.loadRows("OCT/1,Asha Traders,123456789012,HDFC0001234,100.00,pb3", "OCT/2,Fraud Traders,223456789012,HDFC0001234,300000.00,pb3")
	october := h.batches()
	h.loadRows("NOV/1,Asha Traders,123456789012,HDFC0001234,120.00,pb3", "NOV/2,Fraud Traders,223456789012,HDFC0001234,300000.00,pb3", "NOV/3,Third Traders,323456789012,HDFC0001234,1.00,pb3")
	h.twoPeople()
	b := h.as("meera")
	is(t, h.sinceOf(b), 200, "2 payouts of ₹3,00,100.00, planned, not paid yet.", "1 the same")
	giveUp := func(all []ledger.Batch, total ledger.Paise) {
		t.Helper()
		for _, x := range all {
			if x.Total == total {
				h.must(h.app.Abandon(h.Context(), app.Call{Actor: atTerminal}, app.AbandonRequest{Batches: []string{x.ID}, Reason: "fraud"}))
			}
		}
	}
	giveUp(october, 300000_00)
	p := h.sinceOf(b)
	is(t, p, 200, "1 payout of ₹100.00, planned, not paid yet; without 1 payout of ₹3,00,000.00 that failed, came back, or was refused or cancelled.", "0 the same",
		"Was 1: 100.00\n", "New 2: +300001.00\n", "Get more 1: +20.00\n", "Is 3: 300121.00\n")
	giveUp(h.batches(), 1_00)
	p = h.sinceOf(b)
	is(t, p, 200, "New 1: +300000.00\n", "Is 2: 300120.00\n", "2 payouts of ₹3,00,120.00, planned, not paid yet; without 1 payout of ₹1.00 ")
	giveUp(october, 100_00)
	is(t, h.sinceOf(b), 200, "No earlier sheet of this account was paid or can still be paid.")
}

// loadSheet loads a sheet by asha; bad rows are left out.
func (h *house) loadSheet(name string, options app.SheetOptions, columns string, rows ...string) {
	h.Helper()
	options.SkipBad = true
	h.loadText(name, header+columns+"\n"+strings.Join(rows, "\n")+"\n", options)
}

// sinceOfRun is what a run is shown of a sheet that is not loaded yet; it does not go
// on.
func (h *house) sinceOfRun(columns string, rows ...string) (all []app.SinceLast) {
	h.Helper()
	path := h.file("run.csv", header+columns+"\n"+strings.Join(rows, "\n")+"\n")
	no := errors.New("no")
	_, err := h.app.Run(h.Context(), app.Call{Actor: atTerminal}, app.RunRequest{Sheets: []string{path}, GoOn: func(_ context.Context, out app.Outgoing) (ledger.Paise, error) {
		all = out.Since
		return 0, no
	}})
	if !errors.Is(err, no) {
		h.Fatal(err)
	}
	return all
}

// Rows that a sheet had left out belong to it, whichever sheet brings them.
func TestTheRestOfASheetIsNotLastTime(t *testing.T) {
	h := build(t).twoPeople()
	b := h.as("meera")
	h.loadSheet("sep.csv", app.SheetOptions{}, "", "SEP/1,Asha Traders,123456789012,HDFC0001234,100.00,pb3")
	h.loadSheet("oct.csv", app.SheetOptions{}, "", "OCT/1,Asha Traders,123456789012,HDFC0001234,100.00,pb3", "OCT/2,Ravi Traders,223456789012,HDFC000,50.00,pb3")
	october := h.batches()[1].SheetID
	rest := []string{"OCT/2,Ravi Traders,223456789012,HDFC0001234,50.00,pb3," + october + ",3"}
	all := h.sinceOfRun(",payrun_sheet,payrun_row", rest...)
	if len(all) != 1 || all[0].Sheet != "oct.csv" || all[0].Before.Name != "sep.csv" || all[0].New != (ledger.Tally{Count: 1, Total: 50_00}) || all[0].Now != (ledger.Tally{Count: 2, Total: 150_00}) {
		t.Errorf("before it is loaded: %+v", all)
	}
	h.loadSheet("oct.rejected.csv", app.SheetOptions{}, ",payrun_sheet,payrun_row", rest...)
	p := h.sinceOf(b)
	is(t, p, 200, "sep.csv: 1 payout of ₹100.00", "New 1: +50.00\n", "Is 2: 150.00\n", "1 the same")
	h.loadSheet("nov.csv", app.SheetOptions{}, "", "NOV/1,Asha Traders,123456789012,HDFC0001234,100.00,pb3", "NOV/2,Ravi Traders,223456789012,HDFC0001234,50.00,pb3")
	p = h.sinceOf(b)
	is(t, p, 200, "oct.csv, with the rows that it left out and later sheets brought: 2 payouts of ₹150.00, planned, not paid yet.", "2 the same")
	isNot(t, p, "\nNew ", "No longer paid", "oct.rejected.csv")
}

// A payout that was corrected counts as it is sent now, and a sheet that only corrects
// is no time of its own.
func TestCorrectionsCountSinceLastTime(t *testing.T) {
	h := build(t)
	h.loadSheet("oct.csv", app.SheetOptions{}, "", "OCT/1,Asha Traders,123456789012,HDFC0001234,100.00,pb3", "OCT/2,Ravi Traders,223456789012,HDFC0001234,50.00,pb3")
	h.twoPeople()
	h.must(h.app.Abandon(h.Context(), app.Call{Actor: atTerminal}, app.AbandonRequest{Batches: []string{h.batches()[0].ID}, Reason: "wrong"}))
	p := h.as("meera").get("/sheets")
	is(t, p, 200, "<small>2 cancelled</small>")
	isNot(t, p, "Done")
	h.loadSheet("fixed.csv", app.SheetOptions{Choices: app.Choices{Correct: true}}, "", "OCT/2,Ravi Traders,223456789099,HDFC0001234,70.00,pb3")
	h.loadSheet("nov.csv", app.SheetOptions{}, "", "NOV/1,Asha Traders,123456789012,HDFC0001234,100.00,pb3", "NOV/2,Ravi Traders,223456789099,HDFC0001234,75.00,pb3")
	is(t, h.as("meera").get("/sheets"), 200, "1 counted in the corrected sheet")
	p = h.sinceOf(h.as("meera"))
	is(t, p, 200, "oct.csv: 1 payout of ₹70.00, planned, not paid yet; without 1 payout of ₹100.00 ", "Was 1: 70.00\n", "New 1: +100.00\n",
		"Get more 1: +5.00\n", "Is 2: 175.00\n")
	isNot(t, p, "another account", "No longer paid")
}

// Words of a sheet are only words here, too, and what does not show is not the same name.
func TestWordsOfSheetsSinceLastTime(t *testing.T) {
	h := build(t)
	long := strings.Repeat("Very Long Traders ", 5)
	h.loadRows("OCT/1,<script>alert(1)</script>,123456789012,HDFC0001234,100.00,pb3", "OCT/2,"+long+",223456789012,HDFC0001234,7.00,pb3")
	h.loadRows("NOV/1,<script>alert(1)</script>,123456789099,HDFC0001234,100.00,pb3", "NOV/2,"+long+"x,223456789012,HDFC0001234,9.00,pb3", "NOV/3,Asha Traders,323456789012,HDFC0001234,1.00,pb3", "NOV/4,Ásha Traders,423456789012,HDFC0001234,1.00,pb3")
	p := h.sinceOf(h.adminWho("pay"))
	is(t, p, 200, "&lt;script&gt;alert(1)&lt;/script&gt;", "XXXXXXXX9012 → XXXXXXXX9099", "Get more 1: +2.00\n", "1 at another account")
	isNot(t, p, "<script", "123456789099")
}

// A sheet that waits is compared with the one before it, too: what of it would be loaded,
// as the ledger is, and as the sheet is read now, for who brought it.
func TestAWaitingSheetTellsWhatChangedSinceLastTime(t *testing.T) {
	h := build(t)
	h.loadSheet("oct.csv", app.SheetOptions{}, "", "OCT/1,Asha Traders,123456789012,HDFC0001234,100.00,pb3", "OCT/2,Ravi Traders,223456789012,HDFC0001234,50.00,pb3")
	october := h.batches()[0]
	b, other := h.adminWho("load"), h.invite("meera", "load")
	path := b.bring("nov.csv", header+"\n"+
		"NOV/1,Asha Traders,123456789012,HDFC0001234,130.00,pb3\n"+
		"NOV/2,Mina Traders,323456789012,HDFC0001234,7.00,pb3\n"+
		"NOV/3,Not Loaded,423456789012,HDFC0001234,9000.00,pb3\n"+ // what two rows are called is neither's
		"NOV/3,Nor This,523456789012,HDFC0001234,9000.00,pb3\n"+
		"NOV/4,Bad Bank,623456789012,HDFC000,9000.00,pb3\n").Header.Get("Location")
	since := func() page {
		p := b.get(path)
		is(t, p, 200, "Rows with errors are not compared.")
		return p.since(`<h2 id="load">`)
	}
	for range 2 { // and once more, by what was kept
		p := since()
		is(t, p, 200, "oct.csv: 2 payouts of ₹150.00, planned, not paid yet.", "Was 2: 150.00\n", "New 1: +7.00\n",
			"No longer paid 1: −50.00\n", "Get more 1: +30.00\n", "Is 2: 137.00\n", "Mina Traders")
		isNot(t, p, "9000.00", "323456789012")
	}
	is(t, other.get(path), 403)
	is(t, b.post(path+"/check", "form", b.formOf(path), "ref_prefix", "X/", "account", "pb4"), 303)
	is(t, since(), 200, "Is 2: 137.00\n")
	h.must(h.app.Abandon(t.Context(), app.Call{Actor: atTerminal}, app.AbandonRequest{Batches: []string{october.ID}, Reason: "by mistake"}))
	is(t, since(), 200, "No earlier sheet of this account was paid or can still be paid.")
	is(t, b.bring("bad.csv", header+"\nB/1,Bad Bank,623456789012,HDFC000,9000.00,pb3\n"), 303)
}
