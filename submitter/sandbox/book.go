package sandbox

import (
	"crypto/rand"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// book is what the bank must still know after a restart.
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
	Requests      []*statementAsked      `json:"requests,omitempty"` // statements of partner bank 8 that were promised
}

// accountExpired is the state of an account that is not ledger.AccountActive (interface.md, "Bank account").
const accountExpired = "token_expired"

// Account is a debit account. Balance = Opening − Debits + Credits. State has neither Entries nor Linking, and
// only State has Debits and Credits: they are the sums of Entries.
type Account struct {
	ledger.LinkedAccount
	SubMerchantID string             `json:"sub_merchant_id"`
	Kind          ledger.AccountKind `json:"kind"`
	Opening       ledger.Paise       `json:"opening"`
	Balance       ledger.Paise       `json:"balance"`
	Reserved      ledger.Paise       `json:"reserved"` // submitted, and not debited yet
	Debits        ledger.Tally       `json:"debits"`
	Credits       ledger.Tally       `json:"credits"`
	Entries       []entry            `json:"entries,omitempty"`
	Linking       *linking           `json:"linking,omitempty"` // until it is complete
}

// entry is one movement on an account, in the order it happened.
type entry struct {
	At      time.Time    `json:"at"`
	Kind    string       `json:"kind"` // bankapi.EntryDebit or EntryCredit
	Amount  ledger.Paise `json:"amount"`
	Closing ledger.Paise `json:"closing"`
	Ref     string       `json:"ref"` // merchant_txn_ref_id
	UTR     string       `json:"utr"`
}

// beneficiary is a payee that RIB payouts name by its id.
type beneficiary struct {
	ledger.Beneficiary
	SubMerchantID string `json:"sub_merchant_id"`
	Moves         bool   `json:"moves,omitempty"` // settling takes it on to active
}

// Batch is one accepted initiate. State has neither OTP nor Token.
type Batch struct {
	BatchID           string       `json:"merchant_transfer_batch_id"`
	OpenBatchID       string       `json:"open_batch_id"`
	BankAccountID     string       `json:"bank_account_id"`
	TransactionTypeID string       `json:"transaction_type_id"`
	Total             ledger.Paise `json:"total"`
	OTP               string       `json:"otp,omitempty"`
	Token             string       `json:"transaction_token,omitempty"` // "" where the partner bank sends none
	Submits           int          `json:"submits"`                     // accepted ones
	WrongOTPs         int          `json:"wrong_otps"`
	BeneLEI           string       `json:"bene_lei"`
	Announced         bool         `json:"announced"` // its webhook was sent
	Payouts           []*Payout    `json:"payouts"`   // as sent
}

// Payout is one element of a batch: as it was sent, and what became of it. Only State has Paid.
type Payout struct {
	bankapi.Payout
	Amount   ledger.Paise `json:"amount"`
	Step     int          `json:"step"`     // settlements since it was submitted
	Due      int          `json:"due"`      // executions accepted, and not made yet
	Executed int          `json:"executed"` // executions made: times it was debited
	Returned int          `json:"returned"` // executions that came back: times it was credited
	Paid     ledger.Paise `json:"paid"`     // amount × (executed − returned)
}

// bank is the book with the indexes to find things in it. Its methods are called
// with Server.mu held.
type bank struct {
	book
	options Options
	dice    dice
	reading Reading
	address string // HOST:PORT of the interface, for what a browser is sent to

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
		k.Seed = o.Seed // reads differently from now on; keys and ids stay
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
	if opened { // it may be that of another sandbox, which has not ended
		return b, nil
	}
	return b, b.save()
}

func newBook(seed int64) *book {
	k := &book{Schema: bookSchema, Seed: seed, Outcomes: map[string]string{}, Webhooks: []*Webhook{}}
	if seed == 0 {
		k.Seed = 1<<48 + mathrand.Int64N(1<<48) // which a JSON reader of the ready line holds exactly, whatever its number type
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

// ordered returns the payouts of a batch in the order an answer gives them.
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
	return first(b.Accounts, func(a *Account) bool { return a.BankAccountID == id })
}

// first finds an element of a list; nil where there is none.
func first[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// enter books a payout's debit, or the credit that gives it back, which changed the balance.
func (b *bank) enter(a *Account, p *Payout, kind string) {
	a.Entries = append(a.Entries, entry{
		At: b.options.Now().UTC(), Kind: kind, Amount: p.Amount, Closing: a.Balance, Ref: p.WireRef, UTR: p.BankTxnRefID,
	})
}

func (a *Account) available() ledger.Paise { return a.Balance - a.Reserved }

func (a *Account) rules() ledger.Rules { return ledger.RulesFor(a.PartnerBankID, a.Kind) }
