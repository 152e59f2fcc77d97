package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"payrun/ledger"
)

// Name is the file name that payrun looks for in the current folder and the user's.
const Name = "payrun.toml"

// find returns the path of the configuration to read: --config, $PAYRUN_CONFIG, ./payrun.toml, then the
// user's. "" if there is none; a file named by flag or variable must exist.
func (s Sources) find() (string, error) {
	for _, p := range s.LookedFor() {
		switch {
		case p.There:
			return p.Path, nil
		case p.named || !errors.Is(p.err, fs.ErrNotExist):
			return "", wrong("the configuration %s cannot be read: %v", p.Path, Reason(p.err)).because(p.err)
		}
	}
	return "", nil
}

// user returns the path $XDG_CONFIG_HOME/payrun/payrun.toml; "" if the environment names no folder.
func (s Sources) user() string {
	folder, home := s.Getenv("XDG_CONFIG_HOME"), s.Getenv("HOME")
	if folder == "" && home == "" {
		return ""
	}
	return filepath.Join(cmp.Or(folder, filepath.Join(home, ".config")), "payrun", Name)
}

// parse reads the text of the payrun.toml at path over the defaults. Its errors name the line
// and, for a key, the column.
func (s Sources) parse(path, text string) (File, error) {
	c, err := s.parseAll(path, text)
	if err == nil {
		return c, nil
	}
	// of all accounts the decoder names the last, which is the wrong one in the shortest text that is wrong
	for _, at := range accountsTable.FindAllStringIndex(text, -1) {
		if _, sooner := s.parseAll(path, text[:at[0]]); sooner != nil {
			return c, sooner
		}
	}
	return c, err
}

var accountsTable = regexp.MustCompile(`(?m)^\s*\[\[\s*accounts`)

func (s Sources) parseAll(path, text string) (File, error) {
	c := defaults()
	meta, err := toml.Decode(text, &c)
	if err != nil {
		return c, misread(path, text, err)
	}
	if is := meta.Type("rails"); is != "" && is != "Hash" { // the decoder reads it as no rails
		return c, wrong("%s: rails: want %s", keyPosition(text, toml.Key{"rails"}).in(path), typeWords["table"])
	}
	known := allKeys(reflect.TypeFor[File](), "")
	for _, key := range meta.Keys() {
		// The spelling must be exact: the decoder alone would accept LEDGER for ledger.
		if !slices.Contains(known, key.String()) && (len(key) == 1 || !slices.Contains(namedByUsers, key[0])) {
			e := wrong("%s: unknown key %q", keyPosition(text, key).in(path), key).hint("payrun help config lists every key")
			e.Unknown, e.Choices = key.String(), known
			return c, e
		}
	}
	for _, m := range []struct {
		key   toml.Key
		money *Money
	}{{toml.Key{"policy", "confirm_above"}, &c.Policy.ConfirmAbove}, {toml.Key{"limits", "payout_most"}, &c.Limits.PayoutMost}} {
		if err := m.money.read(s.Amount); err != nil {
			return c, wrong("%s: %s: %v", keyPosition(text, m.key).in(path), m.key, err).because(err)
		}
	}
	for _, t := range c.Columns.tables() {
		if at, what := t.check(s.Column); what != "" {
			return c, wrong("%s: %s: %s", keyPosition(text, at).in(path), at, what)
		}
	}
	if key, what := c.complaint(seesOwners); what != "" {
		return c, wrong("%s: %s", keyPosition(text, key).in(path), what)
	}
	return c, nil
}

// maxConfig is the longest payrun.toml, in bytes.
const maxConfig = 1 << 20

// theConfiguration names payrun.toml in an error.
const theConfiguration = "the configuration"

// readText reads payrun.toml, which says where the bank is and which accounts pay. It refuses a file
// that another person may have written.
func readText(path string) (text string, info fs.FileInfo, err error) {
	var b []byte
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		info, err = anyGroup.opened(theConfiguration, f)
	}
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(f, maxConfig+1))
	}
	if wordless(err) {
		err = wrong("the configuration %s cannot be read: %v", path, Reason(err)).because(err)
	} else if len(b) > maxConfig {
		err = wrong("the configuration %s is too long", path)
	}
	return string(b), info, err
}

// misread words a syntax error or a value of the wrong type.
func misread(path, text string, err error) error {
	at, key, what := place{}, "", strings.TrimPrefix(err.Error(), "toml: ")
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		at, key, what = place{parse.Position.Line, parse.Position.Col}, parse.LastKey, parse.Message
	} else if m := wrongType.FindStringSubmatch(what); m != nil {
		at.line, _ = strconv.Atoi(m[1])
		key, what = m[2], "want "+cmp.Or(typeWords[m[3]], m[3])
	}
	if key != "" {
		at.column, what = keyColumn(text, at.line, key), key+": "+what
	}
	return wrong("%s: %s", at.in(path), what).because(err)
}

// wrongType matches the decoder's error for a value of the wrong type.
var wrongType = regexp.MustCompile(`^line (\d+) \(last key "(.+)"\): (?:incompatible types: .* destination has type|type mismatch for .*: expected) (\w+)`)

var typeWords = map[string]string{"string": "text in quotes", "integer": "a whole number", "boolean": "true or false", "table": "a table, as in [policy]", "slice": "[[accounts]]"}

// OneOf lists two or more known words: a, b or c.
func OneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// complaint names the first value that is wrong by itself or together with others. seesOwners: the system shows who
// owns a file and who may write it.
func (c File) complaint(seesOwners bool) (key toml.Key, what string) {
	of := func(key, format string, args ...any) (toml.Key, string) {
		return strings.Split(key, "."), key + ": " + fmt.Sprintf(format, args...)
	}
	for _, w := range []struct {
		key, value string
		known      []string
	}{
		{"environment", c.Environment, []string{"sandbox", Production}},
		{"ledger_url.durability", c.LedgerURL.Durability, []string{"replicated", "managed", "single"}},
		{"reconcile.account", c.Reconcile.Account, []string{"shared", PayrunOnly}},
		{"nightly.bad_rows", c.Nightly.BadRows, []string{"reject-sheet", SkipRows}},
	} {
		if !slices.Contains(w.known, w.value) {
			return of(w.key, "%q: want %s", w.value, OneOf(w.known))
		}
	}
	lease, server, production := c.LedgerURL.Lease, wrongServer(c.Ledger), c.Environment == Production
	noAddress := func(s string) bool { return s != "" && !webAddress(s) }
	address := func(s string) string { return fmt.Sprintf("%q: want https://… or http://…", s) }
	shorter := func(most Duration) string {
		return fmt.Sprintf("must be above 0, and can only be shortened from %s", most)
	}
	for _, rule := range []struct {
		broken    bool
		key, want string
	}{
		{noAddress(c.BaseURL), "base_url", address(c.BaseURL)},
		{noAddress(c.IDURL), "id_url", address(c.IDURL)},
		{noAddress(c.LinkingURL), "linking_url", address(c.LinkingURL)},
		{noAddress(c.Nightly.PingURL), "nightly.ping_url", "want https://… or http://…"},                             // its reader could report success
		{c.Notify.URL != "" && !securely(c.Notify.URL), "notify.url", "want https://…, or http://… on this machine"}, // it may hold a token
		{c.RequestFields.Amount == "", "request_fields.amount", "must not be empty"},
		{c.RequestFields.DebitAccount == "", "request_fields.debit_account", "must not be empty"},
		{c.Ledger == "", "ledger", "must not be empty"},
		{server != "", "ledger", server},
		{lease < shortestLease || lease > longestLease, "ledger_url.lease", fmt.Sprintf("want %s to %s", shortestLease, longestLease)},
		{c.Limits.PayoutMost.text == "", "limits.payout_most", "must not be empty: it tells a slip from an amount"},
		{c.Poll.First == 0 || c.Poll.First > c.Poll.Most, "poll.first", "must be above 0 and not above poll.most"},
		{production && !seesOwners, "environment", "production needs Linux, macOS or a BSD: on this system payrun cannot check who may write the ledger and the keys; rehearse with \"sandbox\""},
		{production && c.Poll.OverdueAfter.Std() < leastOverdue, "poll.overdue_after", "must be 24h or more in production: after it a person may call a submit without an answer not submitted"},
		{c.HTTP.Proxy != "" && !proxyAddress(c.HTTP.Proxy), "http.proxy", "want http://HOST:PORT, without a user"},
		{production && c.Resolve.Wait.Std() < ledger.LeastWait, "resolve.wait", "must be 48h or more in production: so old a submit without an answer has to be before people may set it aside"},
		{production && c.Resolve.Between.Std() < ledger.LeastBetween, "resolve.between", "must be 1h or more in production: so long the second person waits after the first"},
		{c.OTP.HeldAtOnce < 0, "otp.held_at_once", "want a whole number from 1, or 0 for no limit"},
		{c.HTTP.TimeoutRead == 0 || c.HTTP.TimeoutSend == 0, "http", "a timeout of 0 would wait for ever"},
		{c.Desk.Proof <= 0 || c.Desk.Proof > longestProof, "desk.proof", shorter(longestProof)},
		{c.Desk.Idle <= 0 || c.Desk.Idle > longestIdle, "desk.idle", shorter(longestIdle)},
		{c.Desk.Whole <= 0 || c.Desk.Whole > longestWhole, "desk.whole", shorter(longestWhole)},
	} {
		if rule.broken {
			return of(rule.key, "%s", rule.want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Rails)) {
		if rail := c.Rails[name]; ledger.RailNamed(rail) == "" {
			return toml.Key{"rails", name}, fmt.Sprintf("rails.%s: %q: want neft, rtgs or imps", name, rail)
		}
	}
	taken, standard := map[string]bool{}, 0 // names and ids in lower case: both name the account, in any case
	for i, a := range c.Accounts {
		name, id := strings.ToLower(a.Name), strings.ToLower(a.BankAccountID)
		switch err := ledger.CheckAccount(a.PartnerBankID, a.Kind); {
		case a.Name == "":
			return of("accounts", "account %d has no name", i+1)
		case a.BankAccountID == "":
			return of("accounts", "account %q has no bank_account_id", a.Name)
		case taken[name], taken[id]:
			return of("accounts", "account %q is listed twice, by name or by bank_account_id", a.Name)
		case err != nil:
			return of("accounts", "account %q: %v", a.Name, err)
		case a.OTP != "" && a.OTP != ledger.OTPsOfDigits:
			return of("accounts", "account %q: want otp = %q, or no otp where the bank also sends letters", a.Name, ledger.OTPsOfDigits)
		}
		taken[name], taken[id] = true, true
		if a.Default {
			standard++
		}
	}
	if standard > 1 {
		return of("accounts", "%d accounts say default = true; one may", standard)
	}
	return nil, ""
}

// proxyAddress reports whether s is a plain proxy address. A password must not be in payrun.toml.
func proxyAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "http" && u.Hostname() != "" && u.User == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
}

func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// securely reports whether no one on the way can read what is sent to an address.
func securely(s string) bool {
	u, err := url.Parse(s)
	return err == nil && webAddress(s) && (u.Scheme == "https" || Loopback(u.Hostname()))
}

// place is a line and a column, both from 1; column 0 if only the line is known.
type place struct{ line, column int }

func (p place) in(path string) string {
	switch {
	case p.line == 0:
		return path
	case p.column == 0:
		return fmt.Sprintf("%s: line %d", path, p.line)
	}
	return fmt.Sprintf("%s: line %d, column %d", path, p.line, p.column)
}

// located finds a key's position: the decoder gives a position only when it refuses a value.
type located struct{}

func (*located) UnmarshalTOML(any) error { return errors.New("here") }

// keyPosition finds a key in the text, even in an array of tables such as accounts.
func keyPosition(text string, key toml.Key) place {
	for _, inTables := range []bool{false, true} {
		t := reflect.TypeFor[located]()
		for i := len(key) - 1; i >= 0; i-- {
			if inTables && i == 0 {
				t = reflect.SliceOf(t)
			}
			t = reflect.StructOf([]reflect.StructField{{Name: "X", Type: t, Tag: reflect.StructTag(fmt.Sprintf("toml:%q", key[i]))}})
		}
		_, err := toml.Decode(text, reflect.New(t).Interface())
		if parse, ok := errors.AsType[toml.ParseError](err); ok {
			return place{parse.Position.Line, keyColumn(text, parse.Position.Line, key[len(key)-1])}
		}
		if err == nil {
			break
		}
	}
	return place{}
}

// keyColumn returns the column where the last part of a key begins in its line.
func keyColumn(text string, line int, key string) int {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return 0
	}
	last := key[strings.LastIndexByte(key, '.')+1:]
	return strings.Index(lines[line-1], last) + 1
}

// namedByUsers are the tables in which users choose the keys.
var namedByUsers = []string{"columns", "rails"}

// allKeys lists every key, with dots.
func allKeys(t reflect.Type, prefix string) []string {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("toml"); name != "" {
			out = append(out, prefix+name)
			out = append(out, allKeys(t.Field(i).Type, prefix+name+".")...)
		}
	}
	return out
}
