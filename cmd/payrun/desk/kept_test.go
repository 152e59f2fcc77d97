package desk

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// What was read is kept as long as the ledger stands so, of the things that were looked
// at last, and of no more than there is room for. What could not be read is not kept.
func TestWhatWasLookedAtLately(t *testing.T) {
	var l lately[int]
	reads := 0
	look := func(of string, stands int64, size int) int {
		found, err := l.at(of, ledger.AuditHead{Length: stands}, func(n *int) int { return size }, func(*int) (*int, error) { reads++; n := reads; return &n, nil })
		if err != nil {
			t.Fatal(err)
		}
		return *found
	}
	if a, again, later := look("a", 1, 10), look("a", 1, 10), look("a", 2, 10); a != 1 || again != 1 || later != 2 {
		t.Errorf("read %d, %d, %d", a, again, later)
	}
	if b, a := look("b", 2, latelyMost-100), look("a", 2, 10); b != 3 || a != 2 {
		t.Errorf("beside another: %d, %d", b, a)
	}
	look("c", 2, 200) // b, whose look is the longest ago, has no room any more
	if a, c, b := look("a", 2, 10), look("c", 2, 200), look("b", 2, latelyMost-1000); a != 2 || c != 4 || b != 5 {
		t.Errorf("after a third: %d, %d, %d", a, c, b)
	}
	if large, again := look("large", 2, latelyOne), look("large", 2, latelyOne); large != 6 || again != 6 || len(l.all) != 1 {
		t.Errorf("of a large one: %d, %d, and %d are kept", large, again, len(l.all))
	}
	look("too large", 2, latelyOne+1)
	if len(l.all) != 0 {
		t.Errorf("%d are kept beside what has no room", len(l.all))
	}
	for i := range 5 {
		if _, err := l.at(fmt.Sprint(i), ledger.AuditHead{}, nil, func(*int) (*int, error) { return nil, errors.New("no") }); err == nil || len(l.all) != 0 {
			t.Errorf("what could not be read: %v, %d kept", err, len(l.all))
		}
	}
}

// The page of a sheet is of how it stands now, for each who looks: what others did shows
// at once, and nothing of what one is told is told to another.
func TestWhatIsKeptOfASheetIsForAll(t *testing.T) {
	h := build(t)
	h.loadRows("INV/1,Asha,123456789012,HDFC0001234,100.00,pb3", "INV/2,Ravi,223456789012,HDFC0001234,50.00,pb4")
	h.twoPeople()
	first := h.batches()[0]
	page := "/sheets/" + first.SheetID
	own, other := h.as("asha"), h.as("meera")
	for range 2 {
		is(t, own.get(page), 200, "You planned it, so another person approves it.")
		is(t, other.get(page), 200, page+"/approve", "nobody yet")
		left := h.as("dev") // which changes nothing of it
		is(t, left.post("/logout", "form", left.form()), http.StatusSeeOther)
	}
	plan := other.bound(page, page+"/approve")
	h.must(h.app.Abandon(t.Context(), app.Call{Actor: "asha"}, app.AbandonRequest{Batches: []string{h.batches()[1].ID}, Reason: "by mistake"}))
	is(t, other.get(page), 200, `data-state="abandoned"`, "Approve 1 batch")
	is(t, other.decide(page+"/approve", append(plan, "total", "100")...), http.StatusConflict, "not as it was shown")
	p := other.decide(page+"/approve", append(other.bound(page, page+"/approve"), "total", "100")...)
	if p.StatusCode != http.StatusSeeOther {
		t.Fatal(p.Status, p.body)
	}
	is(t, other.get(page), 200, "It is approved. Who may pay initiates it.", "<b>meera</b> "+h.set.Moment(h.at))
	is(t, h.as("ravi").get(page), 200, page+"/initiate")
	is(t, other.get("/sheets/nosuch"), http.StatusNotFound)
	if len(h.desk.stories.all) != 1 || len(h.desk.plans.all) != 1 {
		t.Errorf("kept: %d, %d", len(h.desk.stories.all), len(h.desk.plans.all))
	}
}

// What is kept of a sheet counts each batch, and each payout that is kept of it: here
// both, as paid for the first time, and as the largest.
func TestWhatIsKeptIsCounted(t *testing.T) {
	h := build(t)
	h.loadRows("INV/1,Asha,123456789012,HDFC0001234,100.00,pb3", "INV/2,Ravi,223456789012,HDFC0001234,50.00,pb3")
	is(t, h.adminWho("pay").get("/sheets/"+h.batches()[0].SheetID), 200)
	if all := h.desk.plans.all; len(all) != 1 || all[0].size != 1+2+2 {
		t.Errorf("kept: %+v", all)
	}
}

// What is planned of a sheet is asked anew with each hour of the configured zone, so that
// it is asked anew with each day: in India that begins at half past.
func TestWhatIsPlannedIsAskedAnewWithEachDay(t *testing.T) {
	h := build(t, "INV/1")
	b := h.adminWho("pay")
	midnight := time.Date(2025, 11, 4, 0, 0, 0, 0, h.set.Timezone.At)
	h.at = midnight.Add(-59 * time.Minute)
	is(t, b.post("/login", "name", "ravi", "password", password), http.StatusSeeOther)
	for _, c := range []struct {
		at   time.Duration
		kept int
	}{{-31 * time.Minute, 1}, {-29 * time.Minute, 1}, {-time.Minute, 1}, {time.Minute, 2}} {
		h.at = midnight.Add(c.at)
		is(t, b.get("/sheets/"+h.batch().SheetID), 200)
		if n := len(h.desk.plans.all); n != c.kept {
			t.Errorf("%s from midnight %d are kept, not %d", c.at, n, c.kept)
		}
	}
}
