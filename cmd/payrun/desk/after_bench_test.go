package desk

import (
	"net/http"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// BenchmarkPagesAfterAStep opens each page over 10,000 batches again after each step of
// one of them, which is given up: then fewer are paid than before. The step itself is not
// counted.
func BenchmarkPagesAfterAStep(b *testing.B) {
	h := manyBatches(b)
	boss := h.adminWho("load", "approve", "pay")
	batches := h.batches()
	sheet, batch := "/sheets/"+batches[0].SheetID, "/batches/"+batches[9999].ID
	n := 0
	for _, path := range []string{"/", "/attention", "/underway", "/sheets", sheet, batch, "/otp", "/payouts", "/payouts?q=INV-05000", "/payouts?ref=INV-05000", "/reports", "/log"} {
		b.Run(strings.Trim(strings.NewReplacer("/", " ", "?", " ", strings.TrimPrefix(sheet, "/sheets/"), "ID", strings.TrimPrefix(batch, "/batches/"), "ID").Replace("page"+path), " "), func(b *testing.B) {
			cpu := 0.0
			boss.get(path) // for the first time
			for b.Loop() {
				b.StopTimer()
				if _, err := h.app.Abandon(b.Context(), app.Call{Actor: "asha"}, app.AbandonRequest{Batches: []string{batches[n].ID}, Reason: "a change"}); h.state(batches[n].ID) != ledger.BatchAbandoned {
					b.Fatal(err)
				}
				n++
				b.StartTimer()
				began := cpuSeconds()
				if p := boss.get(path); p.StatusCode != http.StatusOK {
					b.Fatal(p.Status)
				}
				cpu += cpuSeconds() - began
			}
			b.ReportMetric(cpu/float64(b.N)*1e3, "cpu-ms/op")
		})
	}
}
