package app

import (
	"context"
	"errors"
	"sync"

	"payrun/cmd/payrun/factor"
	"payrun/ledger"
)

// Site is where passkeys work. No passkey works for the zero Site.
type Site = factor.Site

// Challenge is what a browser was asked to sign with a passkey.
type Challenge = factor.Challenge

// FactorAnswer is what a form brought in addition to a password.
type FactorAnswer struct {
	Code      string // of an authenticator app
	Passkey   string // what a browser signed
	Site      Site
	Challenge Challenge // what the browser was asked to sign
}

// TOTP is a new authenticator app.
type TOTP = factor.TOTP

// NewTOTP returns a new authenticator app for a person.
func (a *App) NewTOTP(p ledger.Person) (TOTP, error) {
	return factor.NewTOTP(a.set.Environment, p.Name)
}

// AddTOTP adds an authenticator app to the caller, after its code proved that it works.
func (a *App) AddTOTP(ctx context.Context, call Call, t TOTP, code, label string) (ledger.Person, error) {
	if !a.useCode(ledger.KeptPassword(t.Stored), t.Stored, code) {
		return ledger.Person{}, Fail(Usage, "this is not the code that the app shows now: check the time of the phone, and type the next one")
	}
	return a.changeOne(ctx, call, ledger.PersonChange{Kind: ledger.EventFactorAdded, Name: call.Person.Name, Factor: ledger.FactorTOTP, Label: label, Stored: t.Stored})
}

// NewPasskey asks a browser to create a passkey for the caller; options is JSON for its script.
func (a *App) NewPasskey(ctx context.Context, call Call, p ledger.Person, site Site) (options string, c Challenge, err error) {
	kept, err := a.keptFactors(ctx, call, p)
	if err != nil {
		return "", c, err
	}
	return factor.NewPasskey(site, p.Name, p.Shown(), kept)
}

// AddPasskey adds the passkey that a browser created to the caller.
func (a *App) AddPasskey(ctx context.Context, call Call, f FactorAnswer, label string) (ledger.Person, error) {
	kept, err := factor.KeepPasskey(f.Site, call.Person.Name, call.Person.Shown(), f.Challenge, f.Passkey)
	if err != nil {
		return ledger.Person{}, Fail(Usage, "the browser made no passkey for this desk: try again").Because(err)
	}
	return a.changeOne(ctx, call, ledger.PersonChange{Kind: ledger.EventFactorAdded, Name: call.Person.Name, Factor: ledger.FactorPasskey, Label: label, Stored: kept})
}

// RemoveFactor removes a factor of the caller. It refuses to remove the last one that the policy asks for.
func (a *App) RemoveFactor(ctx context.Context, call Call, name string) (ledger.Person, error) {
	return a.changeOne(ctx, call, ledger.PersonChange{Kind: ledger.EventFactorRemoved, Name: call.Person.Name, Secret: name})
}

// AskPasskey asks a person's browser for one of their passkeys; options is JSON for its
// script, "" if they have none for this site.
func (a *App) AskPasskey(ctx context.Context, call Call, p ledger.Person, site Site) (options string, c Challenge, err error) {
	kept, err := a.keptFactors(ctx, call, p)
	if err != nil || site.Name == "" {
		return "", c, err
	}
	options, c, err = factor.AskPasskey(site, p.Name, kept)
	if errors.Is(err, factor.ErrNoPasskey) {
		err = nil
	}
	return options, c, err
}

// SecondFactor checks a person's second factor, at login or for a decision, and says in words
// which one it was. If it is not theirs, it records that and returns ErrNotThem.
func (a *App) SecondFactor(ctx context.Context, call Call, p ledger.Person, f FactorAnswer, from string) (how string, err error) {
	kept, err := a.keptFactors(ctx, call, p)
	if err != nil {
		return "", err
	}
	for i, k := range kept {
		if p.Factors[i].Kind == ledger.FactorTOTP && a.useCode(p.Factors[i].Name, k, f.Code) {
			return "code", nil
		}
	}
	if f.Passkey != "" && factor.PasskeyIs(f.Site, p.Name, kept, f.Challenge, f.Passkey) == nil {
		return "passkey", nil
	}
	l := ledger.Login{Name: p.Name, From: from, Kind: ledger.EventLoginRefused, What: "the second factor"}
	return "", errors.Join(ErrNotThem, a.RecordLogin(ctx, call, l))
}

// usedCodes holds the step of the last code of each authenticator app: a code works once.
type usedCodes struct {
	mu   sync.Mutex
	last map[string]int64
}

// useCode reports whether a code is valid now, and marks it as used.
func (a *App) useCode(name, kept, code string) bool {
	a.codes.mu.Lock()
	defer a.codes.mu.Unlock()
	step, is := factor.CodeIs(kept, code, a.env.Now(), a.codes.last[name])
	if is {
		a.codes.last[name] = step
	}
	return is
}

// keptFactors returns what is stored of each of a person's factors, in their order.
func (a *App) keptFactors(ctx context.Context, call Call, p ledger.Person) ([]string, error) {
	return reading(ctx, a, call, func(o *operation) ([]string, error) {
		return listOf(p.Factors, func(f ledger.Factor) (string, error) { return o.store.StoredSecret(ctx, p, f.Name) })
	})
}
