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

// history is one seed's story.
type history struct {
	seed    uint64
	of      string        // the story; anything where it is none
	rng     *rand.Rand    // of the person and of what happens to payrun
	fixing  *rand.Rand    // of what the person corrects
	people  *rand.Rand    // of two people and of statements
	clock   time.Time     // the true one
	skew    time.Duration // by which the clock on payrun's wall is ahead of it
	bank    *bank
	wire    *wire
	eye     *eye
	client  *bankapi.Client
	set     submitter.Settings
	home    home
	store   store // nil while no process has it
	running *process
	canary  canary
	sheets  []*sheet

	wrongOTPs     int    // the person mistypes so many, in scenarios
	verb          string // that is carried out
	looks         map[lookKind]int
	processes     int                           // that ran
	lastSubmit    map[string]int                // by batch: the number of the last submit POST
	ignoresMark   bool                          // the canary that forgets the high-water mark next to the ledger
	takesOlder    bool                          // the canary that takes an older ledger, with and without a mark, for the one that it was
	words         []ledger.Approval             // the canary that takes everybody's
	failsRows     bool                          // one row that is written fails
	second        second                        // another ledger next to this one
	other         desk                          // it; while someone is there, this one
	written       int                           // sheets
	hasPortal     bool                          // someone submits at the bank's portal
	clockSteps    bool                          // someone sets the clock on payrun's wall
	twoPeople     bool                          // policy.two_person
	corrects      bool                          // some of what failed is corrected before it is sent again
	fixed         map[string]fix                // by reference: what was corrected, and is to be sent
	wrote         map[string][]ledger.Payout    // by reference: every row that corrects it
	swapped       bool                          // another ledger is in its place: nothing may be sent
	swappedFor    swap                          // which
	putBack       bool                          // as a dump is, in the same place
	postsAtCopy   int                           // that the bank had when it was copied
	ahead         time.Duration                 // by which the true clock is ahead of the bubble's
	tampered      bool                          // someone changed a row in the file
	rivalled      bool                          // a second process ran with the lock bypassed
	restored      map[string]bool               // by reference: what an older copy knew that was accepted, and no one released since
	until         map[target]time.Time          // when to come back, as the last refusal says
	firstChecks   map[string]ledger.StatusCheck // of the canary that takes the first person's status for the second's
	files         int                           // that someone imported
	explainers    map[string]string             // by line: who said last that it is no one's
	recordedWords int                           // of people, in releases
	violations    []string
	unprevented   map[string]string // payouts paid twice as no look could have prevented, and how
	stats         stats

	lines   hash.Hash
	keep    bool // the log itself, not only its hash
	log     []string
	aliases map[string]string
}

// stats are the figures that docs quote, by name.
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
	payeeNumber    = "9988776655" // every payee's account number begins so
	strangerNumber = "6688776655" // and no one's so
)

// pollFirst is longer than the bank ever takes to answer, so that a wait that is left out shows.
const pollFirst = 30 * time.Second

// t0 is when every history begins.
var t0 = time.Date(2026, 1, 30, 4, 0, 0, 0, time.UTC)

// play runs one history in a bubble of its own, where timers take no time.
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

// epilogue adds the end of the story to its log and figures.
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

// logf adds a line to the event log. Batch ids derive from a ledger's random
// name, so the log calls them by the order in which they appeared.
func (h *history) logf(format string, args ...any) {
	line := h.clock.Format("01-02 15:04:05.000 ") + h.named(fmt.Sprintf(format, args...))
	_, _ = h.lines.Write([]byte(line + "\n"))
	if h.keep {
		h.log = append(h.log, line)
	}
}

// talk adds what is worth reading in a replay, and not worth comparing.
func (h *history) talk(format string, args ...any) {
	if h.keep {
		h.log = append(h.log, "    "+h.named(fmt.Sprintf(format, args...)))
	}
}

// now is what the clock on payrun's wall says.
func (h *history) now() time.Time { return h.clock.Add(h.skew) }

const idLength = 28

// named puts short names in the place of batch ids.
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

// found records that an invariant is broken.
func (h *history) found(format string, args ...any) {
	text := h.named(fmt.Sprintf(format, args...))
	h.violations = append(h.violations, text)
	h.logf("FOUND %s", text)
}

func (h *history) story() string { return strings.Join(h.log, "\n") }

func (h *history) broken() bool { return len(h.violations) > 0 }
