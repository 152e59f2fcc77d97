package desk

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"payrun/cmd/payrun/app"
)

// BenchmarkPages opens each page over a ledger of 10,000 batches, each a payout of a
// bank without bulk.
func BenchmarkPages(b *testing.B) {
	h := build(b)
	var text strings.Builder
	text.WriteString("Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "INV-%05d,Asha Verma,5010%08d,HDFC0001234,%d.50,pb8\n", i, i, 100+i%1000)
	}
	path := filepath.Join(h.dir, "many.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	if _, err := h.app.Load(b.Context(), app.Call{Actor: "asha"}, []string{path}, app.SheetOptions{}); err != nil {
		b.Fatal(err)
	}
	boss := h.adminWho("load", "approve", "pay")
	sheet, batch := "/sheets/"+h.batch().SheetID, "/batches/"+h.batch().ID
	if p := boss.post("/reports", "form", boss.form()); p.StatusCode != http.StatusSeeOther {
		b.Fatal(p.Status)
	}
	for _, path := range []string{"/", "/attention", "/sheets", sheet, batch, "/otp", "/payouts", "/payouts?state=planned&after=5000", "/payouts?q=INV-05000", "/payouts?ref=INV-05000", "/reports", "/log", "/log?before=5000"} {
		b.Run(strings.Trim(strings.NewReplacer("/", " ", "?", " ", strings.TrimPrefix(sheet, "/sheets/"), "ID", strings.TrimPrefix(batch, "/batches/"), "ID").Replace("page"+path), " "), func(b *testing.B) {
			b.ReportAllocs()
			cpu := cpuSeconds()
			for b.Loop() {
				p := boss.get(path)
				if p.StatusCode != http.StatusOK {
					b.Fatal(p.Status)
				}
			}
			b.ReportMetric((cpuSeconds()-cpu)/float64(b.N)*1e3, "cpu-ms/op")
		})
	}
}

// cpuSeconds is what this process has used of the processors.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
