package desk

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// BenchmarkPages opens each page over a ledger of 10,000 batches, each a payout of a
// bank without bulk.
func BenchmarkPages(b *testing.B) {
	h := manyBatches(b)
	boss := h.adminWho("load", "approve", "pay")
	sheet, batch := "/sheets/"+h.batch().SheetID, "/batches/"+h.batch().ID
	if p := boss.post("/reports", "form", boss.form()); p.StatusCode != http.StatusSeeOther {
		b.Fatal(p.Status)
	}
	for _, path := range []string{"/", "/attention", "/sheets", sheet, batch, "/otp", "/payouts", "/payouts?state=planned&page=50", "/payouts?page=90", "/payouts?q=INV-05000", "/payouts?q=INV", "/payouts?sort=largest", "/payouts?ref=INV-05000", "/reports", "/log", "/log?before=5000"} {
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

// manyBatches is a desk over a ledger of 10,000 batches, each a payout of a bank
// without bulk.
func manyBatches(b *testing.B) *house {
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
	return h
}

// asServed lets as little garbage lie as there is without TestMain, until the returned
// function is called.
func asServed() func() {
	before := debug.SetGCPercent(100)
	return func() { debug.SetGCPercent(before) }
}

// BenchmarkOpenBoards has ten people before open boards, over 10,000 batches. Each time
// something changes all of them are told, and load the board anew at once.
func BenchmarkOpenBoards(b *testing.B) {
	defer asServed()()
	const people = 10
	h := manyBatches(b)
	boss := h.admin()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:8660"
		h.handler.ServeHTTP(w, r)
	}))
	defer srv.Close()
	ask := func(path string, cookie *http.Cookie) *http.Response {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, srv.URL+path, nil)
		if err != nil {
			b.Error(err)
			return nil
		}
		r.AddCookie(cookie)
		r.Header.Set("Accept", "text/html")
		got, err := http.DefaultClient.Do(r)
		if err != nil || got.StatusCode != http.StatusOK {
			b.Errorf("%s: %v, %v", path, got, err)
			return nil
		}
		return got
	}
	loaded := make(chan time.Duration, people)
	for range people {
		cookie := &http.Cookie{Name: h.cookie, Value: h.sessions.begin(boss.session().person, "127.0.0.1", nil)}
		stream := ask("/live", cookie)
		if stream == nil {
			b.FailNow()
		}
		defer stream.Body.Close()
		lines := bufio.NewScanner(stream.Body)
		for lines.Scan() && lines.Text() != "event: hello" {
		}
		go func() {
			for lines.Scan() {
				if lines.Text() != "event: batch" {
					continue
				}
				begun := time.Now()
				if p := ask("/", cookie); p != nil {
					_, _ = io.Copy(io.Discard, p.Body)
					_ = p.Body.Close()
				}
				loaded <- time.Since(begun)
			}
		}()
	}
	batches := h.batches()
	var took []time.Duration
	var memory runtime.MemStats
	most := uint64(0)
	cpu, n := 0.0, 0
	for b.Loop() {
		began := cpuSeconds()
		if _, err := h.app.Abandon(b.Context(), app.Call{Actor: atTerminal}, app.AbandonRequest{Batches: []string{batches[n].ID}, Reason: "a change"}); h.state(batches[n].ID) != ledger.BatchAbandoned {
			b.Fatal(err)
		}
		for range people {
			took = append(took, <-loaded)
		}
		cpu, n = cpu+cpuSeconds()-began, n+1
		runtime.ReadMemStats(&memory)
		most = max(most, memory.HeapInuse+memory.StackInuse)
	}
	slices.Sort(took)
	of := func(hundredth int) float64 { return float64(took[(len(took)-1)*hundredth/100].Microseconds()) / 1e3 }
	b.ReportMetric(of(50), "p50-ms")
	b.ReportMetric(of(99), "p99-ms")
	b.ReportMetric(cpu/float64(len(took))*1e3, "cpu-ms/board")
	b.ReportMetric(float64(most)/(1<<20), "MB")
}

// cpuSeconds is what this process has used of the processors.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// BenchmarkLargeSheets looks at sheets that were brought, and loads them. The peaks are
// of the whole process, the bank of the tests in it, and are told where Linux has them.
func BenchmarkLargeSheets(b *testing.B) {
	defer asServed()()
	for _, rows := range []int{200_000, 1_000_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			var look, load time.Duration
			var looked, loaded float64
			for b.Loop() {
				h := build(b)
				boss := h.adminWho("load")
				path := boss.bring("large.csv", largeSheet(rows)).Header.Get("Location")
				debug.FreeOSMemory()
				_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew
				began := time.Now()
				if p := boss.get(path); p.StatusCode != http.StatusOK {
					b.Fatal(p.Status)
				}
				look, looked = look+time.Since(began), max(looked, peakMiB())
				began = time.Now()
				if p := boss.loads(path); p.StatusCode != http.StatusSeeOther {
					b.Fatal(p.Status)
				}
				load, loaded = load+time.Since(began), max(loaded, peakMiB())
			}
			b.ReportMetric(look.Seconds()/float64(b.N), "look-s/op")
			b.ReportMetric(load.Seconds()/float64(b.N), "load-s/op")
			b.ReportMetric(looked, "look-peak-MiB")
			b.ReportMetric(loaded, "load-peak-MiB")
		})
	}
}

// largeSheet has payouts to as many payees.
func largeSheet(rows int) string {
	var text strings.Builder
	text.WriteString("Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account\n")
	for i := range rows {
		fmt.Fprintf(&text, "INV-%07d,Asha Verma %d,501%09d,HDFC0001234,%d.50,pb3\n", i, i, i, 100+i%1000)
	}
	return text.String()
}

// peakMiB is the most memory that the process has taken; 0 where it is not told.
func peakMiB() (mib float64) {
	status, _ := os.ReadFile("/proc/self/status")
	if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
		_, _ = fmt.Sscan(after, &mib)
	}
	return mib / 1024
}
