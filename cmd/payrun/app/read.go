package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"payrun/batcher"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/validate"
)

// keeper receives the payouts of one pass over a sheet, as they are read.
type keeper = func([]validate.Accepted) error

// inPasses reads a sheet, once if one pass is enough. It reads again if the rows came from another sheet,
// then in that sheet's way. It reads again without the payouts that were given out before later rows
// showed that they are bad; a sheet that changed since the pass before is refused. With loads, a sheet that
// is refused as a whole is not read again: it could change to one that is loaded.
func (o *operation) inPasses(ctx context.Context, options validate.Options, loads bool, read func(validate.Options) (Sheet, error)) (Sheet, error) {
	s, err := read(options)
	if options, err = o.asOrigin(ctx, options, err); err == nil && options.Origin != nil {
		s, err = read(options)
	}
	if err == nil && len(s.Withdrawn) > 0 && !(loads && s.FileRefused()) {
		first := s.Sheet.SHA256
		options.Exclude, options.ExpectSHA256 = s.Withdrawn, cmp.Or(options.ExpectSHA256, first)
		if s, err = read(options); err == nil && s.Sheet.SHA256 != first {
			err = Fail(SheetRefused, "%s changed while it was read; nothing was loaded", ledger.Plain(s.Sheet.Name))
		}
	}
	s.options = options
	return s, err
}

// readSheet checks one sheet. It keeps in memory only what packing needs of each payout.
func (o *operation) readSheet(ctx context.Context, path string, options validate.Options, past *pendingHistory, keep keeper) (Sheet, error) {
	s := Sheet{Path: path, ledgerID: o.store.LedgerID()}
	reading := o.call.progress().Begin("reading "+path, "payouts")
	defer reading.End()
	pack, groups := o.newPacking(), map[[3]string]int32{} // by the payout's values for its group
	past.given = nil
	var err error
	s.Result, err = validate.Check(ctx, path, options, past, func(payouts []validate.Accepted) error {
		for i := range payouts {
			p := &payouts[i]
			said := [...]string{p.BankAccountID, p.SubMerchantID, p.TransactionTypeID}
			group, ok := groups[said]
			if !ok {
				group = pack.group(o.groupOf(&p.Payout))
				groups[said] = group
			}
			pack.add(group, p.BeneLEI, p.Amount, p.Priority, p.LikeLocked)
		}
		if past.more {
			past.given = append(past.given, payouts...)
		}
		reading.Add(len(payouts))
		return keep(payouts)
	})
	if err != nil {
		return s, badOption(cmp.Or(options.Name, filepath.Base(path)), err)
	}
	err = o.makePlans(&s, pack)
	return s, err
}

// makePlans plans the batches of what was read: the sheet's own payouts, then those that it corrects, for each of
// their sheets separately.
func (o *operation) makePlans(s *Sheet, own *packing) (err error) {
	packs := []*packing{own}
	s.plans = []sheetPlan{{}}
	at := map[string]int{} // by sheet
	for _, c := range s.Corrections {
		i, ok := at[c.After.SheetID]
		if !ok {
			i = len(packs)
			at[c.After.SheetID], packs, s.plans = i, append(packs, o.newPacking()), append(s.plans, sheetPlan{})
		}
		s.plans[i].corrected = append(s.plans[i].corrected, c)
		packs[i].add(packs[i].group(o.groupOf(&c.Is)), c.Is.BeneLEI, c.Is.Amount, c.Priority, c.LikeLocked)
	}
	for i, p := range packs {
		if s.plans[i].plan, err = p.plan(); err != nil {
			return fmt.Errorf("planning the batches of %s: %w", s.Path, err)
		}
	}
	return nil
}

func (o *operation) groupOf(p *ledger.Payout) batcher.Group {
	a, _ := o.set.Account(p.BankAccountID)
	return batcher.Group{Route: p.Route(), PartnerBankID: a.PartnerBankID, Kind: a.Kind}
}

// badOption turns an error about an option, not about the sheet or statement, into a usage error.
func badOption(name string, err error) error {
	u, ok := errors.AsType[*validate.UsageError](err)
	if !ok {
		return err
	}
	e := Fail(Usage, "%s: %s", ledger.Plain(name), u.Why).Because(err)
	e.Option = u.Option
	return e
}

// optionsNow returns the options for a sheet that is read now, with the columns that
// people saved for its header.
func (o *operation) optionsNow(ctx context.Context, so SheetOptions) (options validate.Options, err error) {
	options = o.options(so.Choices)
	options.Kept, err = o.store.KeptColumns(ctx)
	return options, err
}

// KeptBy returns the person whose saved mapping was used to read the sheet; nil for none.
func (s *Sheet) KeptBy() *doc.KeptColumns {
	if !s.AsKept {
		return nil
	}
	return &doc.KeptColumns{By: s.Kept.Actor, At: ledger.Instant(s.Kept.At)}
}

// Forgets reports whether loading the sheet deletes the mapping saved for its header.
func (s *Sheet) Forgets() bool { return s.Kept != nil && s.WithoutKept }

// asOrigin returns options to read rows in the way of the sheet that they came from, if the
// error names one. For any other error the options stay.
func (o *operation) asOrigin(ctx context.Context, options validate.Options, err error) (validate.Options, error) {
	from, ok := errors.AsType[*validate.OriginError](err)
	if !ok {
		return options, err
	}
	sheet, err := o.sheet(ctx, from.SheetID)
	if options.Origin = &sheet; errors.Is(err, ledger.ErrNotFound) {
		options.Origin = &ledger.Sheet{ID: from.SheetID}
		return options, nil
	}
	if err != nil {
		return options, err
	}
	options.RecentSince = o.recently(sheet.LoadedAt)
	reading, err := o.store.SheetContents(ctx, sheet.ID, io.Discard)
	if err != nil {
		return options, err
	}
	if options.RefPrefix != "" && options.RefPrefix != sheet.RefPrefix {
		return options, Fail(Usage, "its rows came from %s, whose references begin with %q; nothing was loaded", sheet.ID, sheet.RefPrefix).
			Then(Say("load it without a prefix: it is read like that sheet"))
	}
	options.RefPrefix = sheet.RefPrefix
	if options.KeepColumns != nil && !*options.KeepColumns {
		return options, Fail(Usage, "its rows came from %s and are read like that sheet, not by the mapping saved for its header; nothing was loaded", sheet.ID).
			Then(Say("load it without --keep-columns=false, and name the right column with --map"))
	}
	options.Kept = ledger.ColumnsTrail{} // how it was read is reported below, and a mapping saved since does not count
	options.Map, options.Columns, options.Profiles = validate.MapOver(reading.Columns, options.Map), nil, nil
	return options, nil
}

// packing collects what the batcher needs of each payout, in the order of loading:
// 19 bytes a payout, and room for as many, so that a million payouts stay small.
type packing struct {
	in         batcher.Input
	groups     map[batcher.Group]int32
	leis       map[string]int32
	priorities []uint16 // of the payouts, 0 for none; see validate.MostPriority
	locked     []bool   // payouts with the account and amount of a locked payout
}

func (o *operation) newPacking() *packing {
	limit := int(o.set.Limits.PayoutsPerBatch)
	return &packing{in: batcher.Input{Limit: limit}, groups: map[batcher.Group]int32{}, leis: map[string]int32{}}
}

func (p *packing) group(g batcher.Group) int32 { return positionOf(g, &p.in.Groups, p.groups) }

func (p *packing) add(group int32, lei string, amount ledger.Paise, priority int, likeLocked bool) {
	at := int32(-1) // without an LEI
	if lei != "" {
		at = positionOf(lei, &p.in.LEIs, p.leis)
	}
	if n := len(p.in.Items); n == cap(p.in.Items) {
		p.in.Items = slices.Grow(p.in.Items, n+1) // append grows a long slice by a quarter, and copies it more often
	}
	p.in.Items = append(p.in.Items, batcher.Item{Group: group, LEI: at, Amount: amount})
	p.priorities, p.locked = append(p.priorities, uint16(priority)), append(p.locked, likeLocked)
}

// positionOf returns the position of a value in a list, and adds it if it is not there yet.
func positionOf[T comparable](value T, list *[]T, known map[T]int32) int32 {
	at, ok := known[value]
	if !ok {
		at = int32(len(*list))
		known[value], *list = at, append(*list, value)
	}
	return at
}

// plan packs the payouts, and gives each batch the priority of its most urgent payout. A
// batch with a payout like a locked one needs an approval.
func (p *packing) plan() (batcher.Plan, error) {
	plan, err := batcher.Make(p.in)
	for i := range plan.Batches {
		b := &plan.Batches[i]
		for _, m := range b.Members {
			b.NeedsApproval = b.NeedsApproval || p.locked[m]
			if p.priorities[m] > 0 && (b.Priority == 0 || int(p.priorities[m]) < b.Priority) {
				b.Priority = int(p.priorities[m])
			}
		}
	}
	return plan, err
}
