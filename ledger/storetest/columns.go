package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var columns = []Check{
	{"columns are kept with the load that was read so, or not at all", columnsAreKeptWithTheirLoad},
	{"of several sheets of one load each has its word about columns", columnsOfSeveralSheets},
}

func columnsAreKeptWithTheirLoad(t testing.TB, o Opener) {
	d := begin(t, o)
	header := hash("header")
	load := func(name string, commit bool, say func(l ledger.Load)) {
		d.Helper()
		list := payouts(name, 2)
		sh := sheetOf(name, list)
		sum := sha256.Sum256([]byte(name))
		sh.SHA256 = hex.EncodeToString(sum[:])
		l, err := d.BeginLoad(d.ctx)
		d.must(err)
		defer func() { err = errors.Join(err, l.Rollback()) }()
		l.ReadAs(ledger.ReadOptions{HiddenRows: "error", Columns: map[string]string{"amount": "Net", "remarks": "Why"}})
		say(l)
		if _, err := l.Contents().Write([]byte(name)); err != nil {
			d.Fatal(err)
		}
		d.must(l.Add(keyed(list)))
		if !commit {
			return
		}
		if _, err := l.Commit(sh, plan(list, 2)); err != nil {
			d.Fatal(err)
		}
	}
	is := func(want map[string]string, events int) {
		d.Helper()
		trail, err := d.KeptColumns(d.ctx)
		got := trail[header]
		if diff := cmp.Diff(want, got.Columns); err != nil || diff != "" {
			d.Errorf("kept (-want +got):\n%s%v", diff, err)
		}
		n := 0
		for _, e := range d.world().Events {
			if e.Kind == ledger.EventColumnsKept || e.Kind == ledger.EventColumnsForgotten {
				n++
			}
		}
		if n != events {
			d.Errorf("%d events about columns, want %d", n, events)
		}
		d.whole()
	}
	net, both := map[string]string{"amount": "Net"}, map[string]string{"amount": "Net", "remarks": "Why"}
	load("undone", false, func(l ledger.Load) { l.KeepColumns(header, net) })
	is(nil, 0)
	load("forgets nothing", true, func(l ledger.Load) { l.KeepColumns(header, nil) })
	is(nil, 0)
	load("oct", true, func(l ledger.Load) { l.KeepColumns(header, net) })
	is(net, 1)
	load("nov", true, func(ledger.Load) {})
	load("again", true, func(l ledger.Load) { l.KeepColumns(header, net) })
	is(net, 1)
	load("other header", true, func(l ledger.Load) { l.KeepColumns(hash("another"), both) })
	is(net, 2)
	load("dec", true, func(l ledger.Load) { l.KeepColumns(header, both) })
	is(both, 3)
	d.reopen()
	is(both, 3)
	load("jan", true, func(l ledger.Load) { l.KeepColumns(header, nil) })
	is(nil, 4)
}

func columnsOfSeveralSheets(t testing.TB, o Opener) {
	d := begin(t, o)
	header := hash("header")
	l, err := d.BeginLoad(d.ctx)
	d.must(err)
	for i, p := range []part{partOf("one", 2), partOf("two", 2), partOf("three", 2)} {
		d.must(p.into(l))
		l.ReadAs(ledger.ReadOptions{HiddenRows: "error", Columns: map[string]string{"amount": "Net"}})
		switch i {
		case 0, 1:
			l.KeepColumns(header, map[string]string{"amount": "Net"})
			err = l.Next(p.sheet, p.plan)
		default: // says nothing, and keeps nothing of the earlier sheets
			_, err = l.Commit(p.sheet, p.plan)
		}
		d.must(err)
	}
	trail, err := d.KeptColumns(d.ctx)
	got, ok := trail[header]
	if want := partOf("one", 2).sheet.Identified().ID; err != nil || !ok || got.SheetID != want {
		d.Errorf("kept %+v by %v, want with sheet %s", got, err, want)
	}
	d.whole()
}
