package simulation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// history is the story of one seed.
type history struct {
	seed    uint64
	of      string        // the name of the story; "" for anything
	rng     *rand.Rand    // for the person, and what happens to payrun
	fixing  *rand.Rand    // for the person's corrections
	people  *rand.Rand    // for two people and statements
	clock   time.Time     // the true time
	skew    time.Duration // by how much payrun's clock is ahead
	bank    *bank
	wire    *wire
	eye     *eye
	client  *bankapi.Client
	set     submitter.Settings
	home    home
	store   store // nil while no process has the ledger open
	running *process
	canary  canary
	sheets  []*sheet

	wrongOTPs     int    // in scenarios: how many OTPs the person mistypes
	verb          string // the current verb
	looks         map[lookKind]int
	processes     int                           // number of processes that ran
	lastSubmit    map[string]int                // by batch: the number of its last submit POST
	ignoresMark   bool                          // for the canary that forgets the high-water mark next to the ledger
	takesOlder    bool                          // for the canary that uses an older ledger, with or without a mark, as if it were the newest
	words         []ledger.Approval             // for the canary that accepts everyone's approval
	failsRows     bool                          // one row write fails
	second        second                        // another ledger at the same time as this one
	other         desk                          // the other ledger; this one while the person works at the other
	written       int                           // number of sheets
	hasPortal     bool                          // a person submits at the bank's portal
	clockSteps    bool                          // payrun's clock is set back and forward
	twoPeople     bool                          // policy.two_person
	corrects      bool                          // some failed payouts are corrected before they are sent again
	fixed         map[string]fix                // by reference: the correction that must be sent
	wrote         map[string][]ledger.Payout    // by reference: every row that corrects it
	swapped       bool                          // another ledger is in its place: nothing may be sent
	swappedFor    swap                          // which other ledger
	putBack       bool                          // as a dump is put back, in the same place
	postsAtCopy   int                           // number of the bank's POSTs when the copy was made
	ahead         time.Duration                 // by how much the true clock is ahead of the bubble's
	tampered      bool                          // a row was changed in the file
	rivalled      bool                          // a second process ran without the lock
	restored      map[string]bool               // by reference: known to an accepted older copy, and not released since
	until         map[target]time.Time          // when to come back, according to the last refusal
	firstChecks   map[string]ledger.StatusCheck // for the canary that uses the first person's status for the second
	files         int                           // number of imported files
	explainers    map[string]string             // by line: who said last that it belongs to no payout
	recordedWords int                           // number of statements by people in releases
	violations    []string
	unprevented   map[string]string // payouts that were paid twice where no check could have prevented it, and how
	stats         stats

	lines   hash.Hash
	keep    bool // keep the log itself, not only its hash
	log     []string
	aliases map[string]string
}

// stats are the figures that the docs quote, by name.
type stats map[string]int

func (s stats) add(o stats) {
	for name, n := range o {
		s[name] += n
	}
}

func (s stats) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		list = append(list, fmt.Sprintf("%s=%d", name, s[name]))
	}
	return strings.Join(list, " ")
}

const (
	accessKey      = "AK-simulated-access"
	secretKey      = "SK-simulated-secret"
	payeeNumber    = "9988776655" // the start of every payee's account number
	strangerNumber = "6688776655" // the start of an account number that no payee has
)

// pollFirst is longer than the bank ever takes to answer, so a missing wait is noticed.
const pollFirst = 30 * time.Second

// t0 is the time at which every history begins.
var t0 = time.Date(2026, 1, 30, 4, 0, 0, 0, time.UTC)

// play runs one history in a synctest bubble, where timers take no real time.
func play(t *testing.T, home home, seed uint64, story func(*history), change ...func(*history)) *history {
	t.Helper()
	h := &history{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), fixing: rand.New(rand.NewPCG(seed, 4)), people: rand.New(rand.NewPCG(seed, 5)), restored: map[string]bool{}, until: map[target]time.Time{}, explainers: map[string]string{}, firstChecks: map[string]ledger.StatusCheck{}, fixed: map[string]fix{}, wrote: map[string][]ledger.Payout{}, clock: t0, home: home,
		lines: sha256.New(), aliases: map[string]string{}, lastSubmit: map[string]int{}, unprevented: map[string]string{}, looks: map[lookKind]int{}, stats: stats{"histories": 1},
	}
	h.bank = &bank{rng: rand.New(rand.NewPCG(seed, 2)), books: rand.New(rand.NewPCG(seed, 6)), wrote: map[string]string{}, readIn: map[string]int{}, now: func() time.Time { return h.clock }, log: h.logf, nature: calm(),
		byID: map[string]*heldBatch{}, byRef: map[string][]*heldPayout{}, said: map[attemptName]map[string]int{}, saidFailed: map[attemptName]span{}, asks: map[string][]asked{}, everShown: map[string]bool{}}
	h.wire = &wire{bank: h.bank, rng: rand.New(rand.NewPCG(seed, 3)), clock: &h.clock, log: h.logf, onPOST: h.checkPOST, seen: map[string]int{}}
	h.set = submitter.Settings{Environment: "sandbox", PollFirst: pollFirst, PollMost: 30 * time.Minute, OverdueAfter: 24 * time.Hour,
		SuccessWatch: 168 * time.Hour, ResolveWait: ledger.LeastWait, ResolveBetween: ledger.LeastBetween, DoubtQuiet: 10 * time.Minute, OTPWindow: 10 * time.Minute, OTPTries: 3, HeldAtOnce: 1, InFlight: 1, Zone: bankZone,
		Now: h.now}
	for _, c := range change {
		c(h)
	}
	synctest.Test(t, func(t *testing.T) {
		h.tell(t, story)
	})
	return h
}

func (h *history) tell(t *testing.T, story func(*history)) {
	var err error
	h.client, err = newClient(h.wire.dial)
	if err != nil {
		t.Fatal(err)
	}
	defer h.client.Close()
	if err := h.home.begin(h); err != nil {
		t.Fatal(err)
	}
	defer h.end()
	if err := h.openEye(); err != nil {
		t.Fatal(err)
	}
	defer h.closeEye()
	defer h.close()
	defer h.closeSecond()
	story(h)
	h.epilogue()
}

func (h *history) end() {
	if err := h.home.end(); err != nil {
		h.found("leaving the ledger: %v", err)
	}
}

func (h *history) openEye() error {
	v, err := h.home.look()
	if err == nil {
		h.eye = newEye(v)
	}
	return err
}

func (h *history) closeEye() {
	if err := h.eye.view.close(); err != nil {
		h.found("closing the look at the ledger: %v", err)
	}
}

// epilogue adds the end of the story to the log and the figures.
func (h *history) epilogue() {
	for _, a := range h.eye.now.attempts {
		h.logf("end: %s %s in %s %s", a.ref, a.state, h.eye.now.batches[a.batchNo].id, h.eye.now.batches[a.batchNo].state)
		if a.number == 1 {
			h.stats["payouts"]++
		}
		if p := h.bank.payout(h.eye.now.batches[a.batchNo].id, a.ref); p != nil && len(p.paidBy) > 0 {
			h.stats["executed"]++
		}
		if a.state.Final() {
			h.stats["final"]++
		}
	}
	h.stats["faults"] += h.wire.met
	for _, why := range h.unprevented {
		h.stats["unprevented_"+why]++
	}
}

// logf adds a line to the event log. Batch ids derive from the ledger's random name, so the log numbers
// them in order of appearance.
func (h *history) logf(format string, args ...any) {
	line := h.clock.Format("01-02 15:04:05.000 ") + h.named(fmt.Sprintf(format, args...))
	_, _ = h.lines.Write([]byte(line + "\n"))
	if h.keep {
		h.log = append(h.log, line)
	}
}

// talk adds to a replay what is worth reading but is not compared.
func (h *history) talk(format string, args ...any) {
	if h.keep {
		h.log = append(h.log, "    "+h.named(fmt.Sprintf(format, args...)))
	}
}

// now returns the time by payrun's clock.
func (h *history) now() time.Time { return h.clock.Add(h.skew) }

const idLength = 28

// named replaces batch ids by short names.
func (h *history) named(s string) string {
	for from := 0; ; {
		i := strings.Index(s[from:], "pr")
		if i < 0 {
			return s
		}
		i += from
		from = i + 2
		if i+idLength > len(s) || strings.Trim(s[i:i+idLength], "abcdefghijklmnopqrstuvwxyz234567") != "" {
			continue
		}
		id := s[i : i+idLength]
		if h.aliases[id] == "" {
			h.aliases[id] = fmt.Sprintf("batch-%d", len(h.aliases)+1)
		}
		s = s[:i] + h.aliases[id] + s[i+idLength:]
	}
}

func (h *history) hash() string { return hex.EncodeToString(h.lines.Sum(nil)) }

// found records a broken invariant.
func (h *history) found(format string, args ...any) {
	text := h.named(fmt.Sprintf(format, args...))
	h.violations = append(h.violations, text)
	h.logf("FOUND %s", text)
}

func (h *history) story() string { return strings.Join(h.log, "\n") }

func (h *history) broken() bool { return len(h.violations) > 0 }
