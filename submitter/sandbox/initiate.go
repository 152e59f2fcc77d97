package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// initiateRequest is the body of Initiate transfer. The interface does not show the selector of the debit
// account; bank_account_id is its name in the answers.
type initiateRequest struct {
	BatchID           string           `json:"merchant_transfer_batch_id"`
	BankAccountID     string           `json:"bank_account_id"`
	SubMerchantID     string           `json:"sub_merchant_id"`
	TransactionTypeID any              `json:"transaction_type_id"`
	Payouts           []bankapi.Payout `json:"payout_data"`
}

// initiateTransfer answers "Initiate transfer". It accepts the whole batch or nothing, and sends an OTP. No
// money moves.
func (b *bank) initiateTransfer(r request) *answer {
	refusing := func(rule string, err error) *answer { return b.refuse(r, rule, "%s", err) }
	var in initiateRequest
	err := read(r.body, &in, map[string]*string{"merchant_transfer_batch_id": &in.BatchID, "bank_account_id": &in.BankAccountID})
	if err != nil {
		return refusing("fields", err)
	}
	t := &Batch{BatchID: in.BatchID, BankAccountID: in.BankAccountID}
	if t.TransactionTypeID, err = transactionType(in.TransactionTypeID); err != nil {
		return refusing("fields", err)
	}
	a, err := b.debitAccount(in)
	if err != nil {
		return refusing("debit account", err)
	}
	if len(in.Payouts) == 0 {
		return refusing("payout_data", errors.New("payout_data needs one payout or more"))
	}
	if len(in.Payouts) > 1 && !a.rules().Bulk { // interface.md, "Initiate transfer", rule 1
		return refusing("bulk", fmt.Errorf("partner bank %d takes one payout a batch, not %d", a.PartnerBankID, len(in.Payouts)))
	}
	refs := make(map[string]bool, len(in.Payouts))
	for i, sent := range in.Payouts {
		p, err := b.readPayout(sent, a)
		if err != nil {
			return refusing("payout", fmt.Errorf("payout_data[%d]: %w", i, err))
		}
		if refs[p.WireRef] {
			return refusing("unique", fmt.Errorf("merchant_txn_ref_id %q is there twice", p.WireRef))
		}
		refs[p.WireRef] = true
		total, fits := t.Total.Plus(p.Amount)
		if !fits {
			return refusing("total", errors.New("the batch total is out of range"))
		}
		t.Total, t.Payouts = total, append(t.Payouts, p)
	}
	if as, again := b.batches[t.BatchID]; again && b.reading.EchoesRepeats && as.equals(t) {
		return answered(b.transferAnswer(as, "initiate", b.ordered(as, "initiate")), nil)
	}
	if err := b.unused(t); err != nil {
		used := refusing("unique", err)
		used.status = b.reading.UsedStatus
		return used
	}
	b.hold(t, a)
	return answered(b.transferAnswer(t, "initiate", b.ordered(t, "initiate")), nil)
}

// transactionType reads an identifier whose type and values the interface does not show: a string or a whole
// number.
func transactionType(sent any) (string, error) {
	id := fmt.Sprint(sent)
	if _, number := sent.(json.Number); number {
		_, err := strconv.ParseInt(id, 10, 64)
		return id, err
	}
	if text, _ := sent.(string); text == "" {
		return "", errors.New("transaction_type_id is required, as a string or a whole number")
	}
	return id, nil
}

// debitAccount finds the account. It must be able to pay. If the request names a sub-merchant, the account must
// belong to it.
func (b *bank) debitAccount(in initiateRequest) (*Account, error) {
	a := b.account(in.BankAccountID)
	switch {
	case a == nil:
		return nil, errors.New("bank_account_id is not one of the merchant's accounts")
	case in.SubMerchantID != "" && in.SubMerchantID != a.SubMerchantID:
		return nil, errors.New("the debit account belongs to another sub-merchant")
	case a.Status != ledger.AccountActive:
		return nil, fmt.Errorf("the debit account is %s", a.Status)
	}
	return a, nil
}

// readPayout reads one element. A RIB account needs the beneficiary's id; every other needs name, account and
// IFSC (interface.md, "Initiate transfer").
func (b *bank) readPayout(sent bankapi.Payout, a *Account) (*Payout, error) {
	for name := range sent.Unread {
		return nil, fmt.Errorf("%s must be a string", name)
	}
	p := &Payout{Payout: bankapi.Payout{
		WireRef: sent.WireRef, Remarks: sent.Remarks, Status: ledger.StatusRequestInitiated,
		VendorName: sent.VendorName, BankAccountNumber: sent.BankAccountNumber, IFSC: sent.IFSC,
	}}
	required := map[string]*string{"merchant_txn_ref_id": &p.WireRef}
	if a.rules().NeedsBeneficiaryID { // on other accounts an id is ignored
		p.OpenBeneficiaryID = sent.OpenBeneficiaryID
		required["open_beneficiary_id"] = &p.OpenBeneficiaryID
	} else {
		required["vendor_name"], required["bank_account_number"], required["ifsc"] = &p.VendorName, &p.BankAccountNumber, &p.IFSC
	}
	if err := filled(required); err != nil {
		return nil, err
	}
	amount, isString := sent.Amount.(string)
	if !isString {
		return nil, errors.New("amount must be a string")
	}
	var err error
	if p.Amount, err = readAmount(amount); err == nil && a.rules().NeedsBeneficiaryID {
		err = b.usable(p.OpenBeneficiaryID, a)
	}
	return p, err
}

// usable returns an error unless the beneficiary is active and belongs to the debit account.
func (b *bank) usable(id string, a *Account) error {
	n := b.beneficiary(id)
	switch {
	case n == nil || n.BankAccountID != a.BankAccountID:
		return errors.New("open_beneficiary_id is not a beneficiary of the debit account")
	case n.Status != ledger.BeneficiaryActive:
		return fmt.Errorf("the beneficiary is %s", n.Status)
	}
	return nil
}

func (b *bank) beneficiary(id string) *beneficiary {
	n, _ := ledger.First(b.Beneficiaries, func(n *beneficiary) bool { return n.OpenBeneficiaryID == id })
	return n
}

// readAmount accepts only the interface's form: a decimal with two fraction digits, above zero.
func readAmount(s string) (ledger.Paise, error) {
	p, err := ledger.ParsePaise(s)
	switch {
	case err != nil:
		return 0, err
	case p == 0:
		return 0, errors.New("an amount must be above zero")
	case p.String() != s:
		return 0, fmt.Errorf("amount %q: want no leading zeros", s)
	}
	return p, nil
}

// unused returns an error if the batch id or a reference was ever initiated before (rule 2).
func (b *bank) unused(t *Batch) error {
	if _, used := b.batches[t.BatchID]; used {
		return fmt.Errorf("merchant_transfer_batch_id %q was used before", t.BatchID)
	}
	for _, p := range t.Payouts {
		if _, used := b.byRef[p.WireRef]; used {
			return fmt.Errorf("merchant_txn_ref_id %q was used before", p.WireRef)
		}
	}
	return nil
}

// equals reports whether another initiate asks for exactly the same as this one.
func (t *Batch) equals(other *Batch) bool {
	return t.BankAccountID == other.BankAccountID && slices.EqualFunc(t.Payouts, other.Payouts, func(p, q *Payout) bool {
		return p.WireRef == q.WireRef && p.Amount == q.Amount && p.OpenBeneficiaryID == q.OpenBeneficiaryID && p.BankAccountNumber == q.BankAccountNumber && p.IFSC == q.IFSC && p.VendorName == q.VendorName
	})
}

// hold records the batch and "sends" its OTP, and its token if the partner bank has one.
func (b *bank) hold(t *Batch, a *Account) {
	t.OpenBatchID = b.dice.uuid("open_batch_id", t.BatchID)
	t.OTP = b.dice.digits(6, "otp", t.BatchID)
	if a.rules().NeedsToken {
		t.Token = b.dice.text(16, "transaction_token", t.BatchID)
	}
	for _, p := range t.Payouts {
		p.OpenTxnID = b.dice.uuid("open_txn_id", t.BatchID, p.WireRef)
	}
	b.Batches = append(b.Batches, t)
	b.index(t)
	b.send(a.SubMerchantID, SMS{OTP: t.OTP, Token: t.Token, Payouts: ledger.Tally{Count: len(t.Payouts), Total: t.Total}})
}
