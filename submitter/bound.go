package submitter

import (
	"context"

	"payrun/ledger"
)

// Bind returns the current version of a batch, to which a decision about it is bound.
func Bind(ctx context.Context, store Store, enc Encoder, id string) (ledger.Bound, error) {
	now, _, err := bind(ctx, store, enc, id)
	return now, err
}

// BindPlanned is Bind for a planned batch whose audit trail has already been read.
func BindPlanned(ctx context.Context, store Store, enc Encoder, b ledger.Batch, trail *ledger.TrailDigest) (ledger.Bound, error) {
	payload, _, err := encode(ctx, store, enc, b)
	return ledger.Bound{BatchID: b.ID, ExpectedVersion: ledger.ExpectedVersion{Payload: payload.SHA256, Sequence: trail.Sequence()}}, err
}

// StillBound returns an *ledger.OvertakenError if a batch has changed since it was shown. The zero
// ExpectedVersion matches no batch.
func StillBound(ctx context.Context, store Store, enc Encoder, shown ledger.Bound) error {
	now, trail, err := bind(ctx, store, enc, shown.BatchID)
	if err != nil {
		return err
	}
	if shown.ExpectedVersion == (ledger.ExpectedVersion{}) {
		return &ledger.OvertakenError{BatchID: shown.BatchID, Since: trail.Changed}
	}
	return shown.Held(shown.BatchID, now.Payload, &trail)
}

// Overtaken returns the *ledger.OvertakenError of a batch, with its last change.
func Overtaken(ctx context.Context, store Store, id string) error {
	k, err := store.BatchRecord(ctx, id)
	if err != nil {
		return err
	}
	return &ledger.OvertakenError{BatchID: id, Since: k.Trail.Changed}
}

func bind(ctx context.Context, store Store, enc Encoder, id string) (now ledger.Bound, trail ledger.TrailDigest, err error) {
	k, err := store.BatchRecord(ctx, id)
	if err != nil {
		return now, trail, err
	}
	if k.Batch.State == ledger.BatchPlanned {
		now, err = BindPlanned(ctx, store, enc, k.Batch, &k.Trail)
		return now, k.Trail, err
	}
	now = ledger.Bound{BatchID: id, ExpectedVersion: ledger.ExpectedVersion{Payload: k.InitiatePayload(), Sequence: k.Trail.Sequence()}}
	return now, k.Trail, nil
}

// encode returns what initiate would send for a batch, and the attempts of the batch.
func encode(ctx context.Context, store Store, enc Encoder, b ledger.Batch) (payload ledger.Payload, attempts []ledger.Attempt, err error) {
	if attempts, err = store.Attempts(ctx, b.ID); err != nil {
		return payload, nil, err
	}
	payload, err = enc.EncodeInitiate(b, attempts)
	return payload, attempts, err
}
