package app

import (
	"context"
	"errors"
	"io"

	"payrun/ledger"
	"payrun/validate"
)

// asOrigin gives the options that read rows as the sheet was read that they came
// from, where the error tells of one; with any other error the options stay.
func (o *operation) asOrigin(ctx context.Context, options validate.Options, err error) (validate.Options, error) {
	from, ok := errors.AsType[*validate.OriginError](err)
	if !ok {
		return options, err
	}
	options.Origin = &validate.Origin{SheetID: from.SheetID}
	if from.SheetID == "" {
		return options, nil
	}
	sheet, err := o.sheetByID(ctx, from.SheetID)
	if err != nil {
		return options, err
	}
	reading, err := o.store.SheetContents(ctx, sheet.ID, io.Discard)
	if err != nil {
		return options, err
	}
	if options.RefPrefix != "" && options.RefPrefix != sheet.RefPrefix {
		return options, Fail(Usage, "its rows came from %s, whose references begin with %q; nothing was loaded", sheet.ID, sheet.RefPrefix).
			Then(Say("load it without a prefix: it is read as that sheet was"))
	}
	options.RefPrefix = sheet.RefPrefix
	if options.KeepColumns != nil && !*options.KeepColumns {
		return options, Fail(Usage, "its rows came from %s and are read as that sheet was, whatever is kept for its header now; nothing was loaded", sheet.ID).
			Then(Say("load it without --keep-columns=false, and say with --map which column is meant"))
	}
	options.Kept = ledger.ColumnsTrail{} // how it was read is reported below, and a mapping saved since does not count
	options.Map, options.Columns, options.Profiles = validate.MapOver(reading.Columns, options.Map), nil, nil
	return options, nil
}

// sheetByID finds the sheet that rows came from.
func (o *operation) sheetByID(ctx context.Context, id string) (ledger.Sheet, error) {
	sheet, err := o.sheet(ctx, id)
	if !errors.Is(err, ledger.ErrNotFound) {
		return sheet, err
	}
	return sheet, Fail(SheetRefused, "its rows came from the sheet %q, which is not in this ledger: they may be loaded, or paid, from another; nothing was loaded", ledger.Plain(id)).
		Then(Say("load it into the ledger that wrote it; or, where nothing of it was paid from there, empty its last two columns"))
}
