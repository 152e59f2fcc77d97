package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// sheet is a sheet that the person has.
type sheet struct {
	ledger.Sheet
	rows   []ledger.KeyedPayout
	plan   []ledger.PlannedBatch
	loaded bool
}

const lei = "5493001KJTIIGC8Y1R12"

// group is the payouts of one batch, all from one debit account.
type group struct {
	account account
	amounts []ledger.Paise
	lei     string

	asLocked bool // it pays the account and amount of a locked payout
}

// write makes a sheet with one batch for each group.
func (h *history) write(groups ...group) *sheet {
	h.written++
	n := h.written
	s := &sheet{Sheet: ledger.Sheet{Name: fmt.Sprintf("sheet-%d.csv", n), SHA256: fmt.Sprintf("%064d", n), RowsHash: fmt.Sprintf("%064d", 1000+n), Format: "csv", Header: 1, LoadedAt: h.now(), LoadedBy: "asha"}}
	for _, g := range groups {
		b := ledger.PlannedBatch{BankAccountID: g.account.id, PartnerBankID: g.account.partner, Kind: g.account.kind, TransactionTypeID: "NEFT", Reason: "last of its account"}
		for _, amount := range g.amounts {
			i := len(s.rows)
			p := ledger.Payout{Row: i + 2, Ref: fmt.Sprintf("S%d-%03d", n, i), Amount: amount, TransactionTypeID: "NEFT", BankAccountID: g.account.id, BeneLEI: g.lei, Remarks: "January"}
			if g.account.kind == ledger.KindRIB {
				p.OpenBeneficiaryID = fmt.Sprintf("b0000000-0000-4000-8000-%012d", i)
			} else {
				p.VendorName, p.BankAccountNumber, p.IFSC = fmt.Sprintf("Payee %d", i), fmt.Sprintf("%s%04d", payeeNumber, i), "HDFC0001234"
			}
			b.Members, b.Total = append(b.Members, int32(i)), b.Total+amount
			s.rows = append(s.rows, ledger.KeyedPayout{Payout: p, Key: fmt.Sprintf("s%d-%03d", n, i)})
			s.Accepted.Add(amount)
		}
		if ledger.RulesFor(g.account.partner, g.account.kind).NeedsLEI(b.Total) {
			b.BeneLEI = g.lei
		}
		b.NeedsApproval = g.asLocked
		s.plan = append(s.plan, b)
	}
	s.Rows, s.Total = len(s.rows), s.Accepted.Total
	h.sheets = append(h.sheets, s)
	return s
}

// anySheet draws a sheet of one to three batches.
func (h *history) anySheet() *sheet {
	var groups []group
	for range 1 + h.rng.IntN(3) {
		g := group{account: accounts[h.rng.IntN(len(accounts))], asLocked: h.people.IntN(8) == 0}
		n := 1
		if ledger.RulesFor(g.account.partner, g.account.kind).Bulk {
			n += h.rng.IntN(4)
		}
		for range n {
			g.amounts = append(g.amounts, ledger.Paise(100+h.rng.IntN(5_000_000)))
		}
		if g.account.partner == 1 && h.rng.IntN(3) == 0 {
			g.lei, g.amounts[0] = lei, ledger.LEILine-ledger.Paise(h.rng.IntN(2))
		}
		groups = append(groups, g)
	}
	return h.write(groups...)
}

// load loads a sheet that may or may not be loaded already.
func (h *history) load(p *process, s *sheet) {
	p.rivalAt = 0 // a load holds SQLite's own lock, and waiting for that takes real time
	err := h.run(p, "load "+s.Name, func(p *process, _ *submitter.Engine) error {
		var l ledger.Load
		defer func() { // also when the process dies; after Commit it does nothing
			if l != nil {
				_ = l.Rollback()
			}
		}()
		if err := p.storeOp("begin_load", func() (err error) { l, err = p.store.BeginLoad(context.Background()); return err }); err != nil {
			return err
		}
		if err := p.storeOp("add", func() error { return l.Add(s.rows) }); err != nil {
			return err
		}
		return p.storeOp("commit_load", func() error { _, err := l.Commit(s.Sheet, s.plan); return err })
	})
	duplicate := errors.Is(err, ledger.ErrDuplicate)
	switch {
	case s.loaded && !duplicate && !p.dead && !p.damaged && !p.disturbed():
		h.found("invariant 16: %s was recorded a second time, or ended with %v", s.Name, err)
	case err == nil && !p.dead, duplicate:
		s.loaded = true
	}
	h.unexpected(p, err, ledger.ErrDuplicate)
	if (s.loaded) != h.recorded(s) && !p.dead && !p.damaged && !p.disturbed() {
		h.found("invariant 12: %s is loaded %t, and the ledger has it %t", s.Name, s.loaded, h.recorded(s))
	}
}

// recorded reports whether the ledger has the sheet, and compares the sums of its payouts with the sheet.
func (h *history) recorded(s *sheet) bool {
	r, found, err := h.eye.view.sheet(s.SHA256)
	if err != nil {
		h.found("looking at the ledger: %v", err)
	}
	if found && (r.payouts != len(s.rows) || r.rows != r.payouts || r.total != s.Total || r.accepted != r.total) {
		h.found("invariant 13: %s has %d payouts of %d paise, the ledger %d of %d", s.Name, len(s.rows), s.Total, r.payouts, r.total)
	}
	return found
}

// unexpected reports an error that nothing explains.
func (h *history) unexpected(p *process, err error, expected ...error) {
	if err == nil || p.dead || p.damaged || h.broken() {
		return
	}
	if p.rivalled() {
		return // a second process changed the ledger meanwhile
	}
	if p.disturbed() {
		expected = append(expected, ledger.ErrStale, ledger.ErrLocked, ledger.ErrUnreachable, ledger.ErrCommitUnknown, ledger.ErrConflict, ledger.ErrTransition, ledger.ErrDuplicate, ledger.ErrPayoutLocked, submitter.ErrRefused, submitter.ErrNotHeld)
	}
	if h.swapped {
		expected = append(expected, ledger.ErrRestored)
	}
	if h.tampered {
		expected = append(expected, ledger.ErrTampered)
	}
	if !h.bank.honest || h.wire.script != nil {
		expected = append(expected, ledger.ErrUnauthorized)
		if call, ok := errors.AsType[*ledger.CallError](err); ok && (call.Op == "sub_merchant_list" || call.Op == "accounts") {
			return // the bank could not say which environment it is, or list its accounts
		}
	}
	for _, e := range expected {
		if errors.Is(err, e) {
			return
		}
	}
	h.found("an error that nothing explains: %v", err)
}

func (h *history) results(list []submitter.Result) {
	for _, r := range list {
		h.secretFree("message", r.Message)
		h.logf("result %s %s %s", r.Batch.ID, r.Batch.State, r.Outcome)
		h.talk("%s", r.Message)
	}
}

func (h *history) initiate(p *process, ids ...string) {
	err := h.run(p, "initiate", func(p *process, e *submitter.Engine) error { return h.initiateAll(p, e, ids...) })
	h.unexpected(p, err)
}

// initiateAll types the total if payrun asks for it, correctly or not, and the new total if what the bank
// showed meanwhile changed it.
func (h *history) initiateAll(p *process, e *submitter.Engine, ids ...string) error {
	list, err := e.Initiate(context.Background(), ids, 0)
	for range 3 {
		asked, ok := errors.AsType[*submitter.NeedsConfirmation](err)
		if !ok {
			break
		}
		typed := asked.Total.Total
		mistyped := !h.bank.honest && h.rng.IntN(4) == 0
		if mistyped {
			typed *= 10
		} else {
			p.confirmed = max(p.confirmed, typed)
		}
		list, err = e.Initiate(context.Background(), ids, typed)
		if again, ok := errors.AsType[*submitter.NeedsConfirmation](err); ok && mistyped && again.Total == asked.Total {
			h.logf("the total was mistyped")
			return nil
		}
	}
	h.results(list)
	return err
}

func (h *history) submit(p *process) {
	err := h.run(p, "submit", h.submitHeld)
	h.unexpected(p, err)
}

func (h *history) submitHeld(p *process, e *submitter.Engine) error {
	held, err := faultyStore{p}.BatchesIn(context.Background(), ledger.BatchHeld)
	if err != nil {
		return err
	}
	var entries []submitter.OTP
	for _, b := range held {
		if otp, ok := h.readPhone(b); ok {
			entries = append(entries, otp)
		}
	}
	if err := h.confirmSubmit(p, e, held); err != nil {
		return err
	}
	list, err := e.Submit(context.Background(), entries)
	if _, unconfirmed := errors.AsType[*submitter.NeedsConfirmation](err); unconfirmed {
		h.logf("the total was mistyped")
		return nil
	}
	h.results(list)
	return err
}

// confirmSubmit types the total to be submitted if payrun asks for it, correctly or not.
func (h *history) confirmSubmit(p *process, e *submitter.Engine, held []ledger.Batch) error {
	err := e.ConfirmTotal(context.Background(), held, 0, true)
	asked, ok := errors.AsType[*submitter.NeedsConfirmation](err)
	if !ok {
		return err
	}
	typed := asked.Total.Total
	if !h.bank.honest && h.rng.IntN(4) == 0 {
		typed *= 10
	} else {
		p.confirmed = max(p.confirmed, typed)
	}
	err = e.ConfirmTotal(context.Background(), held, typed, true)
	if _, again := errors.AsType[*submitter.NeedsConfirmation](err); again && typed != asked.Total.Total {
		return nil
	}
	return err
}

// day is initiate, submit and poll in one process.
func (h *history) day(p *process) {
	err := h.run(p, "day", func(p *process, e *submitter.Engine) error {
		if err := h.initiateAll(p, e); err != nil {
			return err
		}
		if err := h.submitHeld(p, e); err != nil {
			return err
		}
		return h.pollAll(e)
	})
	h.unexpected(p, err)
}

// readPhone reads the OTP of a batch from the phone, correctly or not.
func (h *history) readPhone(b ledger.Batch) (submitter.OTP, bool) {
	var own, last *message
	for i := range h.bank.phone {
		m := &h.bank.phone[i]
		if m.account == b.BankAccountID {
			last = m
		}
		if m.batchID == b.ID {
			own = m
		}
	}
	if own == nil {
		return submitter.OTP{}, false
	}
	m := *own
	if h.wrongOTPs > 0 {
		h.wrongOTPs--
		m.otp = "WRONG-OTP"
	}
	if !h.bank.honest {
		switch n := h.rng.IntN(100); {
		case n < 10:
			m.otp = "WRONG-OTP"
		case n < 20:
			m = *last // the message does not name its batch
		case n < 24:
			m.token = ""
		}
	}
	return submitter.OTP{BatchID: b.ID, OTP: ledger.NewSecret(m.otp), Token: ledger.NewSecret(m.token)}, true
}

func (h *history) poll(p *process) {
	err := h.run(p, "poll", func(p *process, e *submitter.Engine) error {
		return h.pollAll(e)
	})
	h.unexpected(p, err)
}

// pollAll is `payrun poll`. If it completes, every watched batch was looked up.
func (h *history) pollAll(e *submitter.Engine) error {
	if err := h.eye.look(); err != nil {
		return err
	}
	watched := h.watched()
	list, err := e.Poll(context.Background(), nil, 0)
	h.results(list)
	if err == nil && !h.running.dead { // each batch is polled by its own goroutine
		h.checkPolled(watched)
	}
	return err
}

func (h *history) abandon(p *process, id string) {
	err := h.run(p, "abandon "+id, func(p *process, e *submitter.Engine) error {
		r, err := e.Abandon(context.Background(), id, "a person's reason")
		h.results([]submitter.Result{r})
		return err
	})
	h.unexpected(p, err, submitter.ErrRefused)
}

// submitClosed tries what must never work: an OTP for a batch that is not held.
func (h *history) submitClosed(p *process) {
	var closed []seenBatch
	for _, b := range h.batches() {
		if b.state != ledger.BatchHeld {
			closed = append(closed, b)
		}
	}
	if len(closed) == 0 {
		return
	}
	b := closed[h.rng.IntN(len(closed))]
	err := h.run(p, "submit of "+string(b.state), func(p *process, e *submitter.Engine) error {
		_, err := e.Submit(context.Background(), []submitter.OTP{{BatchID: b.id, OTP: ledger.NewSecret("WRONG-OTP"), Token: ledger.NewSecret("WRONG-TOKEN")}})
		return err
	})
	if err == nil && !p.dead && !p.rivalled() && h.canary.wrap == nil {
		h.found("an OTP for %s, which is %s, was taken", b.id, b.state)
	}
	h.unexpected(p, err, submitter.ErrNotHeld)
}

// retry plans everything that may be retried.
func (h *history) retry(p *process) {
	err := h.run(p, "retry", func(p *process, _ *submitter.Engine) error {
		for _, id := range h.toRetry() {
			var attempts []ledger.Attempt
			err := p.storeOp("retryable", func() (err error) {
				attempts, _, err = p.store.Retryable(context.Background(), id)
				return err
			})
			if err != nil {
				return err
			}
			if len(attempts) == 0 {
				continue
			}
			err = p.storeOp("plan_retry", func() error {
				batches, err := p.store.PlanRetry(context.Background(), p.actor, h.now(), attempts, regroup(attempts))
				for _, b := range batches {
					h.logf("planned again %s of %d", b.ID, b.Count)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	h.unexpected(p, err)
}

// retryWrongly is a person who retries a batch by what the screen showed some time ago, although it may not
// be retried. What may be retried is planned as in retry.
func (h *history) retryWrongly(p *process) {
	list := h.batches()
	if len(list) == 0 {
		return
	}
	b := list[h.rng.IntN(len(list))]
	err := h.run(p, "retry of "+string(b.state), func(p *process, _ *submitter.Engine) error {
		attempts, err := faultyStore{p}.Attempts(context.Background(), b.id)
		if err != nil {
			return err
		}
		return p.storeOp("plan_retry", func() error {
			_, err := p.store.PlanRetry(context.Background(), p.actor, h.now(), attempts, regroup(attempts))
			return err
		})
	})
	h.unexpected(p, err, ledger.ErrConflict, ledger.ErrTransition, ledger.ErrPayoutLocked)
}

// toRetry returns the sheets, and the batches that are planned again only by name.
func (h *history) toRetry() (ids []string) {
	for _, s := range h.sheets {
		if s.loaded {
			ids = append(ids, ledger.SheetID(s.SHA256))
		}
	}
	for name, r := range h.eye.released {
		if r.is && !slices.Contains(ids, name.batchID) {
			ids = append(ids, name.batchID)
		}
	}
	slices.Sort(ids)
	return ids
}

// regroup plans a batch of its own for each payout over the LEI line, and batches of at most three for the
// others.
func regroup(attempts []ledger.Attempt) []ledger.PlannedBatch {
	var plan []ledger.PlannedBatch
	open := map[string]int{}
	for i, a := range attempts {
		acct, _ := accountByID(a.BankAccountID)
		rules := ledger.RulesFor(acct.partner, acct.kind)
		at, ok := open[a.BankAccountID]
		if !ok || !rules.Bulk || len(plan[at].Members) == 3 || rules.NeedsLEI(plan[at].Total+a.Amount) {
			at = len(plan)
			plan = append(plan, ledger.PlannedBatch{BankAccountID: a.BankAccountID, PartnerBankID: acct.partner, Kind: acct.kind, TransactionTypeID: a.TransactionTypeID, Reason: "planned again"})
			open[a.BankAccountID] = at
		}
		b := &plan[at]
		b.Members, b.Total = append(b.Members, int32(i)), b.Total+a.Amount
		if rules.NeedsLEI(b.Total) {
			b.BeneLEI = a.BeneLEI
			delete(open, a.BankAccountID)
		}
	}
	return plan
}

// rival is a second process that runs between two calls of the first. The lock stops it. If the lock file
// was removed, only the conditional updates separate the two.
func (h *history) rival() {
	first := h.running
	defer func() { h.running = first }()
	h.stats["rivals"]++
	defer func(n int) { h.bank.run = n }(h.bank.run) // what the first looked at goes on to count for it
	h.begins()
	if err := h.home.unlock(); err != nil {
		h.found("a second process: %v", err)
		return
	}
	p := &process{h: h, client: h.client, actor: "ravi"}
	store, err := h.home.open(p)
	if err != nil {
		h.found("opening without the lock: %v", err)
		return
	}
	h.rivalled = true
	h.logf("a second process, with the lock removed")
	p.store, h.running = store, p
	e, ctx := h.engine(p), context.Background()
	list, err := h.rivalDoes(ctx, e, store)
	h.results(list)
	if err != nil {
		h.logf("the second process ended: %s", class(err))
	}
	if err := store.Close(); err != nil {
		h.found("closing the ledger: %v", err)
	}
	h.logf("the second process is gone")
}

func (h *history) rivalDoes(ctx context.Context, e *submitter.Engine, store store) ([]submitter.Result, error) {
	if h.rng.IntN(2) == 0 {
		if err := e.Recover(ctx); err != nil {
			return nil, err
		}
	}
	switch h.rng.IntN(4) {
	case 0:
		return e.Initiate(ctx, nil, 0) // and types no total
	case 1:
		held, err := store.BatchesIn(ctx, ledger.BatchHeld)
		if err != nil {
			return nil, err
		}
		var entries []submitter.OTP
		for _, b := range held {
			if otp, ok := h.readPhone(b); ok {
				entries = append(entries, otp)
			}
		}
		return e.Submit(ctx, entries)
	case 2:
		return e.Poll(ctx, nil, 0)
	}
	batches, err := store.BatchesIn(ctx, ledger.BatchPlanned, ledger.BatchHeld, ledger.BatchInitiateUnknown, ledger.BatchQuarantined)
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	r, err := e.Abandon(ctx, batches[h.rng.IntN(len(batches))].ID, "another person's reason")
	return []submitter.Result{r}, err
}

// batches returns the batches of the ledger as last seen, in the order of planning.
func (h *history) batches() []seenBatch {
	list := make([]seenBatch, 0, len(h.eye.now.batches))
	for _, b := range h.eye.now.batches {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b seenBatch) int { return int(a.no - b.no) })
	return list
}

// later lets time pass, and the bank work.
func (h *history) later(d time.Duration) {
	h.clock = h.clock.Add(d)
	h.bank.landLate()
	h.bank.settle()
}
