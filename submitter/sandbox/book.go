package sandbox

import (
	"crypto/rand"
	mathrand "math/rand/v2"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// book is what the bank must still know after a restart.
type book struct {
	Schema        string            `json:"schema"`
	Seed          int64             `json:"seed"`
	AccessKey     string            `json:"access_key"`
	SecretKey     string            `json:"secret_key"`
	SubMerchants  []*subMerchant    `json:"sub_merchants"`
	Accounts      []*account        `json:"accounts"`
	Beneficiaries []*beneficiary    `json:"beneficiaries"`
	Batches       []*batch          `json:"batches"` // in the order they were initiated
	Outcomes      map[string]string `json:"outcomes"`
	Webhooks      []*Webhook        `json:"webhooks"`
	Requests      []*statementAsked `json:"requests,omitempty"` // statements of partner bank 8 that were promised
	Linked        []string          `json:"linked,omitempty"`   // accounts whose linking was completed and not announced
}

// subMerchant is who the accounts belong to.
type subMerchant struct {
	ID        string `json:"id"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
	Username  string `json:"username"`
}

// The two states of an account (interface.md, "Bank account").
const (
	accountActive  = "active"
	accountExpired = "token_expired"
)

// account is a debit account.
type account struct {
	ID            string             `json:"id"`
	SubMerchantID string             `json:"sub_merchant_id"`
	PartnerBankID int                `json:"partner_bank_id"`
	Kind          ledger.AccountKind `json:"kind"`
	Status        string             `json:"status"`
	Number        string             `json:"number"`
	IFSC          string             `json:"ifsc"`
	Holder        string             `json:"holder"`
	Identifier    string             `json:"identifier"`
	Opening       ledger.Paise       `json:"opening"`
	Balance       ledger.Paise       `json:"balance"`
	Reserved      ledger.Paise       `json:"reserved"` // submitted, and not debited yet
	Entries       []entry            `json:"entries"`
	Linking       *linking           `json:"linking,omitempty"` // until it is complete
}

// The two kinds of entry, as a statement spells them.
const (
	entryDebit  = "debit"
	entryCredit = "credit"
)

// entry is one movement on an account, in the order it happened.
type entry struct {
	At      time.Time    `json:"at"`
	Kind    string       `json:"kind"`
	Amount  ledger.Paise `json:"amount"`
	Closing ledger.Paise `json:"closing"`
	Ref     string       `json:"ref"` // merchant_txn_ref_id
	UTR     string       `json:"utr"`
}

// beneficiary is a payee that RIB payouts name by its id.
type beneficiary struct {
	ID            string `json:"id"`
	BankID        string `json:"bank_id"`
	SubMerchantID string `json:"sub_merchant_id"`
	AccountID     string `json:"account_id"` // the debit account it belongs to
	Name          string `json:"name"`
	Number        string `json:"number"`
	IFSC          string `json:"ifsc"`
	Status        string `json:"status"`
	Moves         bool   `json:"moves,omitempty"` // settling takes it on to active
}

// batch is one accepted initiate.
type batch struct {
	ID                string       `json:"id"`
	OpenID            string       `json:"open_id"`
	AccountID         string       `json:"account_id"`
	TransactionTypeID string       `json:"transaction_type_id"`
	Total             ledger.Paise `json:"total"`
	OTP               string       `json:"otp"`
	Token             string       `json:"token"` // "" where the partner bank sends none
	WrongOTPs         int          `json:"wrong_otps"`
	Submits           int          `json:"submits"` // accepted ones
	BeneLEI           string       `json:"bene_lei"`
	Announced         bool         `json:"announced"` // its webhook was sent
	Payouts           []*payout    `json:"payouts"`   // as sent
}

// payout is one element of a batch.
type payout struct {
	Ref           string       `json:"ref"`
	OpenTxnID     string       `json:"open_txn_id"`
	BeneficiaryID string       `json:"beneficiary_id"`
	Name          string       `json:"name"`
	Number        string       `json:"number"`
	IFSC          string       `json:"ifsc"`
	Remarks       string       `json:"remarks"`
	Amount        ledger.Paise `json:"amount"`
	Status        string       `json:"status"`
	Code          string       `json:"code"`
	UTR           string       `json:"utr"`
	Step          int          `json:"step"`     // settlements since it was submitted
	Due           int          `json:"due"`      // executions accepted, and not made yet
	Executed      int          `json:"executed"` // executions made: times it was debited
	Returned      int          `json:"returned"` // executions that came back: times it was credited
}

// bank is the book with the indexes to find things in it. Its methods are called
// with Server.mu held.
type bank struct {
	book
	dice    dice
	reading Reading
	fields  bankapi.RequestFields
	demo    bool
	now     func() time.Time
	address string // HOST:PORT of the interface, for what a browser is sent to
	sms     []SMS  // to be delivered

	accounts map[string]*account
	batches  map[string]*batch
	byRef    map[string]*batch // by merchant_txn_ref_id
	byTxn    map[string]*batch // by open_txn_id
}

// openBank reads the book of an earlier run, or opens a new one.
func openBank(o Options) (*bank, error) {
	fields, err := bankapi.Config{AmountField: o.AmountField, DebitAccountField: o.DebitAccountField}.RequestFields()
	if err != nil {
		return nil, err
	}
	k, found, err := readBook(o.StateFile)
	if err != nil {
		return nil, err
	}
	if !found {
		k = newBook(o.Seed)
	}
	if o.Seed != 0 {
		k.Seed = o.Seed // reads differently from now on; keys and ids stay
	}
	b := &bank{
		book:     k,
		dice:     dice{k.Seed},
		reading:  ReadingFor(k.Seed, o.Trouble),
		fields:   fields,
		demo:     o.Demo,
		now:      o.Now,
		accounts: map[string]*account{},
		batches:  map[string]*batch{},
		byRef:    map[string]*batch{},
		byTxn:    map[string]*batch{},
	}
	if o.Reading != nil {
		b.reading = *o.Reading
	}
	for _, a := range b.Accounts {
		b.accounts[a.ID] = a
	}
	for _, t := range b.Batches {
		b.index(t)
	}
	if !found {
		err = b.save(o.StateFile)
	}
	return b, err
}

func newBook(seed int64) book {
	k := book{Schema: bookSchema, Seed: seed, Outcomes: map[string]string{}, Webhooks: []*Webhook{}}
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

func (b *bank) index(t *batch) {
	b.batches[t.ID] = t
	for _, p := range t.Payouts {
		b.byRef[p.Ref] = t
		b.byTxn[p.OpenTxnID] = t
	}
}

// ordered returns the payouts of a batch in the order an answer gives them.
func (b *bank) ordered(t *batch, answer string) []*payout {
	payouts := slices.Clone(t.Payouts)
	switch b.reading.Order {
	case "reversed":
		slices.Reverse(payouts)
	case "mixed":
		rank := make(map[*payout]string, len(payouts))
		for _, p := range payouts {
			rank[p] = b.dice.text(16, "order", answer, p.Ref)
		}
		slices.SortFunc(payouts, func(p, q *payout) int {
			if rank[p] < rank[q] {
				return -1
			}
			return 1
		})
	}
	return payouts
}

// debit takes the payout's amount from the account.
func (b *bank) debit(a *account, p *payout) {
	a.Reserved -= p.Amount
	a.Balance -= p.Amount
	b.enter(a, p, entryDebit)
}

// credit gives it back.
func (b *bank) credit(a *account, p *payout) {
	a.Balance += p.Amount
	b.enter(a, p, entryCredit)
}

func (b *bank) enter(a *account, p *payout, kind string) {
	a.Entries = append(a.Entries, entry{
		At: b.now().UTC(), Kind: kind, Amount: p.Amount, Closing: a.Balance, Ref: p.Ref, UTR: p.UTR,
	})
}

func (a *account) available() ledger.Paise { return a.Balance - a.Reserved }

func (a *account) rules() ledger.Rules { return ledger.RulesFor(a.PartnerBankID, a.Kind) }
