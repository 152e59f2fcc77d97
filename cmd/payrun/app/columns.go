package app

import (
	"context"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/validate"
)

// optionsNow are the options of a sheet that is read now, with the columns that
// people kept for its header.
func (o *operation) optionsNow(ctx context.Context, so SheetOptions) (options validate.Options, err error) {
	options = o.options(so)
	options.Kept, err = o.store.KeptColumns(ctx)
	return options, err
}

// KeptBy is the person whose saved mapping the sheet was read by; nil for none.
func (s *Sheet) KeptBy() *doc.Kept {
	if !s.AsKept {
		return nil
	}
	return &doc.Kept{By: s.Kept.Actor, At: ledger.Instant(s.Kept.At)}
}

// Forgets reports whether a load of the sheet forgets what was kept for its header.
func (s *Sheet) Forgets() bool { return s.Kept != nil && s.WithoutKept }
