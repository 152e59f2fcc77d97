package desk

import (
	"context"
	"errors"
	"slices"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// concurrentChange: another person did what a job was asked for, while it waited.
type concurrentChange struct {
	By   string
	At   time.Time
	Did  string // "sent"
	Many bool   // of several batches it is the first
}

// done has, for each verb of a job, the word for it, its event, and the states of a batch after it.
var done = map[string]struct {
	did   string
	event ledger.BatchEvent
	then  []ledger.BatchState
}{
	"submit":   {"sent", ledger.SubmitAccepted, []ledger.BatchState{ledger.BatchSubmitted, ledger.BatchSettled}},
	"initiate": {"initiated", ledger.InitiateAccepted, []ledger.BatchState{ledger.BatchHeld, ledger.BatchSubmitting, ledger.BatchSubmitUnknown, ledger.BatchSubmitted, ledger.BatchSettled}},
}

// overtakenBy tells who did it meanwhile, where a job did nothing because its batches
// were not as they were shown any more, and all of them are where it would have
// brought them. nil: that is not so, and what stood in its way is news.
func (d *desk) overtakenBy(ctx context.Context, call app.Call, j *job) (*concurrentChange, error) {
	j.jobs.mu.Lock()
	err, worked := j.err, j.Batches
	j.jobs.mu.Unlock()
	verb := done[j.Verb]
	if !errors.Is(err, ledger.ErrStale) || len(worked) == 0 || len(worked) > mostOfEach {
		return nil, nil
	}
	now, err := d.app.Standing(ctx, call, worked)
	if err != nil || slices.ContainsFunc(now, func(b ledger.Batch) bool { return !slices.Contains(verb.then, b.State) }) {
		return nil, err
	}
	story, err := d.app.Batch(ctx, call, worked[0])
	for _, e := range slices.Backward(story.Events) {
		if e.Kind == string(verb.event) {
			return &concurrentChange{d.nameOf(e.Actor), e.At, verb.did, len(worked) > 1}, err
		}
	}
	return nil, err
}
