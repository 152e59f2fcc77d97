package simulation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"payrun/ledger"
)

// bank is the simulated bank: what it holds, what it really paid, and all that it ever said. The ledger is
// compared with this truth.
type bank struct {
	rng        *rand.Rand
	books      *rand.Rand // decides how the bank books payouts
	lines      []*line
	wrote      map[string]string // letters: the batch of each, by ticket
	readIn     map[string]int    // by account: the last run that read its statement
	now        func() time.Time
	log        func(format string, args ...any)
	nature     nature
	honest     bool // the liveness phase: no faults, and nothing is shown wrongly
	byID       map[string]*heldBatch
	order      []*heldBatch
	byRef      map[string][]*heldPayout // every payout that ever came under a wire reference
	phone      []message
	late       []lateEffect
	said       map[attemptName]map[string]int       // how often each status, and each "code …", was sent
	saidFailed map[attemptName]span                 // when failed was sent
	everShown  map[string]bool                      // ids of batches that an answer showed
	posts      []*post                              // all POSTs that came, by number
	seq        int                                  // the number of the last thing that happened here
	by         string                               // whose ledger sends the requests
	run        int                                  // number of the payrun run that sends the requests
	asks       map[string][]asked                   // by batch id, in order
	recorded   func(*heldPayout) ledger.PayoutState // in scenarios: a payout's state in the ledger, which the bank waits for
	initErr    int                                  // in scenarios: how many initiates the bank refuses
}

// heldBatch is a batch as the bank has it.
type heldBatch struct {
	id, account string
	by          string // whose ledger initiated it first
	partner     int
	payouts     []*heldPayout
	otp, token  string
	total       ledger.Paise
	copies      int         // how often it was initiated, if the bank takes repeats as new
	takenBy     []int       // numbers of the submit POSTs that took effect
	takenAt     map[int]int // when each took effect the first time
	wrong       int
	lagsUntil   time.Time // until then its status does not show the submit
	twist       twist     // how the bank's answers show it wrongly
	style       style     // how it is booked
	lied        bool      // a letter about it lied
}

// heldPayout is one payout as the bank has it, and what happened to it.
type heldPayout struct {
	ref, beneficiary, name, number, ifsc, remarks string
	amount, shown                                 ledger.Paise // shown differs if the bank changes its mind
	openTxn, utr                                  string
	status, code                                  string
	fate                                          fate
	steps                                         int
	patience                                      int   // how many steps it stays failed before it is paid after all
	due                                           []int // submit POSTs still to be executed
	paidSeq                                       int
	out                                           ledger.Paise // left the account, but not executed yet
	line                                          *line        // the line of that debit
	barred                                        bool         // a letter says that it will not be paid
	paidBy                                        []int        // submit POSTs that were executed, each once or more
	returned                                      bool
	batch                                         *heldBatch
}

// attemptName names an attempt as both sides do. A wire reference may recur in another batch.
type attemptName struct{ batchID, ref string }

// message is what the phone received.
type message struct{ batchID, account, otp, token string }

// lateEffect is a request that takes effect when payrun no longer waits for its answer.
type lateEffect struct {
	at   time.Time
	post *post
}

// post is one POST as payrun sent it. number counts from 1.
type post struct {
	number        int
	run, seq      int
	at            time.Time
	out           map[*heldPayout]ledger.Paise // a submit: how much its ledger had read to be out for each payout
	by            string
	heldFor       time.Duration // a submit: how long its batch had been held
	kind, batchID string
	body          []byte
	stood         map[string]map[string]string // a submit: the state of every batch when it came, by batch id
}

// fate is what happens to a payout after its submit.
type fate int

const (
	succeeds fate = iota
	fails
	returns          // success, and the money comes back later
	failsAsReturned  // the same, shown as failed with the code
	sticks           // pending for good
	unlisted         // a status that the interface does not list, then success
	failsThenPays    // finality broken: failed, then success
	paysThenFails    // finality broken: success, then failed
	changesAmount    // the amount shown changes
	completedPending // code COMPLETED with pending, then failed
	failsYetPays     // shown as failed, and paid all the same
	returnsThenPays  // shown as returned, and presented again
)

func (p *heldPayout) paid() bool { return len(p.paidBy) > 0 && !p.returned }

// account is a debit account of the simulated merchant.
type account struct {
	id      string
	partner int
	kind    ledger.AccountKind
}

var accounts = [...]account{
	{"a0000000-0000-4000-8000-000000000003", 3, ""},
	{"a0000000-0000-4000-8000-000000000004", 4, ""},
	{"a0000000-0000-4000-8000-000000000001", 1, ""},
	{"a0000000-0000-4000-8000-00000000c012", 12, ledger.KindCIB},
	{"a0000000-0000-4000-8000-00000000b012", 12, ledger.KindRIB},
}

func accountByID(id string) (account, bool) {
	i := slices.IndexFunc(accounts[:], func(a account) bool { return a.id == id })
	if i < 0 {
		return account{}, false
	}
	return accounts[i], true
}

// result is the bank's answer before the network can break it.
type result struct {
	status int
	code   string
	words  string
	batch  *heldBatch
}

func refused(status int, code, words string) result {
	return result{status: status, code: "SVC_CB_" + code, words: words}
}

// take lets a POST take effect.
func (b *bank) take(p *post) result {
	if p.kind == "initiate" {
		return b.initiate(p)
	}
	return b.submit(p)
}

type initiateBody struct {
	BatchID string              `json:"merchant_transfer_batch_id"`
	Type    string              `json:"transaction_type_id"`
	Account string              `json:"bank_account_id"`
	Payouts []map[string]string `json:"payout_data"`
}

func (b *bank) initiate(p *post) result {
	var in initiateBody
	if err := json.Unmarshal(p.body, &in); err != nil {
		return refused(400, "FT_001", err.Error())
	}
	a, known := accountByID(in.Account)
	rules := ledger.RulesFor(a.partner, a.kind)
	switch {
	case !known || len(in.Payouts) == 0 || in.Type == "":
		return refused(400, "FT_002", "incomplete")
	case len(in.Payouts) > 1 && !rules.Bulk:
		return refused(400, "FT_004", "one payout a batch")
	case b.initErr > 0:
		b.initErr--
		return refused(400, "FT_013", "not today") // in scenarios
	}
	if held := b.byID[in.BatchID]; held != nil {
		switch b.nature.repeatedInitiate {
		case refuses:
			return refused(b.nature.saysNo, "FT_005", "the batch was seen before")
		case again:
			held.copies++
		}
		return result{status: 200, batch: held}
	}
	t := &heldBatch{id: in.BatchID, by: p.by, style: b.nature.style, account: a.id, partner: a.partner, copies: 1, otp: "OTP" + b.letters(6), takenAt: map[int]int{}}
	if rules.NeedsToken {
		t.token = "TOK" + b.letters(10)
	}
	for _, raw := range in.Payouts {
		if b.byRef[raw["merchant_txn_ref_id"]] != nil && b.nature.repeatedInitiate == refuses {
			return refused(b.nature.saysNo, "FT_006", "the reference was used before")
		}
		amount, err := ledger.ParsePaise(raw["amount"])
		if err != nil {
			return refused(400, "FT_007", err.Error())
		}
		if rules.NeedsBeneficiaryID != (raw["open_beneficiary_id"] != "") || rules.NeedsBeneficiaryID == (raw["bank_account_number"] != "") {
			return refused(400, "FT_008", "the beneficiary is wrong")
		}
		t.payouts = append(t.payouts, &heldPayout{
			ref: raw["merchant_txn_ref_id"], beneficiary: raw["open_beneficiary_id"], name: raw["vendor_name"], number: raw["bank_account_number"],
			ifsc: raw["ifsc"], remarks: raw["remarks"], amount: amount, shown: amount, openTxn: fmt.Sprintf("txn-%d-%d", len(b.order), len(t.payouts)),
			status: ledger.StatusRequestInitiated, fate: b.nature.fate(b.rng), patience: b.rng.IntN([]int{6, 6, 40}[b.rng.IntN(3)]),
		})
		t.total += amount
	}
	if b.refuseOne() {
		return refused(b.nature.saysNo, "FT_009", "the bank does not take it")
	}
	t.twist = b.nature.twist(b.rng, b.honest)
	b.spoil(t)
	for _, p := range t.payouts {
		p.batch, b.byRef[p.ref] = t, append(b.byRef[p.ref], p)
	}
	b.byID[t.id], b.order = t, append(b.order, t)
	b.phone = append(b.phone, message{t.id, t.account, t.otp, t.token})
	return result{status: 200, batch: t}
}

// closed returns the debit account that is not active; none once faults have stopped.
func (b *bank) closed() string {
	if b.honest {
		return ""
	}
	return b.nature.closed
}

// refuseOne: some banks refuse a correct batch.
func (b *bank) refuseOne() bool { return !b.honest && b.rng.Float64() < b.nature.refusal }

// spoil makes the bank hold something else than was sent.
func (b *bank) spoil(t *heldBatch) {
	p := t.payouts[b.rng.IntN(len(t.payouts))]
	switch t.twist {
	case holdsOtherAmount:
		p.amount += 100
		p.shown = p.amount
	case holdsOtherPayee:
		if p.number != "" {
			p.number = "666" + p.number[3:]
		}
	case takesPart:
		if len(t.payouts) > 1 {
			t.payouts = t.payouts[1:]
		}
	}
}

func (b *bank) submit(p *post) result {
	var in struct {
		BatchID string `json:"merchant_transfer_batch_id"`
		OTP     string `json:"otp"`
		Token   string `json:"transaction_token"`
		LEI     string `json:"bene_lei"`
	}
	if err := json.Unmarshal(p.body, &in); err != nil {
		return refused(400, "FT_001", err.Error())
	}
	t := b.byID[in.BatchID]
	if t == nil {
		return refused(b.nature.unknownBatch, "FT_001", "no such batch")
	}
	a, _ := accountByID(t.account)
	rules := ledger.RulesFor(a.partner, a.kind)
	switch {
	case rules.NeedsToken && in.Token == "":
		return refused(400, "FT_011", "transaction_token is missing")
	case rules.NeedsLEI(t.total) && len(in.LEI) != 20:
		return refused(400, "FT_012", "bene_lei is missing")
	case in.OTP != t.otp || in.Token != t.token:
		t.wrong++
		return refused(b.nature.wrongOTP, "FT_001", "not accepted: OTP "+in.OTP+" "+in.Token) // a bank that repeats secrets
	}
	if len(t.takenBy) > 0 {
		switch b.nature.repeatedSubmit {
		case refuses:
			return refused(400, "FT_001", "it was submitted before")
		case ignores:
			return result{status: 200, batch: t}
		}
	}
	t.takenBy = append(t.takenBy, p.number)
	if _, again := t.takenAt[p.number]; !again {
		t.takenAt[p.number] = b.tick()
	}
	for i, q := range t.payouts {
		if q.barred || b.nature.partialSubmit && i%2 == 1 {
			continue // left at request_initiated
		}
		for range t.copies {
			q.due = append(q.due, p.number)
		}
		if q.status != ledger.StatusRequestInitiated {
			b.execute(q)
			continue
		}
		q.status, q.code = ledger.StatusPending, ""
		if b.rng.IntN(2) == 0 {
			q.status, q.code = ledger.StatusInitiated, "INITIATED"
		}
	}
	b.takesOut(t)
	for _, q := range t.payouts {
		if q.status != ledger.StatusRequestInitiated && b.rng.IntN(8) == 0 {
			b.step(q)
		}
	}
	if b.nature.lag > 0 && p.number == 2 { // the story's lost submit: the first POST initiated the batch
		t.lagsUntil = b.now().Add(b.nature.lag)
	}
	b.log("bank took submit of %s", t.id)
	return result{status: 200, batch: t}
}

// execute moves the money of every submit that is due.
func (b *bank) execute(p *heldPayout) {
	for range p.due {
		b.paysOut(p)
	}
	p.paidBy, p.due = append(p.paidBy, p.due...), nil
	p.paidSeq = b.tick()
	p.utr = cmp.Or(p.utr, "UTR"+p.openTxn)
}

// portal is a person who submits a batch at the bank's own portal, without payrun.
func (b *bank) portal(t *heldBatch) {
	body, err := json.Marshal(map[string]string{"merchant_transfer_batch_id": t.id, "otp": t.otp, "transaction_token": t.token, "bene_lei": lei})
	if err != nil {
		panic(err)
	}
	r := b.submit(b.post("portal", t.id, body))
	b.log("portal: submit of %s: %d", t.id, r.status)
}

// settle moves some of the submitted payouts one step.
func (b *bank) settle() {
	for _, t := range b.order {
		for _, p := range t.payouts {
			if len(t.takenBy) > 0 && (p.due != nil || p.paidBy != nil) && (b.honest || b.rng.IntN(3) > 0) {
				b.step(p)
			}
		}
	}
}

// atRest reports whether every submitted payout has met its fate.
func (b *bank) atRest() bool {
	for _, t := range b.order {
		for _, p := range t.payouts {
			waits := (p.fate == returns && !p.returned && p.paidBy != nil) || (p.fate == paysThenFails && p.status == ledger.StatusSuccess) ||
				(p.fate == failsThenPays && p.status == ledger.StatusFailed)
			if waits {
				return false
			}
		}
	}
	return true
}

// step moves one payout one step towards its fate.
func (b *bank) step(p *heldPayout) {
	p.steps++
	pay := func() {
		b.execute(p)
		p.status, p.code = ledger.StatusSuccess, "COMPLETED"
	}
	fail := func(code string) {
		p.due = nil
		b.givesBack(p)
		p.status, p.code = ledger.StatusFailed, code
	}
	switch p.fate {
	case succeeds:
		pay()
	case fails:
		fail("REJECTED")
	case returns:
		if p.steps == 1 {
			pay()
		} else if p.paid() && p.steps > 2 {
			p.code, p.returned = ledger.CodeReturned, true
			b.returns(p, p.amount)
		}
	case failsAsReturned:
		if p.steps == 1 {
			pay()
		} else if p.paid() && p.steps > 2 {
			p.status, p.code, p.returned = ledger.StatusFailed, ledger.CodeReturned, true
			b.returns(p, p.amount)
		}
	case sticks:
		p.code = "IN_PROCESS"
	case unlisted:
		p.status, p.code = "ON_HOLD", "IN_PROCESS"
		if p.steps > 2 {
			pay()
		}
	case failsThenPays:
		if p.due == nil {
			return // it was barred
		}
		if b.stays(p, ledger.PayoutFailed, p.steps <= 1+p.patience) {
			if p.status, p.code = ledger.StatusFailed, "REJECTED"; b.books.IntN(4) == 0 {
				b.givesBack(p) // and is presented again
			}
		} else {
			pay()
		}
	case failsYetPays:
		p.status, p.code = ledger.StatusFailed, "REJECTED"
		if p.steps == 1 && b.books.IntN(2) == 0 {
			b.givesBack(p) // and is presented again
			return
		}
		b.execute(p)
	case returnsThenPays:
		switch p.steps {
		case 1:
			pay()
		case 2:
			p.code, p.returned = ledger.CodeReturned, true
			b.returns(p, p.amount)
		case 3:
			b.debit(p)
			p.returned = false
		}
	case paysThenFails:
		pay()
		if !b.stays(p, ledger.PayoutSuccess, p.steps <= 1) {
			p.status, p.code = ledger.StatusFailed, "REJECTED"
		}
	case changesAmount:
		pay()
		if p.steps > 1 {
			p.shown = p.amount + 1
		}
	case completedPending:
		p.code = "COMPLETED"
		if p.steps > 2 {
			fail("REJECTED")
		}
	}
}

// stays reports whether the bank still shows a payout as before it changes its mind: for some steps, or in
// scenarios until the ledger has recorded it.
func (b *bank) stays(p *heldPayout, as ledger.PayoutState, still bool) bool {
	if b.recorded == nil {
		return still
	}
	return b.recorded(p) != as
}

// landLate lets late requests take effect.
func (b *bank) landLate() {
	due := b.late[:0:0]
	var rest []lateEffect
	for _, l := range b.late {
		if l.at.After(b.now()) {
			rest = append(rest, l)
		} else {
			due = append(due, l)
		}
	}
	b.late = rest
	for _, l := range due {
		r := b.take(l.post)
		b.log("late effect of %s %s: %d", l.post.kind, l.post.batchID, r.status)
	}
}

// lastToLand returns when the last late request takes effect.
func (b *bank) lastToLand() (last time.Time, some bool) {
	for _, l := range b.late {
		if l.at.After(last) {
			last = l.at
		}
	}
	return last, len(b.late) > 0
}

// payout finds the bank's payout for an attempt.
func (b *bank) payout(batchID, ref string) *heldPayout {
	for _, p := range b.byRef[ref] {
		if p.batch.id == batchID {
			return p
		}
	}
	return nil
}

// lags reports whether the bank carries the batch out but its status does not say so yet.
func (t *heldBatch) lags(b *bank) bool { return b.now().Before(t.lagsUntil) }

// known finds a batch as Get transfer status does.
func (b *bank) known(id string) (*heldBatch, bool) {
	t := b.byID[id]
	if t == nil || ((len(t.takenBy) == 0 || t.lags(b)) && !b.nature.listsUnsubmitted) {
		return nil, false
	}
	return t, true
}

func (b *bank) letters(n int) string {
	const set = "ABCDEFGHJKLMNPQRSTUVWXYZ"
	s := make([]byte, n)
	for i := range s {
		s[i] = set[b.rng.IntN(len(set))]
	}
	return string(s)
}
