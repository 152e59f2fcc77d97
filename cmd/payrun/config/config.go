// Package config holds the settings of one run of payrun and its two keys. Settings come from
// flags, the environment, payrun.toml and defaults: a flag wins over the environment, the
// environment over payrun.toml, payrun.toml over a default.
package config

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"payrun/ledger"
)

// Sources says where settings come from, apart from payrun.toml.
type Sources struct {
	Config, Ledger string                             // flags; "" when not given
	Getenv         func(name string) string           // "" when unset
	Amount         func(string) (ledger.Paise, error) // reads an amount as people write it
	Column         func(word string) (string, bool)   // returns the canonical name of a column of a sheet
}

// Settings are the settings in effect.
type Settings struct {
	File
	Path         string // of payrun.toml; "" when there is none
	LedgerPath   string // of the ledger's file; "" if it is on a server
	LedgerServer string // its URL, without a password; "" if the ledger is a file
	Actor        string // who runs the program, as the ledger records it

	text string // of payrun.toml; "" if there is none
}

// Load reads payrun.toml and applies environment and flags to it. An error that
// can be shown to the user is an *Error.
func Load(from Sources) (Settings, error) {
	path, err := from.find()
	if err != nil {
		return Settings{}, err
	}
	s := Settings{File: defaults(), Path: path}
	var opened fs.FileInfo
	if path != "" {
		if s.text, opened, err = readText(path); err != nil {
			return Settings{}, err
		}
		if s.File, err = from.parse(path, s.text); err != nil {
			return Settings{}, err
		}
	}
	if err := s.setLedger(from); err != nil {
		return Settings{}, err
	}
	if path != "" {
		if err := s.shared().ours(theConfiguration, path, opened); err != nil {
			return Settings{}, err // it may be written by a group that does not share the ledger
		}
	}
	s.Actor = person()
	if err := s.setHosts(from.Getenv); err != nil {
		return Settings{}, err
	}
	s.SubMerchantID = folded(s.SubMerchantID)
	for i := range s.Accounts {
		s.Accounts[i].BankAccountID = folded(s.Accounts[i].BankAccountID)
	}
	return s, nil
}

// LoadFound is Load for a command about one ledger. It fails if there is no payrun.toml and no
// ledger was named: the defaults would mean another ledger, or none.
func LoadFound(from Sources) (Settings, error) {
	s, err := Load(from)
	if name, _ := from.namedLedger(); err != nil || s.Path != "" || name != "" {
		return s, err
	}
	looked := ledger.ListOf(from.LookedFor(), func(p Place) string { return p.Path })
	return Settings{}, wrong("there is no %s; looked for at %s", Name, strings.Join(looked, ", ")).
		hint("go to its folder, or name it with --config").
		hint("payrun init writes one, and a new ledger, in this folder: only where nothing was ever paid with payrun")
}

// folded returns a UUID in lower case, as payrun sends and compares it: a UUID in upper
// case is the same. Any other id stays as it is.
func folded(id string) string {
	if uuid.MatchString(id) {
		return strings.ToLower(id)
	}
	return id
}

var uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// InFolder resolves a path of payrun.toml relative to its own folder.
func (s Settings) InFolder(path string) string {
	if path == "" || filepath.IsAbs(path) || s.Path == "" {
		return path
	}
	return filepath.Join(filepath.Dir(s.Path), path)
}

// Asks returns the policy of payrun.toml. The stricter of it and the ledger's own applies.
func (s Settings) Asks() ledger.Policy {
	return ledger.Policy{TwoPerson: s.Policy.TwoPerson, SecondFactor: s.Policy.SecondFactor, ConfirmAbove: s.Policy.ConfirmAbove.Amount}
}

// Clock formats a time in the configured zone; "" for the zero time.
func (s Settings) Clock(t time.Time) string { return s.shown(t, time.DateTime) }

// Moment is Clock for pages that people read, where nothing is sorted by it. It has the form of
// the reports: 22 Nov 2026, 23:18:37.
func (s Settings) Moment(t time.Time) string { return s.shown(t, "2 Jan 2006, 15:04:05") }

// Day is Moment without the time.
func (s Settings) Day(t time.Time) string { return s.shown(t, "2 Jan 2006") }

func (s Settings) shown(t time.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return s.local(t).Format(layout)
}

// TimeOfDay is Clock without the day. If no zone is configured, as in the demo, it uses the zone of t.
func (s Settings) TimeOfDay(t time.Time) string { return s.local(t).Format(time.TimeOnly) }

// Hour names the hour of t in the same zone as TimeOfDay. A day never begins inside an hour.
func (s Settings) Hour(t time.Time) string { return s.local(t).Format("2006-01-02 15h -0700") }

func (s Settings) local(t time.Time) time.Time {
	if s.Timezone.At == nil {
		return t
	}
	return t.In(s.Timezone.At)
}

// Account returns a configured debit account.
func (s Settings) Account(id string) (account ledger.DebitAccount, found bool) {
	id = folded(id)
	return ledger.First(s.Accounts, func(a ledger.DebitAccount) bool { return a.BankAccountID == id })
}

// AccountID returns the id of the debit account that a person means: by the name or id
// of a configured one, or the id of any other.
func (s Settings) AccountID(word string) (id string, found bool) {
	if a, named := ledger.First(s.Accounts, func(a ledger.DebitAccount) bool { return strings.EqualFold(a.Name, word) }); named {
		return a.BankAccountID, true
	}
	return folded(word), uuid.MatchString(word)
}

// AccountName returns the configured name of a debit account, or its id.
func (s Settings) AccountName(id string) string {
	if a, found := s.Account(id); found {
		return a.Name
	}
	return id
}

// Error says what is wrong with the configuration or the keys, and what to do about it.
type Error struct {
	What  string
	Hints []string // what to do, most useful last
	Keys  bool     // a key is missing; nothing is wrongly configured

	Unknown string   // the word that is not known, if that is the reason
	Choices []string // the words that are known
	cause   error
}

func (e *Error) Error() string { return e.What }

// wordless reports whether an error is of the machine and not worded yet.
func wordless(err error) bool {
	_, worded := errors.AsType[*Error](err)
	return err != nil && !worded
}

func (e *Error) Unwrap() error { return e.cause }

func wrong(format string, args ...any) *Error { return &Error{What: fmt.Sprintf(format, args...)} }

func (e *Error) hint(format string, args ...any) *Error {
	e.Hints = append(e.Hints, fmt.Sprintf(format, args...))
	return e
}

func (e *Error) because(err error) *Error {
	e.cause = err
	return e
}

// Reason returns an error of the file system without its path, for a sentence that names the path already.
func Reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// The longest times that a password at the desk stays valid: for a decision, for an unused login, and
// for a used one.
const (
	longestProof = Duration(5 * time.Minute)
	longestIdle  = Duration(30 * time.Minute)
	longestWhole = Duration(8 * time.Hour)
)

// Desk says where the desk listens and under which name it is reached.
type Desk struct {
	Addr       string // HOST:PORT; port 0 takes a free one
	Cert, Key  string // files; both or none
	PublicHost string // the name in the address bar; "" on loopback
	OwnHost    bool   // on loopback: use a name that no other service of this machine has, a new one at each start
	NoPoll     bool   // the desk never asks the bank by itself
}

// DeskAddr is the default address of the desk.
const DeskAddr = "127.0.0.1:0"

// Template is the payrun.toml that init writes. It is complete and has the accounts of
// the sandbox, so that a newcomer can rehearse at once.
//
//go:embed payrun.toml
var Template string

// SandboxAddr is where Template expects the sandbox.
const SandboxAddr = "127.0.0.1:8650"

// Rehearsal is Template for the user's own sandbox at addr. payrun asks it as fast as it answers.
func Rehearsal(addr string) string {
	return strings.NewReplacer(
		"http://"+SandboxAddr, "http://"+addr,
		"requests_per_second = 5 ", "requests_per_second = 1000 ",
		`first         = "5s"`, `first         = "1ms"`,
	).Replace(Template)
}

// Write finds the configuration. If there is none, it writes Template, with the ledger that the flag names,
// to the place where the next command looks for it.
func Write(from Sources) (path string, wrote bool, err error) {
	path = cmp.Or(from.Config, from.Getenv("PAYRUN_CONFIG"))
	if path == "" {
		if path, err = from.find(); path != "" || err != nil {
			return path, false, err
		}
		path = Name
	}
	text := Template
	if ledger := from.Ledger; ledger != "" {
		if OnServer(ledger) {
			err = CheckLedger("--ledger", ledger)
		} else if filepath.Dir(path) != "." { // in the file, the path is relative to the file's folder
			ledger, err = filepath.Abs(ledger)
		}
		if err != nil {
			return path, false, err
		}
		text = strings.Replace(text, `"payrun.db"`, strconv.Quote(ledger), 1)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return path, false, nil
	}
	if err != nil {
		return path, false, wrong("the configuration %s cannot be written: %v", path, Reason(err)).because(err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return path, false, errors.Join(err, os.Remove(path))
	}
	return path, true, nil
}
