package simulation

import (
	"math/rand/v2"
	"slices"
	"time"
)

// repeats is what a bank does with a request that it has seen before. The interface demands unique ids and
// does not say what happens otherwise.
type repeats int

const (
	refuses repeats = iota
	ignores
	again // carries it out once more
)

// twist is how a batch is held or shown differently from what was sent.
type twist int

const (
	straight twist = iota
	holdsOtherAmount
	holdsOtherPayee
	takesPart // partial acceptance
	showsOtherAmount
	showsOtherAccount
	showsOtherBatch
	leavesOneOut
	addsOne
	repeatsOne
	hidesAmounts
	hidesAmountsAtFirst
	numbersForAmounts
	masksAccounts   // legal
	leavesOutPayees // legal
	heldAsUnlisted  // a status that the interface does not list, before any submit
	twists          // number of twists
)

// nature is how one bank reads the interface where it says nothing, and how badly it behaves.
type nature struct {
	repeatedInitiate, repeatedSubmit repeats
	listsUnsubmitted                 bool
	unknownBatch                     int // HTTP status; 200 for an empty list
	saysNo                           int // HTTP status for an id that was used before, and for other refusals of initiate
	wrongOTP                         int // HTTP status for an OTP that is not accepted
	partialSubmit                    bool
	breaksOff                        float64 // share of status answers of several pages that end early
	breaksFinality                   bool
	shuffles                         bool
	page                             int           // payouts on a page
	refusal                          float64       // share of initiates that are refused
	twisted                          float64       // share of batches that are shown or held wrongly
	trouble                          float64       // share of requests that meet a fault
	unlucky                          float64       // share of payouts that do not simply succeed
	always                           fate          // in scenarios: the fate of every payout
	closed                           string        // the debit account that is not active; "" for none
	lag                              time.Duration // how long a lost submit does not show in the status, in stories of setting aside
	firstTwist                       twist         // in scenarios: of the first batch
	statements                       bool          // the interface gives statements
	style                            style         // of its books
	postsLate, datesAnew, charges    float64       // shares of the lines of its books
	namelessReturns                  float64       // share of credits without a name
	lies                             bool          // in letters (safety.md, "What cannot be promised")
}

// calm is a bank without surprises.
func calm() nature {
	return nature{repeatedInitiate: refuses, repeatedSubmit: refuses, listsUnsubmitted: true, unknownBatch: 404, saysNo: 400, wrongOTP: 400, page: 100}
}

func anyNature(rng *rand.Rand) nature {
	n := nature{
		repeatedInitiate: repeats(rng.IntN(3)),
		repeatedSubmit:   repeats(rng.IntN(3)),
		listsUnsubmitted: rng.IntN(2) == 0,
		unknownBatch:     []int{400, 404, 500, 200}[rng.IntN(4)],
		saysNo:           []int{400, 400, 409, 422}[rng.IntN(4)],
		wrongOTP:         []int{400, 400, 400, 422}[rng.IntN(4)],
		breaksOff:        []float64{0, 0, 0.3}[rng.IntN(3)],
		partialSubmit:    rng.IntN(10) == 0,
		breaksFinality:   rng.IntN(3) == 0,
		shuffles:         rng.IntN(2) == 0,
		page:             []int{1, 2, 3, 100}[rng.IntN(4)],
		refusal:          []float64{0, 0, 0.1}[rng.IntN(3)],
		twisted:          []float64{0, 0, 0.15, 0.5}[rng.IntN(4)],
		trouble:          []float64{0, 0.05, 0.15, 0.35}[rng.IntN(4)],
		unlucky:          []float64{0, 0.2, 0.5}[rng.IntN(3)],
	}
	if rng.IntN(10) == 0 {
		n.closed = accounts[rng.IntN(len(accounts))].id
	}
	return n
}

func (n nature) fate(rng *rand.Rand) fate {
	if rng.Float64() >= n.unlucky {
		return n.always
	}
	f := []fate{fails, fails, returns, failsAsReturned, sticks, unlisted, completedPending, failsThenPays, paysThenFails, changesAmount, failsYetPays, returnsThenPays}[rng.IntN(12)]
	if breaks := []fate{failsThenPays, paysThenFails, changesAmount, failsYetPays, returnsThenPays}; slices.Contains(breaks, f) && !n.breaksFinality {
		return fails
	}
	return f
}

func (n *nature) twist(rng *rand.Rand, honest bool) twist {
	if t := n.firstTwist; t != straight {
		n.firstTwist = straight
		return t
	}
	if honest || rng.Float64() >= n.twisted {
		return straight
	}
	return twist(1 + rng.IntN(int(twists)-1))
}
