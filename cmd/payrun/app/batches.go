package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/submitter"
)

// Result is the state of one batch after a use case, and what happened to it.
type Result = submitter.Result

// Outcomes returns results as documents; never null.
func Outcomes(results []Result) []doc.Outcome {
	return doc.Each(results, func(r Result) doc.Outcome {
		return doc.Outcome{ID: r.Batch.ID, State: r.Batch.State, Outcome: r.Outcome, Message: ledger.Plain(r.Message)}
	})
}

// OTP is what a person entered, or a file or a program gave, for one batch.
type OTP = submitter.OTP

// Work is the result of a use case that works on batches.
type Work struct {
	Results     []Result
	Funds       []AccountFunds      // as they were before; nil if the bank was not asked
	Next        []Hint              // if nothing is waited for; empty if nothing is left to do
	Locks       []ledger.Lock       // of payouts that must not be paid again, for each payout the gravest first
	From, Until time.Time           // of a release: when the second person may confirm it
	Unusual     Few[ledger.Finding] // of a retry: what is unusual about its payouts, as before an initiate
}

// batch returns one batch that a person named.
func (o *operation) batch(ctx context.Context, word string) (ledger.Batch, error) {
	id, err := o.batchID(ctx, word)
	if err != nil {
		return ledger.Batch{}, err
	}
	return o.store.Batch(ctx, id)
}

// batches returns the batches that a person named, each once.
func (o *operation) batches(ctx context.Context, named []string) (found []ledger.Batch, err error) {
	whole, err := o.batchIDs(ctx, named)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	return o.batchesByID(ctx, slices.DeleteFunc(whole, func(id string) bool {
		again := known[id]
		known[id] = true
		return again
	}))
}

func (o *operation) batchesByID(ctx context.Context, ids []string) ([]ledger.Batch, error) {
	return listOf(ids, func(id string) (ledger.Batch, error) { return o.store.Batch(ctx, id) })
}

// done ends a use case that worked on batches. It joins the engine's error with what waits for a person.
// Work is nil if nothing was started.
func (o *operation) done(ctx context.Context, results []Result, c scope, engine error) (*Work, error) {
	ctx = context.WithoutCancel(ctx) // report what waits even after an interruption
	engine = errors.Join(engine, o.apart)
	var work *Work
	if len(results) > 0 || engine == nil {
		work = &Work{Results: results, Funds: o.firstFunds}
	}
	s, failed := o.weighed(ctx)
	err := errors.Join(engine, unanswered("not sent", results), failed)
	if failed == nil {
		err = errors.Join(err, o.attentionOf(s, c), waiting(results))
	}
	if err == nil {
		work.Next = o.next(s, s.needs())
		return work, nil
	}
	rest := totalOf(slices.DeleteFunc(s.Batches, func(b ledger.Batch) bool { return b.State != ledger.BatchPlanned }))
	if e := Worst(err); e.Code == PayoutsOpen && rest.Count > 0 {
		e.Then(Say("Not sent yet: %s (%s).", ledger.CountedBatches(rest.Count), rest.Total.Rupees()))
	}
	return work, err
}

// acted returns the ids of the batches in the results.
func acted(results []Result) []string {
	return ledger.ListOf(results, func(r Result) string { return r.Batch.ID })
}

// theOne returns the only id that a person's word names, in full or by enough of its
// beginning. what is the kind of thing, and list is the command that shows them.
func theOne(word, what, list string, ids []string) (string, error) {
	var found []string
	for _, id := range ids {
		if id == word {
			return id, nil
		}
		if ledger.BeginsID(word, id) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", Fail(Usage, "there is no %s %q; nothing was done", what, ledger.Plain(word)).Because(ledger.ErrNotFound).
			Then(Do(list).Which("lists them; the first %d characters after the two letters of an id are enough", ledger.ShortestID))
	}
	const few = 5
	return "", Fail(Usage, "the beginning %q fits %d of the kind %s; nothing was done", ledger.Plain(word), len(found), what).
		Then(Say("say more of it: %s", strings.Join(found[:min(few, len(found))], ", ")))
}

// batchID returns the full id of a batch that a person named.
func (o *operation) batchID(ctx context.Context, word string) (string, error) {
	named, err := o.store.BatchIDs(ctx, word)
	if err != nil {
		return "", err
	}
	id, err := theOne(word, "batch", "status", named)
	if errors.Is(err, ledger.ErrNotFound) {
		if sheet, none := o.sheetID(ctx, word); none == nil {
			err = Fail(Usage, "%s is a sheet, not a batch; nothing was done", ledger.Plain(word)).Because(ledger.ErrNotFound).
				Then(Do("status", sheet).Which("lists its batches"))
		}
	}
	return id, err
}

// batchIDs is batchID for several words.
func (o *operation) batchIDs(ctx context.Context, words []string) ([]string, error) {
	return listOf(words, func(word string) (string, error) { return o.batchID(ctx, word) })
}

// sheetID returns the full id of a sheet that a person named by its id or file name. If several sheets
// have the name, it takes the newest and warns.
func (o *operation) sheetID(ctx context.Context, word string) (string, error) {
	all, err := o.store.Sheets(ctx)
	if err != nil {
		return "", err
	}
	id, err := theOne(word, "sheet", "sheets", ledger.ListOf(all, func(s ledger.Sheet) string { return s.ID }))
	if !errors.Is(err, ledger.ErrNotFound) {
		return id, err
	}
	named := slices.DeleteFunc(all, func(s ledger.Sheet) bool { return s.Name != filepath.Base(word) })
	if len(named) == 0 {
		return "", err
	}
	newest := named[len(named)-1] // in the order of loading
	if len(named) > 1 {
		o.warn("%d sheets are named %s; this is the newest, %s, loaded %s", len(named), ledger.Plain(newest.Name), newest.ID, o.set.Clock(newest.LoadedAt))
	}
	return newest.ID, nil
}

// sheetOrBatchID returns the full id of the sheet or batch that a person named. Any other
// word is returned unchanged.
func (o *operation) sheetOrBatchID(ctx context.Context, word string) string {
	if id, err := o.sheetID(ctx, word); err == nil {
		return id
	}
	if id, err := o.batchID(ctx, word); err == nil {
		return id
	}
	return word
}

func ids(bs []ledger.Batch) []string {
	return ledger.ListOf(bs, func(b ledger.Batch) string { return b.ID })
}

// someIDs names the first few batches.
func someIDs(bs []ledger.Batch) string { return some(ids(bs), 3) }

// some lists the first few names, and counts the rest.
func some(names []string, few int) string {
	said := strings.Join(names[:min(few, len(names))], ", ")
	if more := len(names) - few; more > 0 {
		said += fmt.Sprintf(" and %s more", ledger.Grouped(more))
	}
	return said
}

// given returns an error in plain words for the first named file that does not exist. Where possible, it runs
// before the ledger is opened. Errors in an existing file are left to its reader.
func given(paths ...string) error {
	for _, path := range paths {
		_, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return Fail(Usage, "there is no file %s", ledger.Plain(path)).Because(err).
				Then(Say("check the spelling; a relative path starts in the current folder"))
		case err != nil:
			return Fail(Usage, "the file %s cannot be read: %v", ledger.Plain(path), config.Reason(err)).Because(err)
		}
	}
	return nil
}
