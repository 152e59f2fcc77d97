package app

import (
	"context"
	"errors"
	"slices"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// PolicyKey is a key of the policy: its value in effect, and who sets it.
type PolicyKey struct {
	Key    string `json:"key"`
	Holds  string `json:"value"`  // as returned by ledger.Policy.Value
	From   string `json:"from"`   // "ledger" or "payrun.toml", which sets it; "default" for neither
	Ledger string `json:"ledger"` // what the ledger says
	Config string `json:"config"` // what payrun.toml says
}

// Laxer reports whether payrun.toml asks for less than the ledger; then payrun.toml has no effect.
func (k PolicyKey) Laxer() bool { return k.From == "ledger" && k.Config != k.Ledger }

// PolicyView is the policy in effect, and who sets it.
type PolicyView struct {
	Keys      []PolicyKey
	Proposals []ledger.PolicyChange // to weaken it; another person has to carry them out
	Next      []Hint
}

// Policy returns the policy in effect.
func (a *App) Policy(ctx context.Context, call Call) (PolicyView, error) {
	return reading(ctx, a, call, func(o *operation) (PolicyView, error) { return o.policyView(ctx) })
}

func (o *operation) policyView(ctx context.Context) (view PolicyView, err error) {
	_, trail, err := o.store.UsersAndPolicy(ctx)
	if err != nil {
		return view, err
	}
	asks := o.set.Asks()
	for _, key := range ledger.PolicyKeys {
		k := PolicyKey{Key: key, Ledger: trail.Value(key), Config: asks.Value(key), Holds: trail.Stricter(asks).Value(key), From: "default"}
		switch none := (ledger.Policy{}).Value(key); k.Holds {
		case none:
		case k.Ledger:
			k.From = "ledger"
		default:
			k.From = "payrun.toml"
			view.Next = append(view.Next, Do("policy", "set", key+"="+k.Config, "--reason", "as payrun.toml has it").
				First("%s is set only in payrun.toml, so it does not apply to other configurations. To set it in the ledger:", key))
		}
		view.Keys = append(view.Keys, k)
	}
	view.Proposals = trail.Waiting(o.env.Now())
	return view, nil
}

// SetPolicy makes the policy stricter. Of c it takes the key, the value as a person writes it, and the
// reason. It weakens the policy if another person has proposed the same. Otherwise it records the proposal, and the error says that another person has to
// carry it out. view is the policy afterwards.
func (a *App) SetPolicy(ctx context.Context, call Call, c ledger.PolicyChange) (view PolicyView, err error) {
	if c.Value, err = policyValue(c); err != nil {
		return view, err
	}
	err = a.decide(ctx, call, nil, func(o *operation) error {
		c.Actor, c.At = o.call.Actor, o.env.Now()
		e, err := o.store.SetPolicy(ctx, c)
		if err != nil && !errors.Is(err, ledger.ErrDuplicate) {
			return err
		}
		if view, err = o.policyView(ctx); err != nil {
			return err
		}
		if e.Kind != ledger.EventPolicyProposed {
			return nil
		}
		return Fail(NeedsPerson, "%s is weaker than the ledger's current policy: that needs two people, and %s proposed it", c.Key, config.Who(o.call.Actor)).
			Then(Do("policy", "set", c.Key+"="+c.Value, "--reason", c.Reason).First("within 72 hours another person has to run it, as themselves at a terminal, or agree at the desk"))
	})
	return view, err
}

// policyValue parses a value as a person writes it.
func policyValue(c ledger.PolicyChange) (string, error) {
	value := c.Value
	if c.Key == ledger.PolicyConfirmAbove && value != "" {
		amount, err := ParseAmount(value)
		if err != nil {
			return "", Fail(Usage, "%s: %v", c.Key, err).Because(err)
		}
		value = amount.String()
	}
	if _, err := (ledger.Policy{}).With(c.Key, value); err != nil {
		e := Fail(Usage, "%s", err).Because(err)
		if !slices.Contains(ledger.PolicyKeys[:], c.Key) {
			e.Unknown, e.Choices = c.Key, ledger.PolicyKeys[:]
		}
		return "", e.Then(Do("help", "policy", "set").Which("says what there is"))
	}
	return value, nil
}
