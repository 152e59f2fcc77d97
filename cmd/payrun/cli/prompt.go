package cli

import (
	"context"
	"errors"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// confirm gets the confirmation that a use case asked for. It returns an error if there is none.
func (s *session) confirm(ctx context.Context, need *app.NeedsConfirmation) error {
	switch {
	case need.Environment != nil:
		return s.typeEnvironment(ctx, need)
	case len(need.Others) > 0:
		return s.mustConfirm(ctx, need, ledger.Plain(need.Error())+".\nMake another one?")
	case need.Unnamed != "":
		return s.mustConfirm(ctx, need, ledger.Plain(need.Unnamed)+". Is it?")
	case need.Statement != nil:
		if s.term.Yes || !s.term.CanAsk() {
			return need
		}
		s.showStatementLines(need.Statement)
		return answered(s.term.Confirm(ctx, ledger.Plain(need.Statement.What)+"?"))
	case need.Restored != nil:
		return s.mustConfirm(ctx, need, ledger.Plain(need.Restored.Error())+
			".\nWhat was sent since is not in it, and would be sent again. Is every batch that the bank\nholds or paid either in this ledger or never to be loaded again?")
	}
	return s.typeTotal(ctx, need)
}

// mustConfirm needs a yes from a person, or --yes.
func (s *session) mustConfirm(ctx context.Context, need *app.NeedsConfirmation, question string) error {
	if !s.term.Yes && !s.term.CanAsk() {
		return need
	}
	return answered(s.term.Confirm(ctx, question))
}

// typeTotal asks for the total to be sent, typed. --yes does not answer it: who types the number has seen it.
func (s *session) typeTotal(ctx context.Context, need *app.NeedsConfirmation) error {
	if !s.term.CanAsk() {
		return need
	}
	run := need.Total
	s.term.Errorf("%s of %s to be %s, with all that is held (policy.confirm_above is %s).", ledger.CountedBatches(run.Count), run.Total.Rupees(),
		either(need.Submit, "submitted", "initiated"), need.Above.Rupees())
	typed, err := s.term.Ask(ctx, "Type the total to go on: ")
	if err != nil {
		return answered(err)
	}
	if amount, err := app.ParseAmount(typed); err != nil || amount != run.Total {
		return app.Fail(app.Cancelled, "what was typed is not the total; nothing was sent")
	}
	return nil
}

// typeEnvironment asks the person to type the environment of the host where money moves. --yes does not
// answer it.
func (s *session) typeEnvironment(ctx context.Context, need *app.NeedsConfirmation) error {
	if !s.term.CanAsk() {
		return need
	}
	bank := need.Environment
	question := "Type the environment that " + ledger.Plain(bank.BaseHost) + " is, sandbox or production: "
	s.term.Errorf("The bank says of %s (id_url) which environment it is, and of no other host.\nMoney moves at %s (base_url); payrun.toml says environment = %q.",
		ledger.Plain(bank.IDHost), ledger.Plain(bank.BaseHost), bank.Name)
	typed, err := s.term.Ask(ctx, question)
	if err != nil {
		return answered(err)
	}
	if strings.TrimSpace(typed) != bank.Name {
		return app.Fail(app.Cancelled, "what was typed is not what payrun.toml says; nothing was sent")
	}
	return nil
}

// typeDecided asks the person to type the amount and the end of the batch id. --yes does not answer it.
func (s *session) typeDecided(ctx context.Context, need *app.NeedsConfirmation) (*app.Typed, error) {
	if !s.term.CanAsk() || s.term.Yes {
		return nil, need
	}
	s.showEvidence(need.Decide)
	total, err := s.term.Ask(ctx, "Type the amount: ")
	if err != nil {
		return nil, answered(err)
	}
	tail, err := s.term.Ask(ctx, "Type the last six characters of batch "+need.Decide.BatchID+": ")
	if err != nil {
		return nil, answered(err)
	}
	amount, err := app.ParseAmount(total)
	if err != nil {
		return nil, app.Fail(app.Cancelled, "what was typed is no amount; nothing was done")
	}
	return &app.Typed{Total: amount, Tail: strings.TrimSpace(tail), Shown: need.Decide.Evidence.Digest()}, nil
}

// confirmed runs a use case that may need confirmations. It gets each one, passes it to take, and runs the
// use case again.
func confirmed[T any](ctx context.Context, s *session, do func() (T, error), take func(*app.NeedsConfirmation)) (T, error) {
	for {
		got, err := do()
		need, ok := errors.AsType[*app.NeedsConfirmation](err)
		if !ok {
			return got, err
		}
		if err := s.confirm(ctx, need); err != nil {
			return got, err
		}
		take(need)
	}
}

// toSend stores the confirmations of a use case that sends: the environment and the total.
func toSend(environment *string, total *ledger.Paise) func(*app.NeedsConfirmation) {
	return func(need *app.NeedsConfirmation) {
		if need.Environment != nil {
			*environment = need.Environment.Name
		} else {
			*total = need.Total.Total
		}
	}
}
