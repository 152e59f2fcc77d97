package cli

import (
	"errors"
	"fmt"
	"time"

	"payrun/ledger"
	"payrun/validate"
)

// config is payrun.toml, key by key, as the contract lists it. Every type that
// is not plain reads itself, so that a bad value is reported at its line.
type config struct {
	Environment       environment `toml:"environment"`
	BaseURL           string      `toml:"base_url"`
	IDURL             string      `toml:"id_url"`
	LinkingURL        string      `toml:"linking_url"`
	SubMerchantID     string      `toml:"sub_merchant_id"`
	TransactionTypeID string      `toml:"transaction_type_id"`
	Ledger            string      `toml:"ledger"`
	Timezone          zone        `toml:"timezone"`

	Credentials struct {
		AccessKeyFile string `toml:"access_key_file"`
		SecretKeyFile string `toml:"secret_key_file"`
	} `toml:"credentials"`

	Accounts []account `toml:"accounts"`

	RequestFields struct {
		Amount       string `toml:"amount"`
		DebitAccount string `toml:"debit_account"`
	} `toml:"request_fields"`

	Limits struct {
		PayoutsPerBatch   atLeastOne `toml:"payouts_per_batch"`
		SheetRows         atLeastOne `toml:"sheet_rows"`
		SheetColumns      atLeastOne `toml:"sheet_columns"`
		SheetBytes        atLeastOne `toml:"sheet_bytes"`
		RequestsPerSecond atLeastOne `toml:"requests_per_second"`
		RequestsInFlight  atLeastOne `toml:"requests_in_flight"`
	} `toml:"limits"`

	OTP struct {
		HeldAtOnce zeroOrMore `toml:"held_at_once"`
		Tries      atLeastOne `toml:"tries"`
		Window     duration   `toml:"window"`
		Command    string     `toml:"command"`
	} `toml:"otp"`

	HTTP struct {
		TimeoutRead duration `toml:"timeout_read"`
		TimeoutSend duration `toml:"timeout_send"`
	} `toml:"http"`

	Poll struct {
		First        duration `toml:"first"`
		Most         duration `toml:"most"`
		OverdueAfter duration `toml:"overdue_after"`
		SuccessWatch duration `toml:"success_watch"`
	} `toml:"poll"`

	Reconcile struct {
		StatementGrace duration `toml:"statement_grace"`
	} `toml:"reconcile"`

	Policy struct {
		TwoPerson    bool  `toml:"two_person"`
		ConfirmAbove money `toml:"confirm_above"`
	} `toml:"policy"`

	Doubt struct {
		Quiet duration `toml:"quiet"`
	} `toml:"doubt"`

	Nightly struct {
		Inbox       string  `toml:"inbox"`
		Archive     string  `toml:"archive"`
		Rejected    string  `toml:"rejected"`
		Reports     string  `toml:"reports"`
		BadRows     badRows `toml:"bad_rows"`
		Initiate    bool    `toml:"initiate"`
		PingURL     string  `toml:"ping_url"`
		MetricsFile string  `toml:"metrics_file"`
	} `toml:"nightly"`
}

// account is one of [[accounts]].
type account struct {
	Name          string             `toml:"name"`
	BankAccountID string             `toml:"bank_account_id"`
	PartnerBankID int                `toml:"partner_bank_id"`
	Kind          ledger.AccountKind `toml:"kind"`
	Default       bool               `toml:"default"`
	AccountNumber string             `toml:"account_number"`
}

// defaults are the contract's.
func defaults() config {
	var c config
	c.Environment = "sandbox"
	c.TransactionTypeID = "NEFT"
	c.Ledger = "payrun.db"
	c.Timezone = zone{name: "Asia/Kolkata", at: indianTime()}
	c.RequestFields.Amount = "amount"
	c.RequestFields.DebitAccount = "bank_account_id"
	c.Limits.PayoutsPerBatch = 500
	c.Limits.SheetRows = 2_000_000
	c.Limits.SheetColumns = 512
	c.Limits.SheetBytes = 512 << 20
	c.Limits.RequestsPerSecond = 5
	c.Limits.RequestsInFlight = 4
	c.OTP.HeldAtOnce = 1
	c.OTP.Tries = 3
	c.OTP.Window = duration(10 * time.Minute)
	c.HTTP.TimeoutRead = duration(30 * time.Second)
	c.HTTP.TimeoutSend = duration(60 * time.Second)
	c.Poll.First = duration(5 * time.Second)
	c.Poll.Most = duration(30 * time.Minute)
	c.Poll.OverdueAfter = duration(24 * time.Hour)
	c.Poll.SuccessWatch = duration(168 * time.Hour)
	c.Reconcile.StatementGrace = duration(48 * time.Hour)
	c.Doubt.Quiet = duration(10 * time.Minute)
	c.Nightly.Inbox = "inbox"
	c.Nightly.Archive = "archive"
	c.Nightly.Rejected = "rejected"
	c.Nightly.Reports = "reports"
	c.Nightly.BadRows = "reject-sheet"
	return c
}

// indianTime is +05:30 without daylight saving, for machines without a zone
// database.
func indianTime() *time.Location {
	const offset = 5*60*60 + 30*60
	if at, err := time.LoadLocation("Asia/Kolkata"); err == nil {
		return at
	}
	return time.FixedZone("IST", offset)
}

type environment string

func (e *environment) UnmarshalText(b []byte) error {
	switch *e = environment(b); *e {
	case "sandbox", "production":
		return nil
	}
	return fmt.Errorf("%q: want sandbox or production", b)
}

type badRows string

func (r *badRows) UnmarshalText(b []byte) error {
	switch *r = badRows(b); *r {
	case "reject-sheet", "skip-rows":
		return nil
	}
	return fmt.Errorf("%q: want reject-sheet or skip-rows", b)
}

// duration is a length of time like "90s" or "24h", never negative.
type duration time.Duration

func (d *duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf("%q: want a length of time such as 90s, 10m or 24h", b)
	}
	*d = duration(v)
	return nil
}

type zone struct {
	name string
	at   *time.Location
}

func (z *zone) UnmarshalText(b []byte) error {
	if string(b) == "Asia/Kolkata" {
		*z = zone{string(b), indianTime()}
		return nil
	}
	at, err := time.LoadLocation(string(b))
	if err != nil || len(b) == 0 {
		return fmt.Errorf("%q: want the name of a time zone, such as Asia/Kolkata", b)
	}
	*z = zone{string(b), at}
	return nil
}

// money is an amount, or "" for none.
type money struct {
	amount ledger.Paise
	set    bool
}

func (m *money) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*m = money{}
		return nil
	}
	p, err := validate.ParseAmount(string(b))
	if err != nil {
		return err
	}
	*m = money{p, true}
	return nil
}

type atLeastOne int64

func (n *atLeastOne) UnmarshalTOML(v any) error {
	i, ok := v.(int64)
	if !ok || i < 1 {
		return errors.New("want a whole number from 1")
	}
	*n = atLeastOne(i)
	return nil
}

type zeroOrMore int64

func (n *zeroOrMore) UnmarshalTOML(v any) error {
	i, ok := v.(int64)
	if !ok || i < 0 {
		return errors.New("want a whole number, or 0 for no limit")
	}
	*n = zeroOrMore(i)
	return nil
}
