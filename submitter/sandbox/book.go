package sandbox

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/ledger/durable"
	"payrun/submitter/bankapi"
)

// book is what the bank keeps across restarts.
type book struct {
	Schema        string                 `json:"schema"`
	Seed          int64                  `json:"seed"`
	AccessKey     string                 `json:"access_key"`
	SecretKey     string                 `json:"secret_key"`
	SubMerchants  []*bankapi.SubMerchant `json:"sub_merchants"`
	Accounts      []*Account             `json:"accounts"`
	Beneficiaries []*beneficiary         `json:"beneficiaries"`
	Batches       []*Batch               `json:"batches"` // in the order they were initiated
	Outcomes      map[string]string      `json:"outcomes"`
	Webhooks      []*Webhook             `json:"webhooks"`
	Requests      []*statementAsked      `json:"requests,omitempty"` // promised statements of partner bank 8
}

// accountExpired is the status of an account that is not ledger.AccountActive (interface.md, "Bank account").
const accountExpired = "token_expired"

// Account is a debit account. Balance = Opening − Debits + Credits. State leaves out Entries and Linking. Only
// State fills Debits and Credits: the sums of Entries.
type Account struct {
	ledger.LinkedAccount
	SubMerchantID string             `json:"sub_merchant_id"`
	Kind          ledger.AccountKind `json:"kind"`
	Opening       ledger.Paise       `json:"opening"`
	Balance       ledger.Paise       `json:"balance"`
	Reserved      ledger.Paise       `json:"reserved"` // submitted and not debited yet
	Debits        ledger.Tally       `json:"debits"`
	Credits       ledger.Tally       `json:"credits"`
	Entries       []entry            `json:"entries,omitempty"`
	Linking       *linking           `json:"linking,omitempty"` // until it is complete
}

// entry is one movement on an account, in order of time.
type entry struct {
	At      time.Time    `json:"at"`
	Kind    string       `json:"kind"` // bankapi.EntryDebit or EntryCredit
	Amount  ledger.Paise `json:"amount"`
	Closing ledger.Paise `json:"closing"`
	Ref     string       `json:"ref"` // merchant_txn_ref_id
	UTR     string       `json:"utr"`
}

// beneficiary is a payee that RIB payouts name by id.
type beneficiary struct {
	ledger.Beneficiary
	SubMerchantID string `json:"sub_merchant_id"`
	Moves         bool   `json:"moves,omitempty"` // settling moves it on to active
}

// Batch is one accepted initiate. State leaves out OTP and Token.
type Batch struct {
	BatchID           string       `json:"merchant_transfer_batch_id"`
	OpenBatchID       string       `json:"open_batch_id"`
	BankAccountID     string       `json:"bank_account_id"`
	TransactionTypeID string       `json:"transaction_type_id"`
	Total             ledger.Paise `json:"total"`
	OTP               string       `json:"otp,omitempty"`
	Token             string       `json:"transaction_token,omitempty"` // "" if the partner bank sends none
	Submits           int          `json:"submits"`                     // accepted ones
	WrongOTPs         int          `json:"wrong_otps"`
	BeneLEI           string       `json:"bene_lei"`
	Announced         bool         `json:"announced"` // its webhook was sent
	Payouts           []*Payout    `json:"payouts"`   // as sent
}

// Payout is one element of a batch: what was sent, and its progress. Only State fills Paid.
type Payout struct {
	bankapi.Payout
	Amount   ledger.Paise `json:"amount"`
	Step     int          `json:"step"`     // settlements since it was submitted
	Due      int          `json:"due"`      // executions accepted and not yet made
	Executed int          `json:"executed"` // executions made: times it was debited
	Returned int          `json:"returned"` // executions that came back: times it was credited
	Paid     ledger.Paise `json:"paid"`     // amount × (executed − returned)
}

// bank is the book with indexes. Its methods are called with Server.mu held.
type bank struct {
	book
	options Options
	dice    dice
	reading Reading
	address string // HOST:PORT of the interface, for URLs that a browser opens

	batches map[string]*Batch
	byRef   map[string]*Batch // by merchant_txn_ref_id
	byTxn   map[string]*Batch // by open_txn_id
}

// openBank reads the book of an earlier run, or opens a new one.
func openBank(o Options) (*bank, error) {
	k, err := readBook(o.StateFile)
	if err != nil {
		return nil, err
	}
	opened := k != nil
	if !opened {
		k = newBook(o.Seed)
	}
	if o.Seed != 0 {
		k.Seed = o.Seed // the readings change from now on; keys and ids stay
	}
	b := &bank{
		book:    *k,
		options: o,
		dice:    dice{k.Seed},
		reading: ReadingFor(k.Seed, o.Trouble),
		batches: map[string]*Batch{},
		byRef:   map[string]*Batch{},
		byTxn:   map[string]*Batch{},
	}
	if o.Reading != nil {
		b.reading = *o.Reading
	}
	for _, t := range b.Batches {
		b.index(t)
	}
	if opened { // the file may belong to another sandbox that still runs
		return b, nil
	}
	return b, b.save()
}

func newBook(seed int64) *book {
	k := &book{Schema: bookSchema, Seed: seed, Outcomes: map[string]string{}, Webhooks: []*Webhook{}}
	if seed == 0 {
		k.Seed = 1<<48 + mathrand.Int64N(1<<48) // any JSON reader holds it exactly, in any number type
		k.AccessKey, k.SecretKey = "ak_"+rand.Text(), "sk_"+rand.Text()
	} else {
		d := dice{seed}
		k.AccessKey, k.SecretKey = "ak_"+d.text(26, "access key"), "sk_"+d.text(26, "secret key")
	}
	k.SubMerchants, k.Accounts, k.Beneficiaries = openingSubMerchants(), openingAccounts(), openingBeneficiaries()
	return k
}

func (b *bank) index(t *Batch) {
	b.batches[t.BatchID] = t
	for _, p := range t.Payouts {
		b.byRef[p.WireRef] = t
		b.byTxn[p.OpenTxnID] = t
	}
}

// ordered returns the payouts of a batch in the order of an answer.
func (b *bank) ordered(t *Batch, answer string) []*Payout {
	payouts := slices.Clone(t.Payouts)
	switch b.reading.Order {
	case "reversed":
		slices.Reverse(payouts)
	case "mixed":
		rank := make(map[*Payout]string, len(payouts))
		for _, p := range payouts {
			rank[p] = b.dice.text(16, "order", answer, p.WireRef)
		}
		slices.SortFunc(payouts, func(p, q *Payout) int { return strings.Compare(rank[p], rank[q]) })
	}
	return payouts
}

func (b *bank) account(id string) *Account {
	a, _ := ledger.First(b.Accounts, func(a *Account) bool { return a.BankAccountID == id })
	return a
}

// enter books a payout's debit, or the credit that returns it. The balance already includes it.
func (b *bank) enter(a *Account, p *Payout, kind string) {
	a.Entries = append(a.Entries, entry{
		At: b.options.Now().UTC(), Kind: kind, Amount: p.Amount, Closing: a.Balance, Ref: p.WireRef, UTR: p.BankTxnRefID,
	})
}

func (a *Account) available() ledger.Paise { return a.Balance - a.Reserved }

func (a *Account) rules() ledger.Rules { return ledger.RulesFor(a.PartnerBankID, a.Kind) }

// bookSchema names the format of the state file.
const bookSchema = "payrun.sandbox.book/v2"

// readBook reads the state file of an earlier run, or returns nil if there is none. A file that cannot be read
// is an error: a bank that forgets what it paid is useless for a rehearsal.
func readBook(path string) (*book, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("state file: %w", err)
	}
	var k book
	if err := json.Unmarshal(raw, &k); err != nil {
		return nil, fmt.Errorf("state file %s: %w", path, err)
	}
	if k.Schema != bookSchema {
		return nil, fmt.Errorf("state file %s: schema %q, want %q", path, k.Schema, bookSchema)
	}
	return &k, nil
}

// save replaces the whole state file at once: a reader sees the old one or the new one. It holds OTPs and keys,
// so only its owner may read it.
func (b *bank) save() (err error) {
	path := b.options.StateFile
	if path == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("state file: %w", err)
		}
	}()
	raw, err := json.Marshal(b.book)
	if err != nil {
		return err
	}
	return durable.Replace(path, durable.From(bytes.NewReader(raw)))
}
