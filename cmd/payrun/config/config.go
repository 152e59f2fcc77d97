// Package config is what holds for one run of payrun: payrun.toml, the
// environment, the flags and the defaults, and the two keys. Flag goes before
// environment, environment before payrun.toml, payrun.toml before default.
package config

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"payrun/ledger"
)

// Sources is where settings come from, besides payrun.toml.
type Sources struct {
	Config, Ledger  string                             // flags; "" when not given
	Getenv          func(name string) string           // "" when unset
	Amount          func(string) (ledger.Paise, error) // reads an amount as people write it
	Column          func(word string) (string, bool)   // gives the canonical name of a column of a sheet
	StatementColumn func(word string) (string, bool)   // and of a statement file
}

// Settings is what holds.
type Settings struct {
	File
	Path         string                // of payrun.toml; "" when there is none
	LedgerPath   string                // of the ledger's file; "" where it is on a server
	LedgerServer string                // its URL, without a password; "" where the ledger is a file
	Actor        string                // who runs the program, as the ledger records it
	Accounts     []ledger.DebitAccount // those of payrun.toml, as the domain has them
}

// Load reads the configuration and lays environment and flags over it. An
// error that can be shown is an *Error.
func Load(from Sources) (Settings, error) {
	path, err := from.find()
	if err != nil {
		return Settings{}, err
	}
	s := Settings{Path: path}
	var opened fs.FileInfo
	if path == "" {
		s.File = defaults()
	} else if s.File, opened, err = from.read(path); err != nil {
		return Settings{}, err
	}
	if err := s.setLedger(from); err != nil {
		return Settings{}, err
	}
	if path != "" {
		if err := s.Ours(theConfiguration, path, opened); err != nil {
			return Settings{}, err // a group that does not share the ledger may write it
		}
	}
	s.Actor = person()
	if err := s.setHosts(from.Getenv); err != nil {
		return Settings{}, err
	}
	s.SubMerchantID = folded(s.SubMerchantID)
	for _, acc := range s.File.Accounts {
		s.Accounts = append(s.Accounts, ledger.DebitAccount{
			Name: acc.Name, BankAccountID: folded(acc.BankAccountID), PartnerBankID: acc.PartnerBankID, Kind: acc.Kind,
			SubMerchantID: s.SubMerchantID, AccountNumber: acc.AccountNumber, Default: acc.Default, OTP: acc.OTP,
		})
	}
	return s, nil
}

// LoadFound is Load for what is about one ledger: without a payrun.toml, and without
// a ledger that was named, the defaults would be about another one, or none.
func LoadFound(from Sources) (Settings, error) {
	s, err := Load(from)
	if err != nil || s.Path != "" || from.Ledger != "" || from.Getenv("PAYRUN_LEDGER") != "" {
		return s, err
	}
	var looked []string
	for _, p := range from.Places() {
		looked = append(looked, p.Path)
	}
	return Settings{}, wrong("there is no %s; looked for at %s", Name, strings.Join(looked, ", ")).
		hint("go to its folder, or name it with --config").
		hint("payrun init writes one, and a new ledger, in this folder: only where nothing was ever paid with payrun")
}

// folded is a UUID in lower case, in which it is sent and compared: in upper
// case it is the same. Any other id stays as it is.
func folded(id string) string {
	if uuid.MatchString(id) {
		return strings.ToLower(id)
	}
	return id
}

var uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// Beside resolves a path of payrun.toml relative to its own folder.
func (s Settings) Beside(path string) string {
	if path == "" || filepath.IsAbs(path) || s.Path == "" {
		return path
	}
	return filepath.Join(filepath.Dir(s.Path), path)
}

// Asks is the policy of payrun.toml. What holds is the stricter of it and the
// ledger's own.
func (s Settings) Asks() ledger.Policy {
	p := ledger.Policy{TwoPerson: s.Policy.TwoPerson, SecondFactor: s.Policy.SecondFactor}
	if s.Policy.ConfirmAbove.Set {
		p.ConfirmAbove = s.Policy.ConfirmAbove.Amount
	}
	return p
}

// Clock shows a time in the configured zone; "" for the zero time.
func (s Settings) Clock(t time.Time) string { return s.shown(t, time.DateTime) }

// Moment is Clock for pages that are read and not sorted, in the form of the reports:
// 22 Nov 2026, 23:18:37.
func (s Settings) Moment(t time.Time) string { return s.shown(t, "2 Jan 2006, 15:04:05") }

// Day is Moment without the time.
func (s Settings) Day(t time.Time) string { return s.shown(t, "2 Jan 2006") }

func (s Settings) shown(t time.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return s.local(t).Format(layout)
}

// TimeOfDay is Clock without the day; where no zone is configured, as in the demo,
// in that of t.
func (s Settings) TimeOfDay(t time.Time) string { return s.local(t).Format(time.TimeOnly) }

// Hour names the hour of t in the configured zone, as TimeOfDay has it. No day begins
// within one.
func (s Settings) Hour(t time.Time) string { return s.local(t).Format("2006-01-02 15h -0700") }

func (s Settings) local(t time.Time) time.Time {
	if s.Timezone.At == nil {
		return t
	}
	return t.In(s.Timezone.At)
}

// Account finds a configured debit account.
func (s Settings) Account(id string) (account ledger.DebitAccount, found bool) {
	id = folded(id)
	for _, a := range s.Accounts {
		if a.BankAccountID == id {
			return a, true
		}
	}
	return account, false
}

// AccountID is the id of the debit account that a person means: the name or the
// id of a configured one, or the id of any other.
func (s Settings) AccountID(word string) (id string, found bool) {
	for _, a := range s.Accounts {
		if strings.EqualFold(a.Name, word) {
			return a.BankAccountID, true
		}
	}
	return folded(word), uuid.MatchString(word)
}

// AccountName is the configured name of a debit account, or its id.
func (s Settings) AccountName(id string) string {
	if a, found := s.Account(id); found {
		return a.Name
	}
	return id
}
