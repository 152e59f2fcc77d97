package app

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"payrun/batcher"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports/resultsheet"
	"payrun/validate"
)

// Choices say how a person wants a sheet to be read.
type Choices = validate.Choices

// SheetOptions say how to read a sheet, and what to do with its bad rows. The zero value means no options.
type SheetOptions struct {
	Choices
	SkipBad       bool   // bad rows are left out, instead of refusing the sheet
	GiveBack      string // the folder for the left-out rows; "" for the sheet's own folder
	GiveBackLater bool   // the left-out rows are requested later (LeftOut); no file is written

	agreed func(*Sheet) error // called before anything is recorded; nil if no one has to agree
}

// Sheet is one sheet as it was read, validated and planned.
type Sheet struct {
	Path string
	validate.Result
	Loaded       []ledger.Batch // nil when nothing was loaded
	GoneOn       bool           // in a run: it was loaded already, and the run continues with it
	RejectedPath string         // of the sheet with the left-out rows; "" if there is none

	dry      bool                       // it was only checked
	options  validate.Options           // the options with which a dry run read it
	left     *resultsheet.RejectedSheet // its left-out rows, under a temporary name until they are kept; nil for none
	plans    []sheetPlan                // first of its own payouts, then of those that it corrects, one for each of their sheets
	ledgerID string
}

// OTPs returns how many OTPs the plan needs: one for each batch.
func (s *Sheet) OTPs() int {
	n := 0
	for _, p := range s.plans {
		n += len(p.plan.Batches)
	}
	return n
}

// FewestOTPs returns the least number of OTPs that any plan would need.
func (s *Sheet) FewestOTPs() int {
	n := 0
	for _, p := range s.plans {
		n += p.plan.LowerBound
	}
	return n
}

// ToPay counts and sums the payouts that the sheet brings and those that it corrects.
func (s *Sheet) ToPay() ledger.Tally { return s.Sheet.Accepted.Plus(s.Sheet.Corrected) }

// Planned yields the batches as they are, or would be, in the ledger, in the order of sending. An id is derived
// from the ledger, the sheet and the position in the plan. The id of a batch of corrected payouts depends on
// their earlier batches, and is "" until they are loaded.
func (s *Sheet) Planned() iter.Seq[doc.PlannedBatch] {
	return func(yield func(doc.PlannedBatch) bool) {
		at := 0 // in Loaded
		for i, p := range s.plans {
			for _, place := range ledger.InOrder(p.plan.Batches) {
				b, id := &p.plan.Batches[place], ""
				switch {
				case i == 0:
					id = ledger.BatchID(s.ledgerID, s.Sheet.Content, b.BankAccountID, place+1, 1, nil)
				case s.Loaded != nil:
					id = s.Loaded[at].ID
				}
				at++
				if !yield(planned(id, b)) {
					return
				}
			}
		}
	}
}

func planned(id string, b *ledger.PlannedBatch) doc.PlannedBatch {
	rules := ledger.RulesFor(b.PartnerBankID, b.Kind)
	return doc.PlannedBatch{
		ID: id, BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, Count: len(b.Members), Total: b.Total,
		NeedsToken: rules.NeedsToken, NeedsLEI: rules.NeedsLEI(b.Total), BeneLEI: b.BeneLEI, Reason: b.Reason, Priority: b.Priority, NeedsApproval: b.NeedsApproval,
	}
}

// loadable reports whether the sheet can be committed as it was read.
func (s *Sheet) loadable(skipBad bool) bool {
	return s.Loadable() && len(s.Withdrawn) == 0 && (skipBad || !s.Refused())
}

// refusal says why a sheet is not loaded, or not completely, and what to do. Nil if it is, or would be.
func (s *Sheet) refusal(skipBad bool) *Error {
	name := cmp.Or(s.Sheet.Name, s.Path)
	bad := s.Sheet.Rejected.Count
	switch {
	case s.AlreadyLoaded:
		return Fail(SheetAlreadyLoaded, "%s was loaded before; %s", name, s.notDone("nothing of it was loaded again", "it would not be loaded again")).
			Then(Do("sheets").Which("lists what was loaded; payrun status shows its state"))
	case s.Loaded != nil:
		return Fail(RowsLeftOut, "%s: %s loaded, %s left out (%s)", name, ledger.CountedPayouts(s.ToPay().Count), ledger.CountedRows(bad), s.Sheet.Rejected.Total.Rupees()).
			Then(Say("correct the rows left out in %s, which has a reason and a fix for each, and load it", s.RejectedPath))
	}
	e := Fail(SheetRefused, "%s has errors%s; %s", name, s.whatIsWrong(), s.notDone("nothing of it was loaded", "it cannot be loaded as it is"))
	if len(s.GiveUp) > 0 {
		return e.Then(Do(append(append([]string{"abandon"}, s.GiveUp...), "--reason", "its payouts are corrected")...).First("cancel its planned payouts, then load it again"))
	}
	if bad > 0 && !s.FileRefused() && s.ToPay().Count > 0 && !skipBad {
		return e.Then(Do("load", s.Path, "--skip-bad").
			First("correct the sheet and check it again; or leave %s out and load %s", ledger.CountedRows(bad), ledger.CountedPayouts(s.ToPay().Count)))
	}
	if code := s.FileFault(); code != "" && skipBad {
		return e.Then(Say("rows cannot be left out, because %s concerns the whole sheet: correct that, and load it again", code))
	}
	return e.Then(Say("correct the sheet and check it again"))
}

// notDone returns was, or would if the sheet was only checked.
func (s *Sheet) notDone(was, would string) string {
	if s.dry {
		return would
	}
	return was
}

// whatIsWrong counts the bad rows, or else the findings.
func (s *Sheet) whatIsWrong() string {
	if bad := s.Sheet.Rejected.Count; bad > 0 {
		return " in " + ledger.CountedRows(bad)
	}
	errs := ledger.Where(s.Findings, func(f ledger.Finding) bool { return f.Severity == ledger.SeverityError })
	return " (" + ledger.Counted(len(errs), "finding", "findings") + ")"
}

// recentDays is how far back a payout with the same payee and amount causes a warning.
const recentDays = 7 * 24 * time.Hour

// recently returns the start of that time for payouts of a sheet that was loaded then, in the configured zone: what
// was loaded since counts too. The zero time is for a sheet that is not loaded.
func (a *App) recently(loaded time.Time) time.Time {
	if now := a.env.Now(); loaded.IsZero() || loaded.After(now) {
		loaded = now
	}
	return loaded.Add(-recentDays).In(a.set.Timezone.At)
}

// options returns the options to check a sheet with a person's choices.
func (a *App) options(chosen Choices) validate.Options {
	limits := ingest.DefaultLimits()
	limits.Rows = int(a.set.Limits.SheetRows)
	limits.Columns = int(a.set.Limits.SheetColumns)
	limits.Bytes = int64(a.set.Limits.SheetBytes)
	rails := map[string]ledger.Rail{}
	for name, rail := range a.set.Rails {
		rails[name] = ledger.RailNamed(rail)
	}
	profiles := ledger.ListOf(a.set.Columns.Profiles, func(p config.Profile) validate.Profile { return validate.Profile(p) })
	return validate.Options{
		Choices: chosen, Rails: rails, Columns: a.set.Columns.Always, Profiles: profiles,
		Accounts: a.set.Accounts, SubMerchantID: a.set.SubMerchantID, TransactionTypeID: a.set.TransactionTypeID,
		Limits: limits, PayoutMost: a.set.Limits.PayoutMost.Amount, RecentSince: a.recently(time.Time{}), Now: a.env.Now().In(a.set.Timezone.At),
	}
}

// sheetPlan holds the batches for payouts of one sheet.
type sheetPlan struct {
	corrected []ledger.Corrected // the corrected payouts; nil for new ones
	plan      batcher.Plan
}

// Changes returns what each correction changes, in the order of the rows.
func (s *Sheet) Changes() []doc.Correction {
	return ledger.ListOf(s.Corrections, func(c ledger.Corrected) doc.Correction {
		return doc.Correction{Row: c.Is.Row, Ref: c.After.Ref, SheetID: c.After.SheetID, Attempt: c.After.Number + 1, Changes: append([]ledger.FieldChange{}, c.Changes()...)}
	})
}

// correctedBy returns the batches that now hold the corrections of a sheet.
func (o *operation) correctedBy(ctx context.Context, sheetID string) ([]ledger.Batch, error) {
	var named []string
	err := o.store.Elsewhere(ctx, sheetID, func(_ int, a ledger.Attempt) error {
		if a.Number > 1 && !slices.Contains(named, a.BatchID) { // the first attempt of a payout corrects nothing
			named = append(named, a.BatchID)
		}
		return nil
	})
	if err != nil || len(named) == 0 {
		return nil, err
	}
	return o.batches(ctx, named)
}
