package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"payrun/ledger"
	"payrun/ledger/durable"
)

// metrics is what a night leaves for a monitor.
type metrics struct {
	lastNight
	ledger *Status // nil if the ledger could not be read
}

// writeNight records next to the ledger how the night ended, for doctor. It also writes metrics_file, if
// one is set. It replaces each file as a whole.
func (a *App) writeNight(m metrics) error {
	m.Good = m.Ended
	if m.Exit != 0 {
		m.Good = a.lastNight().Good
	}
	m.Began, m.Ended, m.Good = m.Began.UTC(), m.Ended.UTC(), m.Good.UTC()
	var errs []error
	path, file := a.place.file()
	if _, err := os.Stat(path); !file || !errors.Is(err, fs.ErrNotExist) {
		text, err := json.Marshal(m.lastNight)
		if err == nil {
			err = durable.Replace(a.nightPath(), durable.From(bytes.NewReader(append(text, '\n'))))
		}
		errs = append(errs, err)
	}
	if path = a.set.InFolder(a.set.Nightly.MetricsFile); path != "" {
		errs = append(errs, durable.Replace(path, func(f *os.File) error {
			const monitorsRead = 0o644 // sums and counts, and no name or account
			_, err := m.text(a.ledgerFile()).WriteTo(f)
			return errors.Join(err, f.Chmod(monitorsRead))
		}))
	}
	return errors.Join(errs...)
}

// lastNight says how the last night ended.
type lastNight struct {
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended"`
	Exit  int       `json:"exit"`
	Good  time.Time `json:"good"` // the end of the last one with exit 0; zero if there was none

	Reported reported `json:"reported"`
}

func (a *App) nightPath() string { return a.place.own("night") }

// lastNight reads it. If it cannot be read, or is not a regular file, it is unknown: it guards nothing.
func (a *App) lastNight() (n lastNight) {
	const most = 4 << 10 // bytes
	if info, err := os.Lstat(a.nightPath()); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return n
	}
	text, err := os.ReadFile(a.nightPath())
	if err != nil || json.Unmarshal(text, &n) != nil {
		return lastNight{}
	}
	return n
}

// text returns the Prometheus text format. It has every state, even with 0, so that a series does not
// start in the middle of an alarm. file is the ledger's file; nil if the ledger is not a file.
func (m metrics) text(file os.FileInfo) *bytes.Buffer {
	var b bytes.Buffer
	head := func(name, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
	}
	one := func(name, help string, value any) {
		head(name, help)
		fmt.Fprintf(&b, "%s %v\n", name, value)
	}
	one("payrun_nightly_last_run_timestamp_seconds", "When the last night ended.", m.Ended.Unix())
	if !m.Good.IsZero() {
		one("payrun_nightly_last_success_timestamp_seconds", "When the last night with exit code 0 ended.", m.Good.Unix())
	}
	one("payrun_nightly_duration_seconds", "How long the last night took.", max(0, m.Ended.Sub(m.Began)).Seconds())
	one("payrun_nightly_exit_code", "The exit code of the last night (payrun help exit-codes).", m.Exit)
	if m.ledger == nil {
		return &b
	}
	batches, waiting := map[ledger.BatchState]int{}, 0
	for _, b := range m.ledger.Batches {
		if batches[b.State]++; m.ledger.Asks(b).NeedsPerson() {
			waiting++
		}
	}
	head("payrun_batches", "Batches in the ledger, by state.")
	for _, s := range ledger.BatchStates {
		fmt.Fprintf(&b, "payrun_batches{state=%q} %d\n", s, batches[s])
	}
	head("payrun_payouts", "Payouts in the ledger, by the state of their latest attempt.")
	for _, s := range ledger.PayoutStates {
		fmt.Fprintf(&b, "payrun_payouts{state=%q} %d\n", s, m.ledger.Payouts[s].Count)
	}
	head("payrun_payouts_paise", "Their amounts, in paise.")
	for _, s := range ledger.PayoutStates {
		fmt.Fprintf(&b, "payrun_payouts_paise{state=%q} %d\n", s, int64(m.ledger.Payouts[s].Total))
	}
	_, open := m.ledger.HeldAndOpen()
	one("payrun_open_batches", "Batches that a status of the bank can move on.", open)
	one("payrun_needs_person_batches", "Batches that wait for a person.", waiting)
	if file != nil {
		one("payrun_ledger_bytes", "Size of the ledger file.", file.Size())
	}
	return &b
}
