package storetest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var audits = []Check{
	{"the audit trail of a story is the same in every store, to the last hash", theTrailIsFixed},
	{"the head is the newest event, for every reader", theHeadIsTheNewest},
}

// trail is the audit trail of wholeStory, one event a line. Existing ledgers have such hashes, so a store
// that computes others cannot verify them. The file changes only with the words of an event.
//
//go:embed testdata/trail.jsonl
var trail []byte

// wholeStory tells a story with every kind of event that a store records by itself.
func wholeStory(t testing.TB, o Opener) story {
	t.Helper()
	st := tell(t, o)
	st.withBytes("dec", []byte("ref,amount\nINV-1,1.00\n"), ledger.ReadOptions{HiddenRows: "error", Columns: map[string]string{"amount": "Net Pay"}})
	b := st.load("jan", 4, 1)
	st.intend(b[0].ID, ledger.InitiateIntended, minute(50))
	st.hold(b[1].ID)
	st.intend(b[1].ID, ledger.SubmitIntended, minute(51))
	err := errors.Join(
		second(st.Recover(st.ctx, ravi, minute(52))),
		st.Approve(st.ctx, ledger.Approving{Approval: approval("मीरा", st.planned, hash("payload"), minute(54))}),
		st.ImportBranches(st.ctx, listOf("AAAA", minute(55)), branchesOf("AAAA", 3)),
	)
	st.must(err)
	st.apply(ledger.Step{Actor: ravi, BatchID: b[0].ID, From: ledger.BatchInitiateUnknown, Event: ledger.DoubtExpired, At: minute(90), Successor: true})
	st.apply(st.release(asha, b[1].ID, minute(91).Add(-2*time.Second)))
	st.apply(st.release(ravi, b[1].ID, minute(91)))
	st.apply(ledger.Step{Actor: ravi, BatchID: b[1].ID, From: ledger.BatchSetAside, At: minute(91), Note: "two lines: ₹ \n", Attention: ledger.StatusDiffers})
	// a time is stored to the microsecond
	st.abandon(b[2].ID, minute(92).Add(1_999*time.Nanosecond))
	return st
}

func second[T any](_ T, err error) error { return err }

func theTrailIsFixed(t testing.TB, o Opener) {
	st := wholeStory(t, o)
	var got bytes.Buffer
	lines := json.NewEncoder(&got)
	kinds := map[string]bool{}
	for _, e := range st.world().Events {
		kinds[e.Kind] = true
		if words := e.Words(); strings.Contains(words, `{"`) || (words == "") != (e.Detail == "") {
			st.Errorf("event %s with %s is %q for people", e.Kind, e.Detail, words)
		}
		st.must(lines.Encode(e))
	}
	if !bytes.Equal(got.Bytes(), trail) {
		st.Errorf("the trail (-want +got):\n%s\nIf an event was reworded on purpose, it is:\n%s",
			cmp.Diff(bytes.Split(trail, []byte("\n")), bytes.Split(got.Bytes(), []byte("\n"))), got.String())
	}
	for _, kind := range []string{ledger.EventCreated, ledger.EventSheetLoaded, ledger.EventPlanned, ledger.EventObserved, ledger.EventApproved, ledger.EventReleaseAsked, string(ledger.SetAside), ledger.EventBranchesLoaded} {
		if !kinds[kind] {
			st.Errorf("the story has no event %s", kind)
		}
	}
	c := ledger.Chain{LedgerID: ledgerID}
	for _, e := range st.world().Events {
		if wrong := c.Replay(e); len(wrong) > 0 {
			st.Errorf("%v", wrong)
		}
	}
	st.whole()
}

func theHeadIsTheNewest(t testing.TB, o Opener) {
	d := begin(t, o)
	check := func(doing string, s Store) {
		d.Helper()
		w := d.world()
		newest := w.Events[len(w.Events)-1]
		head, err := s.AuditHead(d.ctx)
		if want := (ledger.AuditHead{Length: int64(len(w.Events)), Hash: newest.Hash, At: newest.At}); err != nil || head != want {
			d.Errorf("%s: %+v, %v; want %+v", doing, head, err, want)
		}
		var seen []ledger.Event
		if err := s.Events(d.ctx, func(e ledger.Event) error { seen = append(seen, e); return nil }); err != nil || !slices.Equal(seen, w.Events) {
			d.Errorf("%s: events %v, %v", doing, seen, err)
		}
	}
	v := d.view()
	check("a new ledger", v)
	b := d.load("nov", 2, 2)
	check("after a load", v)
	d.abandon(b[0].ID, minute(1))
	check("after a step", v)
	check("for who writes", d.Store)
}
