package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var imports = []Check{
	{"what an export gives makes the same ledger again, as a copy", anImportIsEqual},
	{"an export that lacks a row, or has two in another order, is not imported", anImportIsWhole},
	{"whatever of an export is edited, it is not imported, or nothing is changed by it", editsAreFound},
	{"a ledger that was moved is read and not written, and goes on as an import", aMovedLedgerIsOver},
	{"a person whose password was not exported sets a new one", noPasswordIsImported},
}

// everything returns a ledger with every kind of row.
func everything(t testing.TB, o Opener) *desk {
	t.Helper()
	st := wholeStory(t, o)
	d := st.desk
	fail := func(errs ...error) {
		d.Helper()
		d.must(errors.Join(errs...))
	}
	// references: with a prefix, with case folding beyond lower case, of a retry, and of a retry that keeps
	// them
	_, _, err := d.loadAs("feb", func(s *ledger.Sheet) {
		s.RefPrefix, s.Unprefixed, s.Format, s.Tab, s.Blank, s.HasTotal, s.Rows = "feb/", hash("bare"), "xlsx", "Pay", 1, true, s.Rows+1
		s.Rejected.Add(3_00)
		s.Total += 3_00
	})
	fail(err)
	list := payouts("INV", 3)
	list[1].Ref, list[2].Ref = "ＩＮＶ-2", "Straße-3"
	list[0].OpenBeneficiaryID, list[1].BeneLEI = "ob-1", someLEI
	odd, err := d.tryLoad("odd", list, plan(list, 3))
	fail(err)
	d.failed(odd[0].ID)
	d.again(minute(60), d.retryable(odd[0].ID), 2)
	// rows that correct payouts, and a row that an earlier sheet left out
	cancelled := d.cancelled("mar", 2)
	_, _, err = d.correct("fixed", []ledger.Corrected{to(cancelled[0], 2, "77700012345", 999_99), to(cancelled[1], 3, "77700012346", 5_00)}, 1)
	fail(err)
	sheets, err := d.Sheets(d.ctx)
	fail(err)
	back := payouts("back", 2)
	from := keyed(back)
	from[1].From, from[0].LikeLocked = &ledger.RowOrigin{SheetID: sheets[0].ID, Row: 99}, true
	l, err := d.BeginLoad(d.ctx)
	fail(err, l.Add(from))
	planned := plan(back, 2)
	planned[0].NeedsApproval = true
	_, err = l.Commit(sheetOf("back", back), planned)
	fail(err)
	// a status with an unreadable value
	a := d.attempts(st.submitted)[0]
	seen := see(a, ledger.StatusPending, "").Observation
	seen.Unread, seen.HasAmount, seen.Error = ledger.FieldAmount|ledger.FieldIFSC, false, "no amount"
	d.apply(ledger.Step{BatchID: st.submitted, From: ledger.BatchSubmitted, At: minute(61),
		Observed: []ledger.Observed{{PayoutID: a.ID, Number: 1, Observation: seen, Verdict: ledger.Judge(a, seen)}}})
	// statements
	entries := debits(4)
	entries[0].Details = []ledger.EntryDetail{{Amount: 60, Reference: "a", Remarks: "b"}, {Amount: 40, Reference: "c", Remarks: "d"}}
	fails := func(_ any, err error) { d.Helper(); fail(err) }
	d.record(reading(list[0].BankAccountID, entries[:3]...), 3, 0)
	d.record(reading(list[0].BankAccountID, entries...), 1, 3)
	file := ofFile(reading(account2, entries...), "march")
	file.Closing = new(ledger.Paise(996_00))
	d.record(file, 4, 0)
	for _, person := range []string{asha, "ravi"} {
		fails(d.DecideStatement(d.ctx, explanation(person)))
		fails(d.DecideStatement(d.ctx, ledger.StatementDecision{Reading: 3, Reason: "another account", Actor: person, At: minute(62)}))
	}
	fails(d.DecideStatement(d.ctx, ledger.StatementDecision{Entries: []ledger.EntryRef{{Reading: 1, Line: 3}}, Ref: list[0].Ref, Reason: "by hand", Actor: asha, At: minute(63)}))
	// bank lists, the policy, a release of one payout, people
	fail(d.KeepListing(d.ctx, accountsListed(minute(64), true, linked("A1", "active", 3), linked("A2", "token_expired", 12))),
		d.KeepListing(d.ctx, beneficiariesListed(minute(65), "A1", beneficiaryOf("A1", "B1"), beneficiaryOf("A1", "B2"))))
	fails(d.SetPolicy(d.ctx, change(ravi, "two_person", "true", minute(69))))
	one := d.releasing(asha, st.unknown, minute(70), ledger.StatusRequestInitiated)
	one.Release.Of = d.attempts(st.unknown)[0].Key()
	d.apply(one)
	fail(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, st.planned, hash("payload"), minute(71))}),
		d.ChangePeople(d.ctx, added(asha, minute(76), ledger.RoleAdmin),
			ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: asha, Link: hash("link of " + asha), Stored: keptPassword, Actor: asha, At: minute(77)}),
		d.RecordLogin(d.ctx, ledger.Login{From: "127.0.0.1", Kind: ledger.EventLoginRefused, At: minute(78)}))
	d.whole()
	return d
}

const keptPassword = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"

// imported imports rows and returns the rows of the new ledger.
func (d *desk) imported(all []row, head ledger.AuditHead) (again []row, err error) {
	d.Helper()
	s, err := d.opener.Import(d.ctx, keyOf, giving(all, head))
	if err != nil {
		return nil, err
	}
	again, same := d.rowsOf(s)
	if same != head {
		d.Errorf("the head is %+v, want %+v", same, head)
	}
	return again, s.Close()
}

func anImportIsEqual(t testing.TB, o Opener) {
	d := everything(t, o)
	all, head := d.rowsOf(d.Store)
	again, err := d.imported(all, head)
	if diff := cmp.Diff(all, again); diff != "" || err != nil {
		d.Errorf("%v (-want +got):\n%s", err, diff)
	}
	d.answersAsBefore(all, head)
	kinds := map[string]bool{}
	for _, r := range all {
		kinds[r.Kind] = true
	}
	if len(kinds) != reflect.TypeFor[ledger.Export]().NumField()+1 {
		d.Errorf("the ledger has rows of %v alone", kinds)
	}
	empty := begin(t, o)
	all, head = empty.rowsOf(empty.Store)
	if again, err = empty.imported(all, head); err != nil || !reflect.DeepEqual(again, all) {
		d.Errorf("a new ledger: %v, %v", again, err)
	}
}

// answersAsBefore compares what both ledgers derive from their rows.
func (d *desk) answersAsBefore(all []row, head ledger.AuditHead) {
	d.Helper()
	s, err := d.opener.Import(d.ctx, keyOf, giving(all, head))
	d.must(err)
	var ids []int64
	var keys []string
	for _, r := range all {
		if a, ok := r.Is.(ledger.Attempt); ok {
			ids, keys = append(ids, a.ID), append(keys, keyOf(a.WireRef))
		}
	}
	for name, ask := range map[string]func(Store) (any, error){
		"records":    func(s Store) (any, error) { return s.Records(d.ctx, ids) },
		"references": func(s Store) (any, error) { return s.UsedReferences(d.ctx, keys) },
		"people":     func(s Store) (any, error) { people, _, err := s.UsersAndPolicy(d.ctx); return people.People(), err },
		"tallies":    func(s Store) (any, error) { return s.Tallies(d.ctx) },
		"rows":       func(s Store) (any, error) { return s.RowsUsed(d.ctx, all[1].Is.(ledger.Sheet).ID, []int{2, 3, 99}) },
	} {
		want, err1 := ask(d.Store)
		got, err2 := ask(s)
		if !reflect.DeepEqual(want, got) || err1 != nil || err2 != nil {
			d.Errorf("%s: %v, %v; want %v, %v", name, got, err2, want, err1)
		}
	}
	if err := s.Close(); err != nil {
		d.Error(err)
	}
}

func anImportIsWhole(t testing.TB, o Opener) {
	d := everything(t, o)
	all, head := d.rowsOf(d.Store)
	tried := 0
	refused := func(doing string, rows []row, head ledger.AuditHead) {
		d.Helper()
		if tried++; !*wholeSuite && tried%8 != 1 {
			return
		}
		again, err := d.imported(rows, head)
		if err == nil && reflect.DeepEqual(again, all) {
			return // this deletion or order makes no difference
		}
		if !errors.Is(err, ledger.ErrExport) {
			d.Errorf("%s: %v", doing, err)
		}
	}
	refused("another head", all, ledger.AuditHead{Length: head.Length, Hash: hash("another"), At: head.At})
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].Kind == all[from].Kind {
			to++
		}
		refused("without the last "+all[from].Kind, slices.Delete(slices.Clone(all), to-1, to), head)
		refused("without any "+all[from].Kind, slices.Delete(slices.Clone(all), from, to), head)
		refused("cut off behind "+all[from].Kind, all[:to], head)
		if to-from > 1 {
			turned := slices.Clone(all)
			turned[from], turned[to-1] = turned[to-1], turned[from]
			refused("two in another order, of "+all[from].Kind, turned, head)
		}
		if first, ok := all[from].Is.(ledger.RecordedIntent); ok {
			other := from + slices.IndexFunc(all[from:to], func(r row) bool { return r.Is.(ledger.RecordedIntent).BatchID != first.BatchID })
			turned := slices.Clone(all)
			first, next := all[other-1].Is.(ledger.RecordedIntent), all[other].Is.(ledger.RecordedIntent)
			first.No, next.No = next.No, first.No
			turned[other-1].Is, turned[other].Is = first, next
			refused("two intents with each other's numbers", turned, head)
		}
		from = to
	}
}

// unbound are the fields that nothing binds to the audit trail, so that an edit is imported. There are
// none.
var unbound = map[string]bool{}

func editsAreFound(t testing.TB, o Opener) {
	d := everything(t, o)
	all, head := d.rowsOf(d.Store)
	best := map[string]int{} // for each field the row to edit: one with a value, if any
	for i := range all {
		eachField(reflect.ValueOf(&all[i]).Elem(), all[i].Kind, func(field string, zero bool, _ func() func()) {
			if _, ok := best[field]; !ok || !zero {
				best[field] = i
			}
		})
	}
	if len(best) < 150 {
		d.Errorf("only %d fields are edited", len(best))
	}
	met := 0
	for i := range all {
		rows := slices.Clone(all)
		eachField(reflect.ValueOf(&rows[i]).Elem(), rows[i].Kind, func(field string, _ bool, edit func() func()) {
			if best[field] != i {
				return
			}
			if met++; !*wholeSuite && met%16 != 1 {
				return
			}
			undo := edit()
			again, err := d.imported(rows, head)
			undo()
			switch {
			case err == nil && !reflect.DeepEqual(again, all):
				if !unbound[field] {
					d.Errorf("%s: an edit is imported:\n%s", field, cmp.Diff(all, again))
				}
			case err != nil && !errors.Is(err, ledger.ErrExport):
				d.Errorf("%s: %v", field, err)
			}
		})
	}
}

// eachField calls fn for each string, number, time and bool in v. edit changes the field; the undo that it
// returns restores it.
func eachField(v reflect.Value, path string, fn func(path string, zero bool, edit func() (undo func()))) {
	set := func(to reflect.Value) {
		fn(path, v.IsZero(), func() func() {
			was := reflect.New(v.Type()).Elem()
			was.Set(v)
			v.Set(to)
			return func() { v.Set(was) }
		})
	}
	switch v.Kind() {
	case reflect.Interface: // edit a copy and put it in place
		if v.IsNil() {
			return
		}
		is := reflect.New(v.Elem().Type()).Elem()
		is.Set(v.Elem())
		eachField(is, path, func(path string, zero bool, edit func() func()) {
			fn(path, zero, func() func() {
				was, undo := v.Elem(), edit()
				v.Set(is)
				return func() { undo(); v.Set(was) }
			})
		})
	case reflect.Struct:
		if at, ok := v.Interface().(time.Time); ok {
			set(reflect.ValueOf(at.Add(time.Second)))
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Kind" || f.Type.Name() == "CallKind" || f.Type.Name() == "AccountKind" {
				eachField(v.Field(i), path+"."+f.Name, fn)
			}
		}
	case reflect.Slice:
		if v.Len() > 0 {
			set(v.Slice(0, v.Len()-1))
			eachField(v.Index(0), path+"[0]", fn)
		}
	case reflect.Pointer: // to an optional amount
		to := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			to.Elem().SetInt(v.Elem().Int() + 1)
		}
		set(to)
	case reflect.Map:
		if v.Type() == reflect.TypeFor[map[string]int]() {
			set(reflect.ValueOf(map[string]int{"success": 1}))
		} else {
			set(reflect.ValueOf(map[string]string{"amount": "x"}))
		}
	case reflect.String:
		set(reflect.ValueOf(v.String() + "x").Convert(v.Type()))
	case reflect.Bool:
		set(reflect.ValueOf(!v.Bool()))
	case reflect.Uint8, reflect.Uint16:
		set(reflect.ValueOf(v.Uint() + 1).Convert(v.Type()))
	case reflect.Int, reflect.Int64:
		set(reflect.ValueOf(v.Int() + 1).Convert(v.Type()))
	default:
		panic(fmt.Sprint(path, " is ", v.Type()))
	}
}

func noPasswordIsImported(t testing.TB, o Opener) {
	d := everything(t, o)
	all, head := d.rowsOf(d.Store)
	for _, r := range all {
		if strings.Contains(fmt.Sprintf("%+v", r), "argon2id") {
			d.Errorf("the export has %+v", r)
		}
	}
	s, err := o.Import(d.ctx, keyOf, giving(all, head))
	d.must(err)
	people, _, err := s.UsersAndPolicy(d.ctx)
	d.must(err)
	p, _ := people.Find(asha)
	if kept, err := s.StoredSecret(d.ctx, p, p.Password); kept != "" || err != nil || p.Password == "" {
		d.Errorf("what is kept is %q, %v", kept, err)
	}
	if err := s.Close(); err != nil {
		d.Error(err)
	}
}

// row is one row of an export.
type row struct {
	Kind string
	Is   any
	On   any // what came with it
}

// rowsOf returns the rows of an export of a ledger, and its head.
func (d *desk) rowsOf(s Store) (all []row, head ledger.AuditHead) {
	d.Helper()
	head, err := s.Export(d.ctx, recording(&all))
	if err != nil {
		d.Fatalf("export: %v", err)
	}
	return all, head
}

func recording(all *[]row) ledger.Export {
	add := func(kind string, is, on any) error { *all = append(*all, row{kind, is, on}); return nil }
	return ledger.Export{
		Ledger: func(id string, at time.Time) error { return add("ledger", id, at) },
		Sheet: func(s ledger.Sheet, r *ledger.ReadOptions) error {
			if r == nil {
				return add("sheet", s, nil)
			}
			return add("sheet", s, *r)
		},
		SheetPart: func(id string, _ int, b []byte) error { return add("part", bytes.Clone(b), id) },
		Batch:     func(b ledger.Batch) error { return add("batch", b, nil) },
		Attempt: func(a ledger.Attempt) error {
			if a.AsPlanned() {
				return add("planned attempt", a, nil)
			}
			return add("attempt", a, nil)
		},
		Origin:      func(id int64, from ledger.RowOrigin) error { return add("origin", from, id) },
		Correction:  func(c ledger.RecordedCorrection) error { return add("correction", c, nil) },
		Observation: func(o ledger.NewObservation) error { return add("observation", o, nil) },
		Intent:      func(i ledger.RecordedIntent) error { return add("intent", i, nil) },
		StatusCheck: func(l ledger.RecordedLook) error { return add("look", l, nil) },
		Approval:    func(a ledger.Approval) error { return add("approval", a, nil) },
		Release:     func(p ledger.ReleaseApproval) error { return add("release", p, nil) },
		Statement:   func(k ledger.KeptStatement) error { return add("statement", k, nil) },
		Line:        func(l ledger.KeptLine) error { return add("line", l, nil) },
		Decision:    func(w ledger.StatementDecision) error { return add("word", w, nil) },
		BankLists:   func(l ledger.BankLists) error { return add("lists", l, nil) },
		Event:       func(e ledger.Event) error { return add("event", e, nil) },
	}
}

// giving passes rows and then the head to an import.
func giving(all []row, head ledger.AuditHead) func(ledger.Export) (ledger.AuditHead, error) {
	return func(out ledger.Export) (ledger.AuditHead, error) {
		for _, r := range all {
			if err := r.give(out); err != nil {
				return head, err
			}
		}
		return head, nil
	}
}

func (r row) give(out ledger.Export) error {
	switch is := r.Is.(type) {
	case string:
		return out.Ledger(is, r.On.(time.Time))
	case ledger.Sheet:
		if read, ok := r.On.(ledger.ReadOptions); ok {
			return out.Sheet(is, &read)
		}
		return out.Sheet(is, nil)
	case []byte:
		return out.SheetPart(r.On.(string), 1, is)
	case ledger.Batch:
		return out.Batch(is)
	case ledger.Attempt:
		return out.Attempt(is)
	case ledger.RowOrigin:
		return out.Origin(r.On.(int64), is)
	case ledger.RecordedCorrection:
		return out.Correction(is)
	case ledger.NewObservation:
		return out.Observation(is)
	case ledger.RecordedIntent:
		return out.Intent(is)
	case ledger.RecordedLook:
		return out.StatusCheck(is)
	case ledger.Approval:
		return out.Approval(is)
	case ledger.ReleaseApproval:
		return out.Release(is)
	case ledger.KeptStatement:
		return out.Statement(is)
	case ledger.KeptLine:
		return out.Line(is)
	case ledger.StatementDecision:
		return out.Decision(is)
	case ledger.BankLists:
		return out.BankLists(is)
	}
	return out.Event(r.Is.(ledger.Event))
}

func aMovedLedgerIsOver(t testing.TB, o Opener) {
	d := begin(t, o)
	_, overtaken := d.rowsOf(d.Store)
	d.load("nov", 2, 2)
	if err := d.End(d.ctx, overtaken, asha, "new.jsonl", minute(5)); !errors.Is(err, ledger.ErrConflict) {
		d.Errorf("moved without what was recorded since the export: %v", err)
	}
	before, head := d.rowsOf(d.Store)
	d.must(errors.Join(d.Moved(d.ctx), d.End(d.ctx, head, asha, "new.jsonl", minute(5))))
	d.whole()
	d.must(d.Close())
	d.Store = nil
	if _, err := o.Open(d.ctx); !errors.Is(err, ledger.ErrMoved) {
		d.Errorf("opened to write: %v", err)
	}
	view := newDesk(t, o)
	view.opened(o.View(d.ctx))
	if err := view.Moved(d.ctx); !errors.Is(err, ledger.ErrMoved) {
		d.Errorf("opened to read: %v", err)
	}
	after, ended := view.rowsOf(view.Store)
	if e, ok := after[len(after)-1].Is.(ledger.Event); !ok || e.Kind != ledger.EventMoved || len(after) != len(before)+1 {
		d.Errorf("it ends with %+v", e)
	}
	for _, of := range []struct { // the export before the move, and one after it
		rows []row
		head ledger.AuditHead
	}{{before, head}, {after, ended}} {
		if again, err := view.imported(of.rows, of.head); err != nil || !reflect.DeepEqual(again, of.rows) {
			d.Errorf("%v, %v", again, err)
		}
	}
}
