package storetest

import (
	"errors"
	"fmt"
	"testing"

	"payrun/ledger"
)

var several = []Check{
	{"sheets of one load are what they are one after the other", severalAsOneByOne},
	{"of the sheets of one load all are recorded or none", severalOrNone},
}

// part is one sheet of a load: new payouts and corrections.
type part struct {
	sheet   ledger.Sheet
	fresh   []ledger.Payout
	plan    []ledger.PlannedBatch
	correct []ledger.Corrected
}

func partOf(name string, fresh int, correct ...ledger.Corrected) part {
	list := payouts(name, fresh)
	p := part{sheet: sheetOf(name, list), fresh: list, correct: correct}
	if fresh > 0 {
		p.plan = plan(list, 2)
	}
	for _, c := range correct {
		p.sheet.Corrected.Add(c.Is.Amount)
	}
	p.sheet.Rows, p.sheet.Total = p.sheet.Rows+len(correct), p.sheet.Total+p.sheet.Corrected.Total
	return p
}

// into adds the sheet to a load, without ending it.
func (p part) into(l ledger.Load) error {
	l.ReadAs(ledger.ReadOptions{HiddenRows: "skip"})
	_, err := l.Contents().Write([]byte(p.sheet.Name[:len(p.sheet.Name)-len(".csv")]))
	if err == nil && len(p.fresh) > 0 {
		err = l.Add(keyed(p.fresh))
	}
	if err == nil && len(p.correct) > 0 {
		sends := ledger.ListOf(p.correct, ledger.Corrected.Sends)
		err = l.Correct(p.correct, plan(payoutsOf(sends), len(sends)))
	}
	return err
}

// loadParts loads all the sheets in one load.
func (d *desk) loadParts(parts ...part) ([]ledger.Batch, error) {
	l, err := d.BeginLoad(d.ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range parts[:len(parts)-1] {
		if err := p.into(l); err != nil {
			return nil, errors.Join(err, l.Rollback())
		}
		if err := l.Next(p.sheet, p.plan); err != nil {
			return nil, errors.Join(err, l.Rollback())
		}
	}
	last := parts[len(parts)-1]
	if err := last.into(l); err != nil {
		return nil, errors.Join(err, l.Rollback())
	}
	planned, err := l.Commit(last.sheet, last.plan)
	if err == nil {
		d.areListed(planned)
	}
	return planned, err
}

func severalAsOneByOne(t testing.TB, o Opener) {
	d := begin(t, o)
	three := func() []part {
		over := d.cancelled("nov", 3)
		return []part{partOf("one", 5), partOf("two", 3, to(over[0], 7, "77700012345", 999_99)), partOf("three", 0, to(over[1], 2, "77700012346", 5_00))}
	}
	var batches []ledger.Batch
	for _, p := range three() {
		more, err := d.loadParts(p)
		d.must(err)
		batches = append(batches, more...)
	}
	want := d.world()
	d.reset()
	got, err := d.loadParts(three()...)
	d.must(err)
	d.is(want, "three sheets of one load")
	if a, b := fmt.Sprint(batches), fmt.Sprint(got); a != b || len(got) != 7 {
		d.Errorf("the batches that came back:\n%s\nwant\n%s", b, a)
	}
	d.reopen()
	d.is(want, "three sheets of one load, opened again")
	d.whole()
}

func severalOrNone(t testing.TB, o Opener) {
	d := begin(t, o)
	over := d.cancelled("nov", 3)
	before := d.world()
	one, two := partOf("one", 5), partOf("two", 300)
	spoil := func(change func(*part)) part {
		p := partOf("two", 300)
		change(&p)
		return p
	}
	for _, c := range []struct {
		name  string
		parts []part
		want  error
	}{
		{"a reference of the sheet before", []part{one, spoil(func(p *part) { p.fresh[299].Ref = "ONE-3" })}, ledger.ErrDuplicate},
		{"the rows of the sheet before", []part{one, spoil(func(p *part) { p.sheet.RowsHash = one.sheet.RowsHash })}, ledger.ErrDuplicate},
		{"other bytes than the sheet's", []part{one, spoil(func(p *part) { p.sheet.SHA256 = hash("x") })}, nil},
		{"a plan of a payout of the sheet before", []part{one, spoil(func(p *part) { p.plan[0].Members[0] = -1 })}, ledger.ErrRule},
		{"what the sheet before corrects", []part{partOf("one", 1, to(over[0], 3, "77700012345", 5_00)), partOf("two", 1, to(over[0], 3, "77700012346", 6_00))}, ledger.ErrPayoutLocked},
		{"a first sheet that cannot be loaded", []part{spoil(func(p *part) { p.sheet.Rows++ }), one}, nil},
		{"a sheet of nothing between two", []part{one, partOf("none", 0), two}, nil},
	} {
		batches, err := d.loadParts(c.parts...)
		if err == nil || batches != nil || c.want != nil && !errors.Is(err, c.want) {
			d.Errorf("%s: %d batches, %v, want %v", c.name, len(batches), err, c.want)
		}
		d.is(before, "%s", c.name)
	}

	l, err := d.BeginLoad(d.ctx)
	d.must(err)
	w := l.Contents()
	d.must(errors.Join(one.into(l), l.Next(one.sheet, one.plan), two.into(l)))
	if _, err := w.Write([]byte("more")); err == nil {
		d.Errorf("bytes were taken for a sheet that is over")
	}
	d.is(before, "while the second sheet is loaded")
	d.view().is(before, "while another loads a second sheet")
	d.must(l.Rollback())
	if l.Next(two.sheet, two.plan) == nil {
		d.Errorf("a load that is over went on")
	}
	d.is(before, "after second thoughts")
	if _, err := d.loadParts(one, two); err != nil { // the store still works
		d.Fatal(err)
	}
	d.whole()
}
