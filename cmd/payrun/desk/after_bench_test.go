package desk

import (
	"net/http"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
)

// BenchmarkPagesAfterAStep opens each page over 10,000 batches again after each step of
// one of them: it is approved, or given up, by which fewer are paid than before. Neither
// the step itself nor the first look of all is counted.
func BenchmarkPagesAfterAStep(b *testing.B) {
	h := manyBatches(b)
	h.twoPeople()
	boss := h.as("dev")
	batches := h.batches()
	sheet, batch := "/sheets/"+batches[0].SheetID, "/batches/"+batches[9999].ID
	n := 0
	steps := map[string]func(id string) (*app.Work, error){
		"approved": func(id string) (*app.Work, error) {
			return h.app.Approve(b.Context(), app.Call{Actor: "meera"}, app.ApproveRequest{Batches: []string{id}})
		},
		"given up": func(id string) (*app.Work, error) {
			return h.app.Abandon(b.Context(), app.Call{Actor: "asha"}, app.AbandonRequest{Batches: []string{id}, Reason: "a change"})
		},
	}
	for _, path := range []string{"/", "/attention", "/underway", "/sheets", sheet, batch, "/otp", "/payouts", "/payouts?q=INV-05000", "/payouts?ref=INV-05000", "/reports", "/log"} {
		name := strings.Trim(strings.NewReplacer("/", " ", "?", " ", strings.TrimPrefix(sheet, "/sheets/"), "ID", strings.TrimPrefix(batch, "/batches/"), "ID").Replace("page"+path), " ")
		for _, happened := range []string{"approved", "given up"} {
			b.Run(name+"/"+happened, func(b *testing.B) {
				cpu := 0.0
				boss.get(path) // for the first time
				for b.Loop() {
					b.StopTimer()
					before := len(h.events())
					if _, err := steps[happened](batches[n].ID); len(h.events()) == before {
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
}
