package desk

import (
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// BenchmarkPages opens each page over a year of 100,000 payouts in 2,000 batches, with a
// month's still to do, and reports the CPU that each takes.
func BenchmarkPages(b *testing.B) {
	h := manyPayouts(b)
	boss := h.adminWho("load", "approve", "pay")
	is(b, boss.post("/reports", "form", boss.form()), 303)
	all := need(h.app.Sheets(b.Context(), app.Call{}))(b)
	paid, planned := "/sheets/"+all[0].ID, "/sheets/"+all[len(all)-1].ID
	batches := h.batches()
	payee := payeePath("Payee 100", "501000000100", "HDFC0001234", "")
	for _, page := range [][2]string{
		{"home", "/"}, {"to do", "/attention"}, {"sheets", "/sheets"}, {"paid sheet", paid}, {"review", planned},
		{"paid batch", "/batches/" + batches[0].ID}, {"planned batch", "/batches/" + batches[len(batches)-1].ID}, {"otp", "/otp"},
		{"payouts", "/payouts"}, {"payouts of a state", "/payouts?state=planned&page=50"}, {"payouts, last page", "/payouts?page=1000"},
		{"payouts of a sheet", "/payouts?sheet=" + all[0].ID}, {"payouts of a day", "/payouts?from=2025-11-03&until=2025-11-03"},
		{"payouts, a reference", "/payouts?q=S05-0100"}, {"payouts, a name", "/payouts?q=Payee+100"}, {"payouts, all names", "/payouts?q=payee"},
		{"payouts, an amount", "/payouts?q=1100.50"}, {"payouts, an account tail", "/payouts?q=0100"}, {"payouts, largest first", "/payouts?sort=largest"},
		{"story", "/payouts?ref=S05-0100"}, {"payee", payee}, {"reports", "/reports"}, {"log", "/log"}, {"log, of a person", "/log?person=asha"},
		{"log, in the middle", "/log?before=5000"}, {"account", "/account"}, {"policy", "/policy"},
	} {
		b.Run(page[0], func(b *testing.B) {
			defer asServed()()
			boss.get(page[1]) // a plan is read once
			b.ReportAllocs()
			b.ResetTimer()
			cpu := cpuSeconds()
			for b.Loop() {
				is(b, boss.get(page[1]), 200)
			}
			b.ReportMetric((cpuSeconds()-cpu)/float64(b.N)*1e3, "cpu-ms/op")
		})
	}
}

// manyPayouts is a desk over a ledger of 40 sheets of 2,500 payouts, in batches of 50. All
// but the last four are paid.
func manyPayouts(b *testing.B) *house {
	const sheets, rows = 40, 2500
	h := build(b)
	h.reopen(func(set *config.Settings) { set.Limits.PayoutsPerBatch, set.OTP.HeldAtOnce = 50, 0 })
	for s := range sheets {
		text := manyRows(rows, func(i int) string {
			return fmt.Sprintf("S%02d-%04d,Payee %d,501%09d,HDFC0001234,%d.50,pb3\n", s, i, i, i, 1000+s+i)
		})
		h.at = h.at.Add(5 * time.Second)
		h.loadText(fmt.Sprintf("sheet-%d.csv", s), text, app.SheetOptions{})
		if s >= sheets-4 {
			continue
		}
		_, _ = h.app.Initiate(b.Context(), app.Call{Actor: "asha"}, app.InitiateRequest{All: true}) // it ends with OTPs to enter
		var otps []app.OTP
		for _, at := range h.bank.State().Batches[s*rows/50:] {
			otp, token := h.otp(at.BatchID)
			otps = append(otps, app.OTP{BatchID: at.BatchID, OTP: ledger.NewSecret(otp), Token: ledger.NewSecret(token)})
		}
		_, _ = h.app.Submit(b.Context(), app.Call{Actor: "asha"}, app.SubmitRequest{OTPs: func() ([]app.OTP, error) { return otps, nil }})
	}
	for range 7 {
		h.bank.Settle()
	}
	h.polls(time.Minute)
	h.polls(time.Minute)
	return h
}

// manyRows is a sheet of so many rows, each with the end of its line.
func manyRows(n int, row func(i int) string) string {
	var text strings.Builder
	text.WriteString(header + "\n")
	for i := range n {
		text.WriteString(row(i))
	}
	return text.String()
}

// asServed lets as little garbage lie as there is without TestMain, until the returned
// function is called.
func asServed() func() {
	before := debug.SetGCPercent(100)
	return func() { debug.SetGCPercent(before) }
}

// cpuSeconds is what this process has used of the processors.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
