package ledger_test

import (
	"testing"
	"time"

	"payrun/ledger"
)

func TestRailsHaveTheirLimits(t *testing.T) {
	for name, want := range map[string][2]ledger.Paise{"neft": {0, 0}, "rtgs": {2_00_000_00, 0}, "imps": {0, 5_00_000_00}} {
		if least, most := ledger.RailNamed(name).Limits(); least != want[0] || most != want[1] {
			t.Errorf("%s: from %s to %s", name, least, most)
		}
	}
	for _, name := range []string{"", "NEFT", "upi"} {
		if rail := ledger.RailNamed(name); rail != "" {
			t.Errorf("%q is %s", name, rail)
		}
	}
}

func TestWhenAnEndIsDueByRail(t *testing.T) {
	at := func(clock string) time.Time {
		moment, err := time.Parse("2006-01-02 15:04:05 -07:00", "2026-11-22 "+clock+" +05:30")
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for _, tt := range []struct {
		rail           ledger.Rail
		submitted, due string
	}{
		{ledger.RailNEFT, "10:00:00", "12:30:00"}, // the half hour itself has begun
		{ledger.RailNEFT, "10:00:01", "12:30:00"},
		{ledger.RailNEFT, "10:29:59", "12:30:00"},
		{ledger.RailNEFT, "10:30:00", "13:00:00"},
		{ledger.RailRTGS, "10:05:00", "10:35:00"},
		{ledger.RailIMPS, "10:05:00", "10:15:00"},
	} {
		if due := tt.rail.Due(at(tt.submitted)); !due.Equal(at(tt.due)) {
			t.Errorf("%s at %s is due %s, want %s", tt.rail, tt.submitted, due, tt.due)
		}
	}
	if due := ledger.Rail("").Due(at("10:00:00")); !due.IsZero() {
		t.Errorf("of no rail, due %s", due)
	}
}

func TestLateIsOnlyWhatTheBankStillOwes(t *testing.T) {
	submitted := time.Date(2026, 11, 22, 4, 35, 0, 0, time.UTC)
	rails := ledger.Rails{"N": ledger.RailNEFT, "I": ledger.RailIMPS}
	batch := ledger.Batch{State: ledger.BatchSubmitted, TransactionTypeID: "N", SubmittedAt: submitted}
	due := time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC)
	for at, want := range map[time.Duration]string{
		-time.Second: "", 0: "", time.Second: "late by 1 minute for NEFT", 59 * time.Minute: "late by 59 minutes for NEFT",
		2*time.Hour + time.Minute: "late by 2 hours for NEFT", 47 * time.Hour: "late by 47 hours for NEFT", 72 * time.Hour: "late by 3 days for NEFT",
	} {
		if got := rails.LateBatch(batch, due.Add(at)).String(); got != want {
			t.Errorf("%s after it is due: %q, want %q", at, got, want)
		}
	}
	late := due.Add(time.Hour)
	for _, state := range ledger.PayoutStates {
		open := state == ledger.PayoutRequestInitiated || state == ledger.PayoutPending || state == ledger.PayoutInitiated || state == ledger.PayoutPlanned
		if got := rails.LatePayout(ledger.Attempt{State: state}, batch, late); (got.By == time.Hour) != open {
			t.Errorf("a payout that is %s is late by %s", state, got.By)
		}
	}
	for what, b := range map[string]ledger.Batch{
		"settled":                         {State: ledger.BatchSettled, TransactionTypeID: "N", SubmittedAt: submitted},
		"in doubt":                        {State: ledger.BatchSubmitUnknown, TransactionTypeID: "N", SubmittedAt: submitted},
		"of a type that nobody explained": {State: ledger.BatchSubmitted, TransactionTypeID: "X", SubmittedAt: submitted},
		"without a time":                  {State: ledger.BatchSubmitted, TransactionTypeID: "N"},
	} {
		if got := rails.LateBatch(b, late); got != (ledger.Late{}) {
			t.Errorf("a batch that is %s is late by %s", what, got.By)
		}
	}
	if got := (ledger.Late{}).With("why"); got != "why" {
		t.Errorf("%q", got)
	}
}
