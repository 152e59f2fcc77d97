package config

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// What init writes has every key, with the defaults of the contract.
func TestTheWrittenConfigurationIsWholeAndTheDefault(t *testing.T) {
	// a key that is only shown, as a comment, counts as there
	text := strings.NewReplacer("# id_url", "id_url", "# linking_url", "linking_url",
		"# access_key_file", "access_key_file", "# secret_key_file", "secret_key_file").Replace(Template)
	for _, key := range allKeys(reflect.TypeFor[File](), "") {
		last := key[strings.LastIndexByte(key, '.')+1:]
		if !strings.Contains(text, "\n"+last+" ") && !strings.Contains(text, "["+last+"]") {
			t.Errorf("payrun.toml does not show %s", key)
		}
	}
	got, err := Sources{Amount: ledger.ParsePaise}.parse(Name, Template)
	must(t, err)
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	must(t, err)
	var want File
	want.Environment = "sandbox"
	want.TransactionTypeID = "NEFT"
	want.Ledger = "payrun.db"
	want.LedgerURL.Durability, want.LedgerURL.Lease = "replicated", Duration(30*time.Second)
	want.Timezone = Zone{Name: "Asia/Kolkata", At: kolkata}
	want.RequestFields.Amount = "amount"
	want.RequestFields.DebitAccount = "bank_account_id"
	want.Limits.PayoutsPerBatch = 500
	want.Limits.SheetRows = 2_000_000
	want.Limits.SheetColumns = 512
	want.Limits.SheetBytes = 512 << 20
	want.Limits.PayoutMost = Money{Amount: 10_000_000_000_00, text: "10000000000.00"}
	want.Limits.RequestsPerSecond = 5
	want.Limits.RequestsInFlight = 4
	want.OTP.HeldAtOnce = 1
	want.OTP.Tries = 3
	want.OTP.Window = Duration(10 * time.Minute)
	want.HTTP.TimeoutRead = Duration(30 * time.Second)
	want.HTTP.TimeoutSend = Duration(60 * time.Second)
	want.Poll.First = Duration(5 * time.Second)
	want.Poll.Most = Duration(30 * time.Minute)
	want.Poll.OverdueAfter = Duration(24 * time.Hour)
	want.Poll.SuccessWatch = Duration(168 * time.Hour)
	want.Reconcile.Account = "shared"
	want.Reconcile.StatementGrace = Duration(48 * time.Hour)
	want.Rails = map[string]string{}
	want.Doubt.Quiet = Duration(10 * time.Minute)
	want.Resolve.Wait = Duration(48 * time.Hour)
	want.Resolve.Between = Duration(time.Hour)
	want.Nightly.Inbox = "inbox"
	want.Nightly.Archive = "archive"
	want.Nightly.Rejected = "rejected"
	want.Nightly.Reports = "reports"
	want.Nightly.Keep = 400
	want.Nightly.BadRows = "reject-sheet"
	want.Desk.Proof = Duration(5 * time.Minute)
	want.Desk.Idle = Duration(30 * time.Minute)
	want.Desk.Whole = Duration(8 * time.Hour)
	if diff := cmp.Diff(want, defaults(), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("the defaults are not the contract's:\n%s", diff)
	}
	want.BaseURL, want.SubMerchantID, want.Accounts = got.BaseURL, got.SubMerchantID, got.Accounts
	if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("the written values are not the defaults:\n%s", diff)
	}
	if len(got.Accounts) != 9 || !slices.ContainsFunc(got.Accounts, func(a ledger.DebitAccount) bool { return a.Default }) {
		t.Errorf("want the sandbox's nine accounts, one of them the default: %+v", got.Accounts)
	}
}

func TestKeysOthersCanReadAreRefused(t *testing.T) {
	dir := t.TempDir()
	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o644: false, 0o700: false} {
		path := filepath.Join(dir, mode.String())
		must(t, os.WriteFile(path, []byte(" the-key \n"), 0o600))
		must(t, os.Chmod(path, mode))
		key, err := Settings{}.readKey(path)
		if (err == nil) != ok {
			t.Errorf("%s: %v", mode, err)
		}
		if ok && key.Reveal() != "the-key" {
			t.Errorf("%s: the key was not read as it is", mode)
		}
	}
}

func TestInProductionADoubtIsADayOldBeforeAnybodyResolvesIt(t *testing.T) {
	for _, c := range []struct {
		environment, after string
		refused            bool
	}{
		{"production", "24h", false},
		{"production", "48h", false},
		{"production", "23h59m59s", true},
		{"production", "0s", true},
		{"sandbox", "0s", false},
	} {
		_, err := Sources{Amount: ledger.ParsePaise}.parse(Name, "environment = \""+c.environment+"\"\n[poll]\noverdue_after = \""+c.after+"\"\n")
		if refused := err != nil; refused != c.refused || refused && !strings.Contains(err.Error(), "line 3, column 1: poll.overdue_after: must be 24h or more") {
			t.Errorf("%s, %s: %v", c.environment, c.after, err)
		}
	}
}

func TestInProductionTheEnvironmentDoesNotMoveTheBank(t *testing.T) {
	for _, c := range []struct {
		name, text, variable, value string
		refused                     bool
	}{
		{"another host", `base_url = "https://bank.example"`, "PAYRUN_BASE_URL", "https://elsewhere.example", true},
		{"another port", `base_url = "https://bank.example"`, "PAYRUN_BASE_URL", "https://bank.example:8443", true},
		{"the host as a user", `base_url = "https://bank.example"`, "PAYRUN_BASE_URL", "https://bank.example@elsewhere.example", true},
		{"without TLS", `base_url = "https://bank.example"`, "PAYRUN_BASE_URL", "http://bank.example", true},
		{"no host named", ``, "PAYRUN_BASE_URL", "https://bank.example", true},
		{"another path", `base_url = "https://bank.example"`, "PAYRUN_BASE_URL", "https://Bank.example/v2", false},
		{"accounts elsewhere", `base_url = "https://bank.example"`, "PAYRUN_ID_URL", "https://elsewhere.example", true},
		{"accounts where they are", "base_url = \"https://bank.example\"\nid_url = \"https://id.example\"", "PAYRUN_ID_URL", "https://id.example", false},
		{"linking elsewhere", `base_url = "https://bank.example"`, "PAYRUN_LINKING_URL", "https://elsewhere.example", true},
		{"nothing set", `base_url = "https://bank.example"`, "PAYRUN_NOTHING", "x", false},
	} {
		for _, environment := range []string{"production", "sandbox"} {
			_, err := Load(sourcesOf(t, "environment = \""+environment+"\"\n"+c.text+"\n", map[string]string{c.variable: c.value}))
			if refused := err != nil; refused != (c.refused && environment == "production") {
				t.Errorf("%s in %s: %v", c.name, environment, err)
			}
		}
	}
}

func TestAValueOfAWrongTypeOrSizeIsRefusedWithItsLine(t *testing.T) {
	for text, wrong := range map[string]string{
		"[otp]\nheld_at_once = 0":       "",
		"[otp]\nheld_at_once = -1":      "line 2, column 1: otp.held_at_once: want a whole number from 1, or 0 for no limit",
		"[otp]\nheld_at_once = \"one\"": "line 2, column 1: otp.held_at_once: want a whole number",
		"[otp]\nheld_at_once = 1.5":     "line 2, column 1: otp.held_at_once: want a whole number",
		"rails = 1":                     "line 1, column 1: rails: want a table, as in [policy]",
		"[[rails]]\nNEFT = 1":           "line 1, column 3: rails: want a table, as in [policy]",
		"accounts = 1":                  "line 1, column 1: accounts: want [[accounts]]",
		"otp = 1":                       "line 1, column 1: otp: want a table, as in [policy]",
		"[[otp]]\ntries = 1":            "line 1, column 3: otp: want a table, as in [policy]",
		"[limits]\nsheet_rows = 0":      "line 2, column 1: limits.sheet_rows: want a whole number from 1",
		"[limits]\nsheet_rows = \"1\"":  "line 2, column 1: limits.sheet_rows: want a whole number from 1",
	} {
		_, err := Sources{Amount: ledger.ParsePaise}.parse(Name, text+"\n")
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWhoDebitsTheAccounts(t *testing.T) {
	for text, known := range map[string]bool{"shared": true, "payrun-only": true, "mine": false, "": false} {
		c, err := Sources{Amount: ledger.ParsePaise}.parse(Name, "[reconcile]\naccount = \""+text+"\"\n")
		says := fmt.Sprintf("line 2, column 1: reconcile.account: %q: want shared or payrun-only", text)
		if (err == nil) != known || known && c.Reconcile.Account != text || !known && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v", text, c.Reconcile.Account, err)
		}
	}
}

// Where the system does not say whose a file is, no one could know who wrote the configuration or the ledger.
func TestProductionIsRefusedWhereOwnersCannotBeSeen(t *testing.T) {
	c := defaults()
	for _, of := range []struct {
		is         string
		seesOwners bool
		refused    bool
	}{{Production, false, true}, {Production, true, false}, {"sandbox", false, false}} {
		c.Environment = of.is
		if key, what := c.complaint(of.seesOwners); (key.String() == "environment") != of.refused {
			t.Errorf("%s, owners seen %t: %s", of.is, of.seesOwners, what)
		}
	}
}

func TestHowLongNightsKeepWhatTheyWrote(t *testing.T) {
	for text, want := range map[string]int{"400d": 400, "7d": 7, "6d": 0, "-8d": 0, "400": 0, "9600h": 0, "": 0} {
		var d Days
		if err := d.UnmarshalText([]byte(text)); (err == nil) != (want > 0) || err == nil && int(d) != want {
			t.Errorf("%q: %d, %v", text, d, err)
		}
	}
}

// A mistake in an account is reported with the line of that account, and not of the last one.
func TestAWrongAccountHasItsLine(t *testing.T) {
	first := "[[accounts]]\nname = \"pb3\"\nbank_account_id = \"a0000000-0000-4000-8000-000000000003\"\npartner_bank_id = 3\n"
	last := "\n[[accounts]]\nname = \"pb4\"\nbank_account_id = \"a0000000-0000-4000-8000-000000000004\"\npartner_bank_id = 4\ndefault = true\notp = \"digits\"\n"
	for line, says := range map[string]string{
		"":                   "",
		`otp = "digits"`:     "",
		`otp = "numbers"`:    `line 1, column 3: accounts: account "pb3": want otp = "digits"`,
		`otp = 6`:            "line 5, column 1: accounts.otp: want text in quotes",
		`  default = "true"`: "line 5, column 3: accounts.default: want true or false",
	} {
		_, err := Load(sourcesOf(t, first+line+last, nil))
		if said := fmt.Sprint(err); says != "" && !strings.Contains(said, says) || says == "" && strings.Contains(said, "accounts") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A person names a debit account in any case, by its name or its id: each names one.
func TestNoTwoAccountsAnswerToOneName(t *testing.T) {
	const id, other = "a0000000-0000-4000-8000-000000000001", "a0000000-0000-4000-8000-000000000003"
	for _, second := range []ledger.DebitAccount{{Name: "MAIN", BankAccountID: other}, {Name: id, BankAccountID: other}, {Name: "rent", BankAccountID: strings.ToUpper(id)}} {
		c := defaults()
		c.Accounts = []ledger.DebitAccount{{Name: "main", BankAccountID: id, PartnerBankID: 3}, second}
		c.Accounts[1].PartnerBankID = 3
		if _, got := c.complaint(true); !strings.Contains(got, "listed twice") {
			t.Errorf("%+v: %v", second, got)
		}
	}
}

func TestNotOnlyOurs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing here")
	}
	dir := t.TempDir()
	at := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		must(t, os.Mkdir(path, 0o700))
		must(t, os.Chmod(path, mode))
		return path
	}
	own := at("own", 0o755)
	link := filepath.Join(dir, "link")
	must(t, os.Symlink(own, link))
	for path, want := range map[string]string{
		own: "", at("private", 0o700): "", filepath.Join(dir, "nosuch"): "",
		link: "symbolic link", at("open", 0o777): "(mode 0777)",
	} {
		if got := NotOnlyOurs(path); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", filepath.Base(path), got, want)
		}
	}
	if os.Geteuid() == 0 {
		foreign := at("foreign", 0o700)
		if err := os.Chown(foreign, 12345, -1); err != nil {
			t.Skip(err)
		}
		group := at("group", 0o770)
		if err := os.Chown(group, -1, 12345); err != nil {
			t.Skip(err)
		}
		if got := NotOnlyOurs(group); !strings.Contains(got, "(mode 0770)") {
			t.Errorf("of a group: %q", got)
		}
		if got := NotOnlyOurs(foreign); !strings.Contains(got, "12345") {
			t.Errorf("of another user: %q", got)
		}
	}
}

func TestAuthorities(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), mode))
		must(t, os.Chmod(path, mode))
	}
	write("bank.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})), 0o644)
	write("open.pem", "", 0o666)
	write("empty.pem", "no certificate", 0o600)
	for file, want := range map[string]string{
		"": "", "bank.pem": "", "open.pem": "may be written by others", "empty.pem": "holds no certificate", "none.pem": "cannot be read", ".": "not a regular file",
	} {
		s := Settings{Path: filepath.Join(dir, Name)}
		s.HTTP.CAFile = file
		pool, err := s.Authorities()
		switch {
		case want == "" && (err != nil || (pool == nil) != (file == "")):
			t.Errorf("%q: %v, %v", file, pool, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}

func TestAProxyIsABareAddress(t *testing.T) {
	for address, ok := range map[string]bool{
		"http://proxy.example:3128": true, "http://10.0.0.1:8080/": true, "https://proxy.example": false, "proxy.example:3128": false,
		"http://user:word@proxy.example": false, "http://": false, "http://proxy.example/x": false, "http://proxy.example?x": false,
	} {
		if got := proxyAddress(address); got != ok {
			t.Errorf("%q: %t", address, got)
		}
	}
}
