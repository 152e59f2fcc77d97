package doc

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payrun/ledger"
)

// full fills every field of a value with something of its own.
func full(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.UnixMicro(1_762_000_000_000_000 + int64(*n)).UTC()))
			return
		}
		for i := range v.NumField() {
			full(v.Field(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		full(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		full(v.Index(0), n)
		full(v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		full(key, n)
		full(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(strings.Repeat("₹<&\u202e\x00\" ", 1+*n%3) + strings.Repeat("x", *n%7))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.Uint16:
		v.SetUint(uint64(ledger.FieldIFSC | ledger.FieldRef))
	default:
		v.SetInt(int64(*n))
	}
}

func fullOf[T any]() (v T) {
	n := 0
	full(reflect.ValueOf(&v).Elem(), &n)
	return v
}

// given is what a reading of an export gave.
type given struct {
	Ledger       []any
	Sheet        []ledger.Sheet
	Reading      []*ledger.ReadOptions
	Part         []byte
	Batch        []ledger.Batch
	Attempt      []ledger.Attempt
	Origin       []any
	Correction   []ledger.RecordedCorrection
	Observation  []ledger.NewObservation
	Intent       []ledger.RecordedIntent
	StatusChecks []ledger.RecordedLook
	Approval     []ledger.Approval
	Release      []ledger.ReleaseApproval
	Statement    []ledger.KeptStatement
	Line         []ledger.KeptLine
	Decisions    []ledger.StatementDecision
	Lists        []ledger.BankLists
	Event        []ledger.Event
	Head         ledger.AuditHead
}

func put[T any](list *[]T) func(T) error {
	return func(v T) error { *list = append(*list, v); return nil }
}

func (g *given) export() ledger.Export {
	return ledger.Export{
		Ledger: func(id string, at time.Time) error { g.Ledger = append(g.Ledger, id, at); return nil },
		Sheet: func(s ledger.Sheet, r *ledger.ReadOptions) error {
			g.Sheet, g.Reading = append(g.Sheet, s), append(g.Reading, r)
			return nil
		},
		SheetPart: func(_ string, _ int, b []byte) error { g.Part = append(g.Part, b...); return nil },
		Batch:     put(&g.Batch), Attempt: put(&g.Attempt),
		Origin:     func(id int64, from ledger.RowOrigin) error { g.Origin = append(g.Origin, id, from); return nil },
		Correction: put(&g.Correction), Observation: put(&g.Observation), Intent: put(&g.Intent), StatusCheck: put(&g.StatusChecks), Approval: put(&g.Approval),
		Release: put(&g.Release), Statement: put(&g.Statement), Line: put(&g.Line), Decision: put(&g.Decisions), BankLists: put(&g.Lists), Event: put(&g.Event),
	}
}

// write writes an export of what was given.
func (g *given) write(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	x := NewExport(&out, nil)
	err := x.Ledger(g.Ledger[0].(string), g.Ledger[1].(time.Time))
	for i, s := range g.Sheet {
		err = errors.Join(err, x.Sheet(s, g.Reading[i]))
	}
	err = errors.Join(err, x.SheetPart(g.Sheet[0].ID, 1, g.Part), each(g.Batch, x.Batch), each(g.Attempt, x.Attempt),
		x.Origin(g.Origin[0].(int64), g.Origin[1].(ledger.RowOrigin)), each(g.Correction, x.Correction), each(g.Observation, x.Observation), each(g.Intent, x.Intent),
		each(g.StatusChecks, x.StatusCheck), each(g.Approval, x.Approval), each(g.Release, x.Release), each(g.Statement, x.Statement), each(g.Line, x.Line),
		each(g.Decisions, x.Decision), each(g.Lists, x.BankLists), each(g.Event, x.Event), x.End(g.Head))
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func each[T any](list []T, fn func(T) error) (err error) {
	for _, v := range list {
		err = errors.Join(err, fn(v))
	}
	return err
}

// everyField is a ledger with each field of each kind, and without any.
func everyField() given {
	first, later := fullOf[ledger.Attempt](), fullOf[ledger.Attempt]()
	first.Number, later.Number = 1, 2
	reading := fullOf[ledger.ReadOptions]()
	word := fullOf[ledger.StatementDecision]()
	word.Entries = []ledger.EntryRef{{Reading: 1, Line: 2}, {Reading: 1, Line: 2, Part: 3}}
	return given{
		Ledger: []any{"id", time.UnixMicro(7).UTC()}, Sheet: []ledger.Sheet{fullOf[ledger.Sheet](), {ID: "none"}}, Reading: []*ledger.ReadOptions{&reading, nil},
		Part: []byte("bytes \x00\xff"), Batch: []ledger.Batch{recorded(fullOf[ledger.Batch]()), {}}, Attempt: []ledger.Attempt{first, later},
		Origin: []any{int64(7), fullOf[ledger.RowOrigin]()}, Correction: []ledger.RecordedCorrection{fullOf[ledger.RecordedCorrection]()},
		Observation: []ledger.NewObservation{fullOf[ledger.NewObservation](), {}}, Intent: []ledger.RecordedIntent{fullOf[ledger.RecordedIntent](), {}},
		StatusChecks: []ledger.RecordedLook{fullOf[ledger.RecordedLook]()}, Approval: []ledger.Approval{fullOf[ledger.Approval]()},
		Release: []ledger.ReleaseApproval{fullOf[ledger.ReleaseApproval](), {}}, Statement: []ledger.KeptStatement{fullOf[ledger.KeptStatement](), {}},
		Line: []ledger.KeptLine{fullOf[ledger.KeptLine](), {}}, Decisions: []ledger.StatementDecision{word}, Lists: []ledger.BankLists{fullOf[ledger.BankLists]()},
		Event: []ledger.Event{fullOf[ledger.Event]()}, Head: fullOf[ledger.AuditHead](),
	}
}

// Whatever a ledger has comes back from its lines, but for what is no row of its own.
func TestAnExportIsReadAsItWasWritten(t *testing.T) {
	want := everyField()
	text := want.write(t)
	var got given
	var err error
	if got.Head, err = ReadExport(strings.NewReader(text), got.export()); err != nil {
		t.Fatal(err)
	}
	if text != got.write(t) {
		t.Error("written again it is another")
	}
	diff := cmp.Diff(want, got, cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(ledger.Observation{}, "WireRef", "OpenBeneficiaryID", "VendorName", "BankAccountNumber", "IFSC", "Remarks"), cmpopts.IgnoreFields(ledger.StatementDecision{}, "Ask"), // not recorded
		cmpopts.IgnoreFields(ledger.KeptStatement{}, "Void", "Entries"), cmpopts.IgnoreFields(ledger.KeptLine{}, "Place"), // derived
		cmpopts.IgnoreFields(ledger.Batch{}, "Approval", "ApprovedBy"), cmpopts.IgnoreFields(ledger.EntryRef{}, "Part"), cmpopts.IgnoreFields(ledger.LinkedAccount{}, "RedirectURL"))
	if diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnExportIsReadWholeAndAsItWasWrittenOrNotAtAll(t *testing.T) {
	read := func(text string) error {
		_, err := ReadExport(strings.NewReader(text), (&given{}).export())
		return err
	}
	wrote := everyField()
	text := wrote.write(t)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	kinds := map[string]bool{}
	for i, line := range lines {
		kind := strings.Split(line, `"`)[3]
		kinds[kind] = true
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
		for what, other := range map[string]string{
			"cut off before":   before,
			"cut off within":   before + line[:len(line)/2],
			"without":          before + after,
			"twice":            before + strings.TrimSuffix(line, "\n") + "\n" + line + after,
			"with more fields": before + strings.Replace(line, `"`+kind+`",`, `"`+kind+`","later":1,`, 1) + after,
			"of a newer type":  before + strings.Replace(line, kind, kind+"s", 1) + after,
		} {
			if err := read(other); !errors.Is(err, ledger.ErrExport) {
				t.Errorf("%s %s: %v", what, kind, err)
			}
		}
		for at := i % 4; at < len(line)-1; at += 4 {
			changed := []byte(line)
			changed[at] ^= 1
			head, err := ReadExport(strings.NewReader(before+string(changed)+after), (&given{}).export())
			if err == nil && head == wrote.Head { // another head is not that of the events
				t.Errorf("%s with another byte at %d: %s", kind, at, changed)
			}
		}
	}
	if len(kinds) != len(new(exportReader).allKinds()) {
		t.Errorf("only %v were tried", kinds)
	}
	for what, other := range map[string]string{
		"nothing":           "",
		"no export":         "SQLite format 3\x00\n",
		"a line after":      text + lines[1],
		"two exports":       text + text,
		"a newer schema":    strings.Replace(text, "export/v1", "export/v2", 1),
		"of other left out": strings.Replace(text, `"passwords"`, `"statements"`, 1),
	} {
		if err := read(other); !errors.Is(err, ledger.ErrExport) {
			t.Errorf("%s: %v", what, err)
		}
	}
	gone := errors.New("the disk is gone")
	if _, err := ReadExport(io.MultiReader(strings.NewReader(lines[0]), iotest.ErrReader(gone)), (&given{}).export()); !errors.Is(err, gone) {
		t.Error(err)
	}
}

func TestAMaskedExportIsNotRead(t *testing.T) {
	var out bytes.Buffer
	x := NewExport(&out, &ledger.Masker{})
	if err := errors.Join(x.Ledger("id", time.UnixMicro(7).UTC()), x.End(ledger.AuditHead{})); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadExport(&out, (&given{}).export()); !errors.Is(err, ledger.ErrExport) || !strings.Contains(err.Error(), "masked") {
		t.Error(err)
	}
}

// recorded is a batch without what is read of the audit trail.
func recorded(b ledger.Batch) ledger.Batch {
	b.Approval, b.ApprovedBy = "", nil
	return b
}
