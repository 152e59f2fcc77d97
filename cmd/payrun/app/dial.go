package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// dial returns a client of the configured bank. It does not connect yet.
func (a *App) dial(call Call) (*bankapi.Client, error) {
	set := a.set
	if set.BaseURL == "" {
		return nil, Fail(Usage, "base_url is not set").Then(Say("set it in payrun.toml, or PAYRUN_BASE_URL"))
	}
	access, secret, err := set.Keys(a.env.Getenv)
	if err != nil {
		return nil, err
	}
	roots, err := set.Authorities()
	if err != nil {
		return nil, err
	}
	client, err := bankapi.New(bankapi.Config{
		RootCAs: roots, Proxy: a.proxy(call),
		BaseURL: set.BaseURL, IDURL: set.IDURL, LinkingURL: set.LinkingURL,
		AccessKey: access, SecretKey: secret,
		RequestFields: bankapi.RequestFields(set.RequestFields),
		TimeoutRead:   set.HTTP.TimeoutRead.Std(), TimeoutSend: set.HTTP.TimeoutSend.Std(),
		RequestsPerSecond: float64(set.Limits.RequestsPerSecond),
	})
	if err != nil {
		return nil, Fail(Usage, "%v", err).Because(err)
	}
	return client, nil
}

// proxy returns http.proxy, or nil. payrun does not use a proxy that only the environment
// names, and warns: a company's network may let nothing out without it.
func (a *App) proxy(call Call) *url.URL {
	if a.set.HTTP.Proxy == "" {
		for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
			if a.env.Getenv(name) != "" {
				call.progress().Warn(fmt.Sprintf("%s is set but not used: set a proxy with http.proxy in payrun.toml", name))
				break
			}
		}
		return nil
	}
	u, _ := url.Parse(a.set.HTTP.Proxy) // checked when payrun.toml was read
	return u
}

// engineBank is the bank as the engine uses it. It keeps the list of accounts. It reports how long a
// call that changes something may take, because such a call is never cancelled.
type engineBank struct {
	*bankapi.Client
	o *operation
}

// Accounts lists every linked account, and records the list.
func (b engineBank) Accounts(ctx context.Context) ([]ledger.LinkedAccount, error) {
	list, err := b.Client.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	return list, b.o.store.KeepListing(ctx, ledger.BankListing{List: ledger.ListOfAccounts, Whole: true, At: b.o.env.Now(), Actor: b.o.call.Actor, Accounts: list})
}

// Initiate implements submitter.Bank.
func (b engineBank) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	defer b.sending()()
	return b.Client.Initiate(ctx, p)
}

// Submit implements submitter.Bank.
func (b engineBank) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	defer b.sending()()
	return b.Client.Submit(ctx, p, otp, token)
}

func (b engineBank) sending() (over func()) {
	return b.o.call.progress().Sending(b.o.env.Now().Add(b.o.set.HTTP.TimeoutSend.Std()))
}

// withBank runs a use case that only talks to the bank and does not concern a batch.
func (a *App) withBank(call Call, do func(*bankapi.Client) error) error {
	client, err := a.dial(call)
	if err != nil {
		return err
	}
	defer client.Close()
	return do(client)
}

// listed asks the bank for a list; what names the list in errors.
func listed[T any](a *App, call Call, what string, ask func(*bankapi.Client) (T, error)) (list T, err error) {
	err = a.withBank(call, func(c *bankapi.Client) error {
		list, err = ask(c)
		return notListed(what, err)
	})
	return list, err
}

// notListed words the error of a request for a list; nil for nil.
func notListed(what string, err error) error {
	call, ok := errors.AsType[*ledger.CallError](err)
	switch {
	case !ok || errors.Is(err, ledger.ErrUnauthorized) || errors.Is(err, context.Canceled):
		return err
	case call.Outcome == ledger.Rejected || call.AnsweredNo():
		return refusedBy(call, "the bank refuses to list %s: %s", what, call.Said())
	}
	return Fail(BankUnanswered, "%s could not be read: %s", what, call.Said()).Because(err).
		Then(Say("nothing is shown, because the list is incomplete; run it again when the bank answers"))
}

// byHand is a change at the bank that a person requests by hand.
type byHand struct {
	what  string // as in "to add the beneficiary"
	hide  ledger.Masker
	check Hint // how to see whether it happened, if no answer was read
}

// askOnce sends the request once, if the bank is in the configured environment.
func askOnce[T any](ctx context.Context, a *App, call Call, q byHand, ask func(*bankapi.Client) (T, error)) (got T, err error) {
	err = a.withBank(call, func(c *bankapi.Client) error {
		if err := a.sameEnvironment(ctx, c); err != nil {
			return err
		}
		got, err = ask(c)
		return q.failed(err)
	})
	return got, err
}

// failed words the error of such a request; nil for nil. payrun sends the request once: if it read no
// answer, only a look at the bank shows the result.
func (q byHand) failed(err error) error {
	call, ok := errors.AsType[*ledger.CallError](err)
	if !ok || errors.Is(err, ledger.ErrUnauthorized) {
		return err
	}
	masked := *call
	masked.Code, masked.Message = q.hide.Words(call.Code), q.hide.Words(call.Message)
	switch call.Outcome {
	case ledger.NotSent:
		if errors.Is(err, context.Canceled) {
			return err
		}
		return Fail(LookUnanswered, "the bank was not reached to %s, and nothing was sent: %s", q.what, q.hide.Words(err.Error())).Because(err).
			Then(Say("run it again when the bank answers"))
	case ledger.Rejected:
		return refusedBy(&masked, "the bank refuses to %s: %s", q.what, masked.Said())
	}
	why := masked.Said()
	if !call.Answered && call.Err != nil {
		why = q.hide.Words(call.Err.Error())
	}
	return Fail(OutcomeUnknown, "the bank was asked to %s, and it is not known whether it did: %s", q.what, why).Because(&masked).Then(q.check)
}

// refusedBy returns the error of a request that the bank refused.
func refusedBy(call *ledger.CallError, format string, args ...any) *Error {
	e := Fail(Failed, format, args...).Because(call)
	if call.Code != "" {
		e.Then(Do("explain", call.Code).Which("says what is known of this code"))
	}
	return e
}

// sameEnvironment refuses a change if the bank is in another environment than the configured one.
func (a *App) sameEnvironment(ctx context.Context, c *bankapi.Client) error {
	sandbox, err := c.IsSandbox(ctx)
	if err != nil {
		return notListed("which environment it is", err)
	}
	if sandbox == (a.set.Environment == "sandbox") {
		return nil
	}
	return fmt.Errorf("%w: environment = %q, and the bank says is_sandbox = %t; nothing was sent", submitter.ErrEnvironment, a.set.Environment, sandbox)
}
