package cli

import (
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"payrun/ledger"
	"payrun/submitter"
)

// batchLine is one batch in the documents of initiate, submit, poll, retry and
// abandon.
type batchLine struct {
	ID      string            `json:"id"`
	State   ledger.BatchState `json:"state"`
	Outcome string            `json:"outcome"`
	Message string            `json:"message"`
}

func batchLines(results []submitter.Result) []batchLine {
	lines := []batchLine{}
	for _, r := range results {
		lines = append(lines, batchLine{r.Batch.ID, r.Batch.State, r.Outcome, plain(r.Message)})
	}
	return lines
}

// tell shows what happened to each batch: the document, or a table.
func (d *desk) tell(verb string, results []submitter.Result) error {
	if d.flags.json {
		return d.document(struct {
			Schema  string      `json:"schema"`
			Batches []batchLine `json:"batches"`
		}{"payrun." + verb + "/v1", batchLines(results)})
	}
	d.showResults(results)
	return nil
}

// shownBatches is how many batches a table shows without --verbose.
const shownBatches = 20

func (d *desk) showResults(results []submitter.Result) {
	if len(results) == 0 {
		return
	}
	t := d.newTable(table.Row{"Batch", "Account", "Payouts", "Total", "Now", "What happened"}, 3, 4)
	for _, r := range head(results, d.most(shownBatches)) {
		t.AppendRow(table.Row{r.Batch.ID, d.accountName(r.Batch.BankAccountID), r.Batch.Count, rupees(r.Batch.Total),
			d.paint(stateColor(r.Batch.State), string(r.Batch.State)), plain(first(r.Message, r.Outcome))})
	}
	t.Render()
	d.showMore(len(results), "batches")
}

// showMore says what a shortened table left out.
func (d *desk) showMore(all int, what string) {
	if left := all - d.most(shownBatches); left > 0 {
		d.show("… and %s more %s (--verbose shows all)", grouped(left), what)
	}
}

// most is the length of a table: limit, or everything with --verbose.
func (a *app) most(limit int) int {
	if a.flags.verbose {
		return int(^uint(0) >> 1)
	}
	return limit
}

func head[T any](s []T, n int) []T { return s[:min(n, len(s))] }

// account finds a configured debit account.
func (d *desk) account(id string) (account ledger.DebitAccount, found bool) {
	i := slices.IndexFunc(d.set.accounts, func(a ledger.DebitAccount) bool { return a.BankAccountID == id })
	if i < 0 {
		return account, false
	}
	return d.set.accounts[i], true
}

// accountName is the configured name of a debit account, or its id.
func (d *desk) accountName(id string) string {
	if a, found := d.account(id); found {
		return a.Name
	}
	return id
}

// counted words a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

func batches(n int) string { return counted(n, "batch", "batches") }

func payouts(n int) string { return counted(n, "payout", "payouts") }
