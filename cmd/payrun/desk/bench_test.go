package desk

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
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

// manyBatches is a desk over a ledger of 10,000 batches, each a payout of a bank
// without bulk.
func manyBatches(b *testing.B) *house {
	h := build(b)
	h.loadText("many.csv", manyRows(10_000, func(i int) string {
		return fmt.Sprintf("INV-%05d,Asha Verma,5010%08d,HDFC0001234,%d.50,pb8\n", i, i, 100+i%1000)
	}), app.SheetOptions{})
	return h
}

// asServed lets as little garbage lie as there is without TestMain, until the returned
// function is called.
func asServed() func() {
	before := debug.SetGCPercent(100)
	return func() { debug.SetGCPercent(before) }
}

// BenchmarkOpenBoards has ten people before open boards, over 10,000 batches. Each time
// something changes all of them are informed, and load the board again at once.
func BenchmarkOpenBoards(b *testing.B) {
	defer asServed()()
	const people = 10
	h := manyBatches(b)
	boss := h.admin()
	srv := h.listens()
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
		cookie := &http.Cookie{Name: h.cookie, Value: h.sessions.begin(&session{person: boss.session().person})}
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
// of the whole process, the bank of the tests in it, and are printed where Linux has them.
func BenchmarkLargeSheets(b *testing.B) {
	defer asServed()()
	for _, rows := range []int{200_000, 1_000_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			var look, load time.Duration
			var looked, loaded float64
			for b.Loop() {
				h := build(b)
				boss := h.adminWho("load")
				path := boss.bring("large.csv", manyRows(rows, func(i int) string {
					return fmt.Sprintf("INV-%07d,Asha Verma %d,501%09d,HDFC0001234,%d.50,pb3\n", i, i, i, 100+i%1000)
				})).Header.Get("Location")
				debug.FreeOSMemory()
				_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins again
				began := time.Now()
				is(b, boss.get(path), 200)
				look, looked = look+time.Since(began), max(looked, peakMiB())
				began = time.Now()
				is(b, boss.loads(path), 303)
				load, loaded = load+time.Since(began), max(loaded, peakMiB())
			}
			b.ReportMetric(look.Seconds()/float64(b.N), "look-s/op")
			b.ReportMetric(load.Seconds()/float64(b.N), "load-s/op")
			b.ReportMetric(looked, "look-peak-MiB")
			b.ReportMetric(loaded, "load-peak-MiB")
		})
	}
}

// peakMiB is the most memory that the process has taken; 0 where it is not said.
func peakMiB() (mib float64) {
	status, _ := os.ReadFile("/proc/self/status")
	if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
		_, _ = fmt.Sscan(after, &mib)
	}
	return mib / 1024
}
