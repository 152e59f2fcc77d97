// Package sandbox is a bank to rehearse with: a real HTTP server of the interface. It is strict about every
// rule that the interface states, and varies with the seed where the interface is silent, so that no client
// relies on one reading. A control listener, on loopback only, returns the OTPs, settles payouts, injects
// faults and reports what was really paid.
//
// Money moves as at a bank: a payout is debited when it reaches success, once for each accepted submit, and
// State counts it.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"payrun/ledger"
)

// Options says what to serve. With only Now set, it serves on free loopback ports with a random seed.
type Options struct {
	Now         func() time.Time // dates the answers and the statement; required
	Seed        int64            // decides every reading, id and OTP; 0 picks one, shown by Ready
	Addr        string           // of the interface; "" is 127.0.0.1:0
	Trouble     bool             // the faults a real bank has, at random by seed
	Latency     time.Duration    // before each answer
	SettleEvery time.Duration    // settles by itself at this interval; 0: only by Settle
	StateFile   string           // keeps the state across restarts; "" keeps it in memory
	WebhookURL  string           // gets the payout webhooks; "" sends none
	SMS         func(SMS)        // receives each message to the registered mobile, one at a time; nil for none
	// Reading replaces the seed's reading; nil keeps the seed's.
	Reading *Reading
}

// Server is a running sandbox.
type Server struct {
	mu      sync.Mutex // guards bank and saveErr
	bank    *bank
	saveErr error // the first failure to save the state; Close returns it

	faults *faults
	hints  chan *Webhook // webhooks to send; the queue does not delay the call that caused them

	bankListener, controlListener net.Listener
	servers                       []*http.Server
	running                       sync.WaitGroup
	cancel                        context.CancelFunc
	close                         func() error
}

// closeGrace is how long Close lets open answers finish.
const closeGrace = 500 * time.Millisecond

// Start serves until Close is called or ctx is done. Both listeners accept
// connections when it returns.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Now == nil {
		return nil, errors.New("Options.Now is missing")
	}
	if o.WebhookURL != "" && !isWebAddress(o.WebhookURL) {
		return nil, fmt.Errorf("webhook URL %q: want http://HOST… or https://HOST…", o.WebhookURL)
	}
	bank, err := openBank(o)
	if err != nil {
		return nil, err
	}
	s := &Server{bank: bank, hints: make(chan *Webhook, webhooksQueued)}
	s.faults = newFaults(bank.dice, o.Trouble)
	if err := s.listen(ctx); err != nil {
		return nil, err
	}
	bank.address = fromHere(s.bankListener.Addr())
	ctx, s.cancel = context.WithCancel(ctx)
	s.close = sync.OnceValue(s.shutdown)
	s.serve(ctx, s.bankListener, s.bankHandler())
	s.serve(ctx, s.controlListener, s.controlHandler())
	s.running.Go(func() { s.deliverWebhooks(ctx) })
	s.running.Go(func() { every(ctx, statementReadyWithin, s.readyStatements) })
	if o.SettleEvery > 0 {
		s.running.Go(func() { every(ctx, o.SettleEvery, s.Settle) })
	}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	return s, nil
}

func (s *Server) listen(ctx context.Context) (err error) {
	var lc net.ListenConfig
	if s.controlListener, err = lc.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("control listener: %w", err)
	}
	s.bankListener, err = lc.Listen(ctx, "tcp", cmp.Or(s.bank.options.Addr, "127.0.0.1:0"))
	if err != nil {
		_ = s.controlListener.Close()
		return fmt.Errorf("listener: %w", err)
	}
	return nil
}

func (s *Server) serve(ctx context.Context, l net.Listener, h http.Handler) {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          log.New(io.Discard, "", 0), // requests carry OTPs, so nothing is logged
	}
	s.servers = append(s.servers, server)
	s.running.Go(func() { _ = server.Serve(l) })
}

// Close stops serving, interrupts waiting calls, and returns when the server runs nothing any more. It returns
// an error if the state could not be saved. Later calls return the same result.
func (s *Server) Close() error { return s.close() }

func (s *Server) shutdown() error {
	s.cancel()
	grace, done := context.WithTimeout(context.Background(), closeGrace)
	defer done()
	errs := []error{}
	for _, server := range s.servers {
		if err := server.Shutdown(grace); err != nil {
			errs = append(errs, server.Close())
		}
	}
	s.running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(append(errs, s.saveErr)...)
}

// OTP returns what the bank sent to the registered mobile for a batch. token is "" if the partner bank sends
// none.
func (s *Server) OTP(batchID string) (otp, token string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.bank.batches[batchID]
	if !ok {
		return "", "", false
	}
	return b.OTP, b.Token, true
}

// Settle moves every submitted payout one step.
func (s *Server) Settle() {
	_, _ = s.settle()
}

func (s *Server) settle() (open int, err error) {
	err = s.change(func(b *bank) {
		open = b.settle()
		s.ready()
	})
	return open, err
}

// SetOutcomes sets how payouts end, by reference: success, failed, returned, stuck or unknown:XYZ. Calls add
// up; references not seen yet are allowed. If one outcome is not known, nothing is set.
func (s *Server) SetOutcomes(outcomes map[string]string) error {
	for ref, outcome := range outcomes {
		if err := checkOutcome(outcome); err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
	}
	return s.change(func(b *bank) { maps.Copy(b.Outcomes, outcomes) })
}

// SetFaults replaces the faults and restarts the count of calls.
func (s *Server) SetFaults(faults []Fault) error { return s.faults.replace(faults) }

// State returns everything the bank knows; see the type State.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bank.state()
}

// change applies do and saves the result before anyone can see it.
func (s *Server) change(do func(*bank)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s.bank)
	return s.keep()
}

// keep queues the webhooks that are due and saves the book. The caller holds s.mu.
func (s *Server) keep() error {
	s.announce()
	err := s.bank.save()
	if s.saveErr == nil {
		s.saveErr = err
	}
	return err
}

func every(ctx context.Context, d time.Duration, do func()) {
	tick := time.Tick(d)
	for {
		select {
		case <-tick:
			do()
		case <-ctx.Done():
			return
		}
	}
}

func isWebAddress(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// Ready is the line that the sandbox prints when it listens (contract.md, "The sandbox"). It is the only place
// that shows the credentials.
type Ready struct {
	Schema        string         `json:"schema"`
	Addr          string         `json:"addr"`    // HOST:PORT of the interface
	Control       string         `json:"control"` // HOST:PORT of the control listener
	AccessKey     string         `json:"access_key"`
	SecretKey     string         `json:"secret_key"`
	SubMerchantID string         `json:"sub_merchant_id"`
	Accounts      []ReadyAccount `json:"accounts"` // the active accounts of SubMerchantID
	Seed          int64          `json:"seed"`

	Listens string `json:"-"` // the address of the interface as other machines may reach it
}

// ReadyAccount is a debit account that can pay.
type ReadyAccount struct {
	BankAccountID string             `json:"bank_account_id"`
	PartnerBankID int                `json:"partner_bank_id"`
	Kind          ledger.AccountKind `json:"kind"` // "" outside partner bank 12
}

// fromHere is the address at which this machine reaches a listener. A listener on every interface has no
// address of its own to dial.
func fromHere(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// Ready returns how to reach the sandbox and what it holds.
func (s *Server) Ready() Ready {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Ready{
		Schema:        "payrun.sandbox/v1",
		Addr:          s.bank.address,
		Listens:       s.bankListener.Addr().String(),
		Control:       s.controlListener.Addr().String(),
		AccessKey:     s.bank.AccessKey,
		SecretKey:     s.bank.SecretKey,
		SubMerchantID: subMerchantID,
		Accounts:      []ReadyAccount{},
		Seed:          s.bank.Seed,
	}
	for _, a := range s.bank.Accounts {
		if a.SubMerchantID == subMerchantID && a.Status == ledger.AccountActive {
			r.Accounts = append(r.Accounts, ReadyAccount{a.BankAccountID, a.PartnerBankID, a.Kind})
		}
	}
	return r
}
