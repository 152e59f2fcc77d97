package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var columnsDay = time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC)

// keeps is a word about the columns of a header; without columns it forgets them.
func keeps(actor, header string, columns map[string]string) ledger.KeptColumns {
	return ledger.KeptColumns{Header: shaOf(header), Columns: columns, SheetID: "shone", Actor: actor, At: columnsDay}
}

func TestColumnsAreKeptAsTheTrailTells(t *testing.T) {
	hostile := "In \"Hand\"; header \u202e\t<b>"
	var trail ledger.ColumnsTrail
	for i, c := range []struct {
		word ledger.KeptColumns
		kind string // of its event; "" where there is none
	}{
		{keeps("asha", "one", nil), ""}, // no one kept any
		{keeps("asha", "one", map[string]string{"amount": hostile}), ledger.EventColumnsKept},
		{keeps("ravi", "one", map[string]string{"amount": hostile}), ""}, // it is so already
		{keeps("ravi", "two", map[string]string{"amount": "Net", "remarks": "Why"}), ledger.EventColumnsKept},
		{keeps("ravi", "one", map[string]string{"amount": "Gross"}), ledger.EventColumnsKept},
		{keeps("mina", "two", nil), ledger.EventColumnsForgotten},
		{keeps("mina", "two", nil), ""},
	} {
		e, news := trail.Decide(c.word)
		if news != (c.kind != "") || e.Kind != c.kind {
			t.Fatalf("%d: %+v; want %q", i, e, c.kind)
		}
		if !news {
			continue
		}
		e.Seq = int64(i)
		if err := trail.Replay(e); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		got, kept := trail[c.word.Header]
		if c.word.Seq = int64(i); kept != (c.word.Columns != nil) || kept && !cmp.Equal(got, c.word) {
			t.Errorf("%d: %+v is kept, want %+v", i, got, c.word)
		}
	}
	if all := trail.Newest(); len(all) != 1 || all[0].Actor != "ravi" {
		t.Errorf("kept in the end: %+v", all)
	}
}

// An event that tells of no columns is not followed.
func TestColumnsThatCannotBeFollowed(t *testing.T) {
	for name, e := range map[string]ledger.Event{
		"forgotten, and never kept": {Kind: ledger.EventColumnsForgotten, Detail: `{"header":"` + shaOf("one") + `"}`},
		"no JSON":                   {Kind: ledger.EventColumnsKept, Detail: `amount = Net`},
		"columns to forget":         {Kind: ledger.EventColumnsForgotten, Detail: `{"columns":{"amount":"Net"},"header":"` + shaOf("one") + `"}`},
		"no columns":                {Kind: ledger.EventColumnsKept, Detail: `{"header":"` + shaOf("one") + `"}`},
		"no header":                 {Kind: ledger.EventColumnsKept, Detail: `{"columns":{"amount":"Net"},"header":""}`},
		"a column twice":            {Kind: ledger.EventColumnsKept, Detail: `{"columns":{"amount":"Net","amount":"Gross"},"header":"` + shaOf("one") + `"}`},
		"keys spelt otherwise":      {Kind: ledger.EventColumnsKept, Detail: `{"Columns":{"amount":"Net"},"Header":"` + shaOf("one") + `"}`},
		"an unknown key":            {Kind: ledger.EventColumnsKept, Detail: `{"columns":{"amount":"Net"},"header":"` + shaOf("one") + `","more":1}`},
	} {
		var trail ledger.ColumnsTrail
		if err := trail.Replay(e); err == nil || len(trail.Newest()) > 0 {
			t.Errorf("%s: followed", name)
		}
	}
}

// verify finds columns that were kept by no one who loaded such a sheet, in a trail
// whose chain was made right again.
func TestVerifyHoldsKeptColumnsAgainstTheirSheet(t *testing.T) {
	for name, c := range map[string]struct {
		broken bool
		touch  func(k *ledger.KeptColumns)
	}{
		"as it was read":        {false, func(*ledger.KeptColumns) {}},
		"a part of it":          {false, func(k *ledger.KeptColumns) { k.Columns = map[string]string{"amount": "Net"} }},
		"another header":        {true, func(k *ledger.KeptColumns) { k.Columns = map[string]string{"amount": "Gross"} }},
		"another column":        {true, func(k *ledger.KeptColumns) { k.Columns = map[string]string{"ifsc": "Net"} }},
		"by another person":     {true, func(k *ledger.KeptColumns) { k.Actor = "ravi" }},
		"at another time":       {true, func(k *ledger.KeptColumns) { k.At = k.At.Add(time.Second) }},
		"of a sheet not there":  {true, func(k *ledger.KeptColumns) { k.SheetID = "shnone" }},
		"forgotten, never kept": {true, func(k *ledger.KeptColumns) { k.Columns = nil }},
	} {
		d := story(t)
		s := &d.sheets[0]
		s.Reading = &ledger.ReadOptions{HiddenRows: "error", Columns: map[string]string{"amount": "Net", "remarks": "Why"}}
		d.rebind()
		k := ledger.KeptColumns{Header: shaOf("one"), Columns: s.Reading.Columns, SheetID: s.ID, Actor: s.LoadedBy, At: s.LoadedAt}
		c.touch(&k)
		e, news := ledger.ColumnsTrail{}.Decide(k)
		if k.Columns == nil {
			e = ledger.Event{Kind: ledger.EventColumnsForgotten, Actor: k.Actor, At: k.At, SheetID: k.SheetID, Detail: "header " + k.Header}
		} else if !news {
			t.Fatal("nothing is kept")
		}
		d.tell(e)
		d.rechain()
		if problems := verified(t, d); (len(problems) > 0) != c.broken {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}
