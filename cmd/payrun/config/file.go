package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for systems without time zone data, such as containers

	"github.com/BurntSushi/toml"

	"payrun/ledger"
)

// File is payrun.toml, key by key, as the contract lists it. Each type with rules of its
// own parses itself, so that a bad value is reported with its line.
type File struct {
	Environment       string `toml:"environment"`
	BaseURL           string `toml:"base_url"`
	IDURL             string `toml:"id_url"`
	LinkingURL        string `toml:"linking_url"`
	SubMerchantID     string `toml:"sub_merchant_id"`
	TransactionTypeID string `toml:"transaction_type_id"`
	Ledger            string `toml:"ledger"`
	LedgerOnNetwork   bool   `toml:"ledger_on_network"`
	Timezone          Zone   `toml:"timezone"`

	LedgerURL struct { // for a ledger on a server
		Durability string   `toml:"durability"`
		Lease      Duration `toml:"lease"`
	} `toml:"ledger_url"`

	Credentials struct {
		AccessKeyFile string `toml:"access_key_file"`
		SecretKeyFile string `toml:"secret_key_file"`
	} `toml:"credentials"`

	Accounts []ledger.DebitAccount `toml:"accounts"`

	Columns Columns `toml:"columns"` // of sheets

	RequestFields struct {
		Amount       string `toml:"amount"`
		DebitAccount string `toml:"debit_account"`
	} `toml:"request_fields"`

	Limits struct {
		PayoutsPerBatch   AtLeastOne `toml:"payouts_per_batch"`
		SheetRows         AtLeastOne `toml:"sheet_rows"`
		SheetColumns      AtLeastOne `toml:"sheet_columns"`
		SheetBytes        AtLeastOne `toml:"sheet_bytes"`
		PayoutMost        Money      `toml:"payout_most"`
		RequestsPerSecond AtLeastOne `toml:"requests_per_second"`
		RequestsInFlight  AtLeastOne `toml:"requests_in_flight"`
	} `toml:"limits"`

	OTP struct {
		HeldAtOnce int        `toml:"held_at_once"`
		Tries      AtLeastOne `toml:"tries"`
		Window     Duration   `toml:"window"`
		Command    string     `toml:"command"`
	} `toml:"otp"`

	HTTP struct {
		TimeoutRead Duration `toml:"timeout_read"`
		TimeoutSend Duration `toml:"timeout_send"`
		CAFile      string   `toml:"ca_file"` // the authorities that payrun trusts for https; "" for the system's
		Proxy       string   `toml:"proxy"`   // http://HOST:PORT; "" for none, even if the environment names one
	} `toml:"http"`

	Poll struct {
		First        Duration `toml:"first"`
		Most         Duration `toml:"most"`
		OverdueAfter Duration `toml:"overdue_after"`
		SuccessWatch Duration `toml:"success_watch"`
	} `toml:"poll"`

	Reconcile struct {
		Account        string   `toml:"account"`
		StatementGrace Duration `toml:"statement_grace"`
	} `toml:"reconcile"`

	Policy struct {
		TwoPerson    bool  `toml:"two_person"`
		ConfirmAbove Money `toml:"confirm_above"`
		SecondFactor bool  `toml:"second_factor"`
	} `toml:"policy"`

	// Rails maps the sheet's transaction types to neft, rtgs or imps.
	Rails map[string]string `toml:"rails"`

	Doubt struct {
		Quiet Duration `toml:"quiet"`
	} `toml:"doubt"`

	Resolve struct {
		Wait    Duration `toml:"wait"`
		Between Duration `toml:"between"`
	} `toml:"resolve"`

	Nightly struct {
		Inbox       string `toml:"inbox"`
		Archive     string `toml:"archive"`
		Rejected    string `toml:"rejected"`
		Reports     string `toml:"reports"`
		Keep        Days   `toml:"keep"`
		BadRows     string `toml:"bad_rows"`
		Initiate    bool   `toml:"initiate"`
		PingURL     string `toml:"ping_url"`
		MetricsFile string `toml:"metrics_file"`
	} `toml:"nightly"`

	Notify struct {
		Command string `toml:"command"`
		URL     string `toml:"url"`
	} `toml:"notify"`

	Desk struct {
		Proof Duration `toml:"proof"`
		Idle  Duration `toml:"idle"`
		Whole Duration `toml:"whole"`
	} `toml:"desk"`
}

// defaults returns the values of Template, which are the contract's, without those of the sandbox.
func defaults() File {
	var c File
	if _, err := toml.Decode(Template, &c); err != nil {
		panic("the payrun.toml of this program: " + err.Error()) // a test decodes it too
	}
	_ = c.Limits.PayoutMost.read(ledger.ParsePaise) // the same test reads it
	c.BaseURL, c.SubMerchantID, c.Accounts = "", "", nil
	return c
}

// Values of keys that accept one of a few words.
const (
	Production = "production"  // environment: money is real
	PayrunOnly = "payrun-only" // reconcile.account: every debit that belongs to no payout is an exception
	SkipRows   = "skip-rows"   // nightly.bad_rows
)

// leastOverdue is the least time that payrun asks about a submit in doubt before anyone may say that
// it never arrived: a bank processes a batch within its day.
const leastOverdue = 24 * time.Hour

// Duration is a length of time like "90s" or "24h", never negative.
type Duration time.Duration

// Std returns it as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String returns it without trailing units of 0.
func (d Duration) String() string {
	s := d.Std().String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// UnmarshalText parses it.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf("%q: want a length of time such as 90s, 10m or 24h", b)
	}
	*d = Duration(v)
	return nil
}

// Zone is a time zone, by its name.
type Zone struct {
	Name string
	At   *time.Location
}

func (z Zone) String() string { return z.Name }

// UnmarshalText looks it up by name.
func (z *Zone) UnmarshalText(b []byte) error {
	at, err := time.LoadLocation(string(b))
	if err != nil || len(b) == 0 {
		return fmt.Errorf("%q: want the name of a time zone, such as Asia/Kolkata", b)
	}
	*z = Zone{string(b), at}
	return nil
}

// Money is an amount as people write it, or "" for none.
type Money struct {
	Amount ledger.Paise
	text   string
}

func (m Money) String() string { return m.text }

// UnmarshalText keeps the text. Sources.Amount parses it later.
func (m *Money) UnmarshalText(b []byte) error {
	*m = Money{text: string(b)}
	return nil
}

func (m *Money) read(amount func(string) (ledger.Paise, error)) (err error) {
	if m.text != "" {
		m.Amount, err = amount(m.text)
	}
	return err
}

// AtLeastOne is a whole number of 1 or more.
type AtLeastOne int64

// UnmarshalTOML refuses anything else.
func (n *AtLeastOne) UnmarshalTOML(v any) error {
	i, ok := v.(int64)
	if !ok || i < 1 {
		return errors.New("want a whole number from 1")
	}
	*n = AtLeastOne(i)
	return nil
}

// Days is a number of whole days, like "400d".
type Days int

func (d Days) String() string { return fmt.Sprintf("%dd", int(d)) }

// UnmarshalText parses it.
func (d *Days) UnmarshalText(b []byte) error {
	text, ok := strings.CutSuffix(string(b), "d")
	n, err := strconv.Atoi(text)
	if !ok || err != nil || Days(n) < leastKept {
		return fmt.Errorf("%q: want %s or more", b, leastKept)
	}
	*d = Days(n)
	return nil
}

// leastKept is how many days of archived files a nightly run may need, and more.
const leastKept Days = 7
