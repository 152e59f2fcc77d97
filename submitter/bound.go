package submitter

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// Bind returns what a decision about a batch is bound to, as things are now.
func Bind(ctx context.Context, store Store, enc Encoder, id string) (ledger.Bound, error) {
	payload, told, err := bindings(ctx, store, enc, id)
	return ledger.Bound{BatchID: id, ExpectedVersion: ledger.ExpectedVersion{Payload: payload, Sequence: told.Sequence()}}, err
}

// BindPlanned is Bind for a planned batch of which it is known already what the audit
// trail tells.
func BindPlanned(ctx context.Context, store Store, enc Encoder, b ledger.Batch, told *ledger.TrailDigest) (ledger.Bound, error) {
	payload, err := initiatePayload(ctx, store, enc, b)
	return ledger.Bound{BatchID: b.ID, ExpectedVersion: ledger.ExpectedVersion{Payload: payload, Sequence: told.Sequence()}}, err
}

// StillBound returns an *ledger.OvertakenError where a batch is no longer as it was
// shown; what was shown of nothing is of no batch.
func StillBound(ctx context.Context, store Store, enc Encoder, shown ledger.Bound) error {
	payload, told, err := bindings(ctx, store, enc, shown.BatchID)
	if err != nil {
		return err
	}
	if shown.ExpectedVersion == (ledger.ExpectedVersion{}) {
		return &ledger.OvertakenError{BatchID: shown.BatchID}
	}
	return shown.Held(shown.BatchID, payload, &told)
}

func bindings(ctx context.Context, store Store, enc Encoder, id string) (payload string, told ledger.TrailDigest, err error) {
	k, err := store.BatchRecord(ctx, id)
	if err != nil {
		return "", told, err
	}
	payload = k.InitiatePayload()
	if k.Batch.State == ledger.BatchPlanned {
		payload, err = initiatePayload(ctx, store, enc, k.Batch)
	}
	return payload, k.Trail, err
}

// initiatePayload is the hash of what initiate would send for a batch.
func initiatePayload(ctx context.Context, store Store, enc Encoder, b ledger.Batch) (string, error) {
	attempts, err := store.Attempts(ctx, b.ID)
	if err != nil {
		return "", err
	}
	payload, err := enc.EncodeInitiate(b, attempts)
	if err != nil {
		return "", fmt.Errorf("batch %s: %w", b.ID, err)
	}
	return payload.SHA256, nil
}
