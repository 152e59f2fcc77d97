package cli

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// runWait is how long run polls on a terminal.
const runWait = 2 * time.Minute

func (p *program) runCommand() command {
	return command{
		name: "run", args: "[SHEET...]",
		sends: true,
		brief: "check, ask, load; then for each batch initiate, OTP, submit; then poll and report",
		long: `The single commands in one sitting. All sheets are checked first. payrun shows what it is about to send
and asks once; a "no" loads nothing. All sheets are loaded, in one transaction, or none. A sheet that
is loaded already continues where it was, so after an interruption run the same command again. Without
a sheet it continues everything that is planned or held, until nothing is left to do. Without a
terminal it needs --yes. From policy.confirm_above a person types the total instead.`,
		examples: []string{"payrun run november.csv", "payrun run vendors.xlsx salaries.csv", "payrun run november.csv --expect-total 18,40,150.50", "payrun run"},
		exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitSheet, exitLocked, exitPerson, exitReturned, exitOpen,
			exitUnknown, exitMismatch, exitLedger},
		flags: append(sheetFlags(), shortFundsFlag(),
			read("wait", "poll for `DURATION` at the end (default: 2m on a terminal, otherwise once)", span(0))),
		usage: oneSheet,
		run:   p.with(run),
	}
}

func run(ctx context.Context, s *session, c *urfave.Context) error {
	wait := given[time.Duration](c, "wait")
	if !c.IsSet("wait") && s.term.Out.Terminal() {
		wait = runWait
	}
	shown := s.asked()
	r, err := s.app.Run(ctx, s.call, app.RunRequest{
		Sheets: c.Args().Slice(), Options: sheetOptions(c), Wait: wait,
		Checked: func(sheet *app.Sheet) {
			switch {
			case sheet.GoneOn:
				shown.term.Progressf("%s is loaded already and has not changed; run continues with it.", ledger.Plain(sheet.Sheet.Name))
			case s.term.CanAsk() && !s.term.Verbose && plain(sheet):
				shown.showPlainSheet(sheet) // its batches are shown before the question
			default:
				shown.showSheet(sheet)
			}
		},
		GoOn: s.goOn, Confirm: s.confirm, Prompt: s.prompt(), AllowShort: c.Bool("allow-short-funds"), Funds: s.fundsToSend,
	})
	if r == nil {
		return err
	}
	if s.nextIs(r.Next...); len(r.Next) == 0 {
		s.last = "Nothing is left to do."
	}
	if s.term.JSON {
		return errors.Join(s.runDocument(r), err)
	}
	if len(r.Results) > 0 {
		s.term.Resultf("")
	}
	s.showResults(r.Results)
	s.showReports(r.Reports)
	return err
}

// showReports names the files that were written. On a terminal it names their folder and the file to open.
func (s *session) showReports(paths []string) {
	if len(paths) == 0 {
		return
	}
	s.term.Resultf("")
	if s.term.Out.Terminal() && !s.term.Verbose {
		dir := filepath.Dir(paths[0])
		s.term.Resultf("Reports  %s in %s; open %s", ledger.Counted(len(paths), "file", "files"), ledger.Plain(dir), ledger.Plain(filepath.Join(dir, app.SummaryFile)))
		return
	}
	for _, p := range paths {
		s.term.Linef("%s", ledger.Plain(p))
	}
}

// ran is payrun.run/v1.
type ran struct {
	Load    *checked      `json:"load,omitempty"` // the first of Loads
	Loads   []checked     `json:"loads"`
	Batches []doc.Outcome `json:"batches"`
	Funds   []doc.Funds   `json:"funds,omitzero"`
	Reports []string      `json:"reports"` // paths
}

func (s *session) runDocument(r *app.Run) error {
	loads := doc.Each(r.Sheets, func(sheet app.Sheet) checked { return newChecked("payrun.load/v1", &sheet) })
	out := ran{Loads: loads, Batches: app.Outcomes(r.Results), Funds: fundsLines(s.set, r.Funds), Reports: doc.List(r.Reports)}
	if len(out.Loads) > 0 {
		out.Load = &out.Loads[0]
	}
	return s.document("payrun.run/v1", out)
}
