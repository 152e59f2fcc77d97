package cli

import (
	"cmp"
	"slices"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// writeWork writes the result of each batch, as a document or a table, and the next step. It writes nothing
// if work is nil.
func (s *session) writeWork(verb string, work *app.Work) error {
	if work == nil {
		return nil
	}
	if s.nextIs(work.Next...); len(work.Results)+len(work.Locks)+len(work.Next) == 0 {
		s.last = "There was nothing to " + verb + ". All batches are in: payrun status"
	}
	for _, r := range work.Results {
		work.Locks = append(work.Locks, r.Locks...)
	}
	s.showResults(work.Results)
	s.showUnusual("\nUnusual", work.Unusual)
	s.showLocks(work.Locks)
	return s.document("payrun."+verb+"/v1", doc.Outcomes{Batches: app.Outcomes(work.Results), Funds: fundsLines(s.set, work.Funds), Locks: doc.NewLocks(work.Locks), Unusual: work.Unusual.First})
}

// shownBatches is how many batches a table shows without --verbose.
const shownBatches = 20

func (s *session) showResults(results []app.Result) {
	if len(results) == 0 {
		return
	}
	shown, behind := s.apart(results)
	if len(shown) > 0 {
		t := s.term.Table(term.Columns{"Batch", "Account", "Payouts", "Total", "Now", "What happened"}, 3, 4).Notes()
		showList(s, t, shown, shownBatches, "batches", func(r app.Result) {
			t.Row(ledger.ShortID(r.Batch.ID), s.set.AccountName(r.Batch.BankAccountID), r.Batch.Count, r.Batch.Total.Rupees(),
				s.term.Paint(stateColor(r.Batch.State), r.Batch.State.Words()), cmp.Or(r.Message, r.Outcome))
		})
	}
	if n := len(behind); n > 0 {
		var sum ledger.Paise
		for _, r := range behind {
			sum += r.Batch.Total // cannot overflow: all batches are of one ledger, which limits its sum
		}
		s.term.Resultf("%s batches, %s together, wait their turn: another batch of the same debit account has its OTP first (otp.held_at_once).",
			ledger.Grouped(n), sum.Rupees())
		s.term.Resultf("payrun run takes them one after the other, as the OTPs are entered.")
	}
}

// apart separates the results that only wait behind another batch, if there are several of them.
func (s *session) apart(results []app.Result) (shown, behind []app.Result) {
	waits := func(r app.Result) bool { return r.Attention == ledger.QueuedBehindOTP && !s.term.Verbose }
	if behind = ledger.Where(results, waits); len(behind) == 1 {
		return results, nil
	}
	return slices.DeleteFunc(slices.Clone(results), waits), behind
}

// shownOf returns how many of all rows a table shows without --verbose: limit, or all if only one would be
// left out.
func (s *session) shownOf(all, limit int) int {
	return either(s.term.Verbose || all-limit == 1, all, min(all, limit))
}

// showList shows a table of a list, at most most of it without --verbose. row adds the row, or rows, of one element; what
// names the elements.
func showList[T any](s *session, t *term.Table, list []T, most int, what string, row func(T)) {
	for _, v := range head(list, s.shownOf(len(list), most)) {
		row(v)
	}
	t.Render()
	s.showMore(len(list), most, what)
}

// showMore says how many rows a table with this limit left out.
func (s *session) showMore(all, limit int, what string) {
	s.showLeft(all-s.shownOf(all, limit), what)
}

func (s *session) showLeft(left int, what string) {
	if left > 0 {
		s.term.Resultf("… and %s more%s%s", ledger.Grouped(left), either(what == "", "", " "+what), either(s.term.Verbose, "", " (--verbose shows all)"))
	}
}

// either returns so where is holds, and other where it does not. Both are evaluated.
func either[T any](is bool, so, other T) T {
	if is {
		return so
	}
	return other
}

func head[T any](s []T, n int) []T { return s[:min(n, len(s))] }

// groups puts elements with the same key together, ordered by the first element of each group.
func groups[T any, K comparable](all []T, key func(T) K) (list [][]T) {
	at := map[K]int{}
	for _, v := range all {
		k := key(v)
		i, known := at[k]
		if !known {
			i = len(list)
			at[k], list = i, append(list, nil)
		}
		list[i] = append(list[i], v)
	}
	return list
}

// document writes v as one line of JSON, with --json only. schema is "" if the line has no schema.
func (p *program) document(schema string, v any) error {
	if !p.term.JSON {
		return nil
	}
	return doc.Write(p.term.Out, schema, v)
}

// hintLines words a hint. A command that is a next step gets its own line, so that it can be copied.
func (p *program) hintLines(h app.Hint) []string {
	var lines []string
	switch {
	case len(h.Command) == 0:
		return []string{strings.TrimSpace(h.Before + " " + h.After)}
	case h.After != "": // a command inside a sentence
		return []string{either(h.Before == "", "", h.Before+": ") + p.typed(h.Command) + " " + h.After}
	case h.Before != "":
		lines = append(lines, h.Before)
	}
	return append(lines, term.Next+p.typed(h.Command))
}

// nothingLeft is shown after a command that leaves nothing to do.
const nothingLeft = "Nothing is left to do. The files are written by: payrun report"

// nextIs sets the next steps, which are printed last, also with --json.
func (p *program) nextIs(hints ...app.Hint) {
	p.last = cmp.Or(strings.Join(p.plainHints(hints), "\n"), nothingLeft)
}

// maySay shows an optional next step, to people only.
func (p *program) maySay(h app.Hint) { p.term.Progressf("%s", strings.Join(p.hintLines(h), "\n")) }

// typed returns a payrun command as typed in a shell, with the current flags that name the ledger and,
// where they apply, those for reading the sheet.
func (p *program) typed(command []string) string {
	words := slices.Clone(command)
	if command[0] == "load" && (p.verb == "check" || p.verb == "load") || command[0] == "run" && p.verb == "run" {
		for _, flag := range p.given {
			if flag != "--online" { // does not affect how a sheet is read
				words = append(words, flag)
			}
		}
	}
	for _, f := range []struct{ name, value string }{{"--config", p.flags.config}, {"--ledger", p.flags.ledger}} {
		if f.value != "" && command[0] != "help" {
			words = append(words, f.name, f.value)
		}
	}
	return ledger.CommandLine(words)
}
