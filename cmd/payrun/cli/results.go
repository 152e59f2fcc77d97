package cli

import (
	"cmp"

	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
	"payrun/submitter"
)

func batchLines(results []submitter.Result) []doc.Outcome {
	lines := []doc.Outcome{}
	for _, r := range results {
		lines = append(lines, doc.Outcome{ID: r.Batch.ID, State: r.Batch.State, Outcome: r.Outcome, Message: ledger.Plain(r.Message)})
	}
	return lines
}

// tell shows what happened to each batch: the document, or a table.
func (d *desk) tell(verb string, results []submitter.Result) error {
	if d.flags.json {
		return d.document(doc.Outcomes{Schema: "payrun." + verb + "/v1", Batches: batchLines(results)})
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
	t := d.term.Table(term.Columns{"Batch", "Account", "Payouts", "Total", "Now", "What happened"}, 3, 4)
	for _, r := range head(results, d.term.Most(shownBatches)) {
		t.Row(r.Batch.ID, d.set.AccountName(r.Batch.BankAccountID), r.Batch.Count, r.Batch.Total.Rupees(),
			d.term.Paint(stateColor(r.Batch.State), string(r.Batch.State)), ledger.Plain(cmp.Or(r.Message, r.Outcome)))
	}
	t.Render()
	d.showMore(len(results), "batches")
}

// showMore says what a shortened table left out.
func (d *desk) showMore(all int, what string) {
	if left := all - d.term.Most(shownBatches); left > 0 {
		d.term.Show("… and %s more %s (--verbose shows all)", ledger.Grouped(left), what)
	}
}

func head[T any](s []T, n int) []T { return s[:min(n, len(s))] }

func batches(n int) string { return ledger.Counted(n, "batch", "batches") }

func payouts(n int) string { return ledger.Counted(n, "payout", "payouts") }

// document writes v as one line of JSON.
func (a *app) document(v any) error { return doc.Write(a.term.Out, v) }
