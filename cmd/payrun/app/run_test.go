package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payrun/ledger"
)

// Of several sheets all are loaded or none, unless it breaks off between two of them:
// then nothing is sent, and the same run goes on.
func TestARunThatBreaksOffBetweenTwoSheetsGoesOn(t *testing.T) {
	d := newDesk(t)
	write := func(name, ref string) string {
		t.Helper()
		path := filepath.Join(d.dir, name)
		text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account\n" + ref + ",Asha Traders,123456789012,HDFC0001234,100.00,pb3\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, two := write("one.csv", "ONE"), write("two.csv", "TWO")
	req := RunRequest{Sheets: []string{one, two}, GoOn: func(context.Context, Outgoing) (ledger.Paise, error) {
		write("two.csv", "ANOTHER") // after it was checked and shown
		return 0, nil
	}}
	_, err := d.Run(t.Context(), Call{Actor: "maker"}, req)
	e := Worst(err)
	if e == nil || e.Code != SheetRefused || len(e.Next) == 0 {
		t.Fatalf("a sheet that changed: %v", err)
	}
	last := e.Next[len(e.Next)-1]
	if strings.Join(last.Command, " ") != "run "+one+" "+two || !strings.Contains(last.Before, "one.csv was loaded before this, and nothing was sent") {
		t.Errorf("what to do next: %+v", last)
	}
	if n := d.initiates(); n != 0 {
		t.Errorf("%d batches were initiated", n)
	}

	write("two.csv", "TWO")
	asked := 0
	req.GoOn = func(_ context.Context, out Outgoing) (ledger.Paise, error) {
		asked++
		if out.Payouts.Count != 2 || out.Loads != 1 {
			t.Errorf("shown: %d payouts, %d sheets to load", out.Payouts.Count, out.Loads)
		}
		return 0, nil
	}
	r, err := d.Run(t.Context(), Call{Actor: "maker"}, req)
	if e := Worst(err); e == nil || e.Code != NeedsPerson { // the OTP
		t.Fatalf("the same run again: %v", err)
	}
	if asked != 1 || !r.Sheets[0].GoneOn || r.Sheets[1].GoneOn || r.Sheets[1].Loaded == nil || d.initiates() != 1 {
		t.Errorf("asked %d times, gone on %v %v, %d initiated", asked, r.Sheets[0].GoneOn, r.Sheets[1].GoneOn, d.initiates())
	}
}

// initiates is how many batches the bank has.
func (d *desk) initiates() int {
	d.t.Helper()
	return len(d.bank.State().Batches)
}
