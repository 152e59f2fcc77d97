package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Stores with a mistake in what they answer.

type unfoldedQuestion struct{ *Store }

func (s unfoldedQuestion) UsedReferences(ctx context.Context, keys []string) (map[string]ledger.ReferenceUse, error) {
	found, err := s.Store.UsedReferences(ctx, keys)
	for key, use := range found {
		if strings.ToLower(use.Ref) != key {
			delete(found, key)
		}
	}
	return found, err
}

type eagerRetry struct{ *Store }

func (s eagerRetry) Retryable(ctx context.Context, id string) ([]ledger.Attempt, []ledger.Lock, error) {
	list, locks, err := s.Store.Retryable(ctx, id)
	if err != nil {
		return list, locks, err
	}
	err = s.EachPayout(ctx, ledger.Filter{SheetID: id, States: []ledger.PayoutState{ledger.PayoutPlanned}}, func(a ledger.Attempt) error {
		list = append(list, a)
		return nil
	})
	return list, locks, err
}

type shortTallies struct{ *Store }

func (s shortTallies) Tallies(ctx context.Context, batchIDs ...string) (map[ledger.PayoutState]ledger.Tally, error) {
	all, err := s.Store.Tallies(ctx, batchIDs...)
	delete(all, ledger.PayoutDisputed)
	return all, err
}

type shortWatch struct{ *Store }

func (s shortWatch) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	all, err := s.Store.Watched(ctx, since, asideSince)
	return all[:min(1, len(all))], err
}

type watchesNoRefused struct{ *Store }

func (s watchesNoRefused) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	all, err := s.Store.Watched(ctx, since, asideSince)
	return slices.DeleteFunc(all, func(b ledger.Batch) bool { return b.State == ledger.BatchRefused }), err
}

type forgetsAside struct{ *Store }

func (s forgetsAside) Watched(ctx context.Context, since, _ time.Time) ([]ledger.Batch, error) {
	return s.Store.Watched(ctx, since, since)
}

type knowsNoEarlier struct{ *Store }

func (s knowsNoEarlier) BatchRecord(ctx context.Context, batchID string) (ledger.BatchRecord, error) {
	k, err := s.Store.BatchRecord(ctx, batchID)
	for i := range k.Attempts {
		k.Attempts[i].Records = nil
	}
	return k, err
}

type firstWord struct{ *Store }

func (s firstWord) LastNotFoundReply(ctx context.Context) (w ledger.NotFoundReply, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT not_found_status, not_found_code FROM looks WHERE answer = 'not_known' ORDER BY intent_no LIMIT 1`).Scan(&w.HTTPStatus, &w.Code)
	if errors.Is(err, sql.ErrNoRows) {
		return w, nil
	}
	return w, err
}

type byState struct{ *Store }

func (s byState) BatchesIn(ctx context.Context, states ...ledger.BatchState) (all []ledger.Batch, err error) {
	for _, state := range states {
		some, err := s.Store.BatchesIn(ctx, state)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

type shortExport struct{ *Store }

func (s shortExport) Export(ctx context.Context, out ledger.Export) (ledger.AuditHead, error) {
	out.Release = func(ledger.ReleaseApproval) error { return nil }
	return s.Store.Export(ctx, out)
}

// shortBytes gives a sheet's bytes back without the last.
type shortBytes struct{ *Store }

func (s shortBytes) SheetContents(ctx context.Context, id string, w io.Writer) (ledger.ReadOptions, error) {
	var all strings.Builder
	r, err := s.Store.SheetContents(ctx, id, &all)
	if err != nil || all.Len() == 0 {
		return r, err
	}
	_, err = io.WriteString(w, all.String()[:all.Len()-1])
	return r, err
}

type eagerAside struct{ *Store }

func (s eagerAside) Retryable(ctx context.Context, sheetOrBatch string) ([]ledger.Attempt, []ledger.Lock, error) {
	list, locks, err := s.Store.Retryable(ctx, sheetOrBatch)
	setAside, _ := s.BatchesIn(ctx, ledger.BatchSetAside)
	for _, b := range setAside {
		if b.SheetID == sheetOrBatch {
			more, _, _ := s.Store.Retryable(ctx, b.ID)
			list = append(list, more...)
		}
	}
	return list, locks, err
}
