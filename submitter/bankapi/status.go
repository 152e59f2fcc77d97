package bankapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"payrun/ledger"
)

// spareStatusPages is how many pages a status may have beyond one for each payout: the bank may make pages as
// short as it likes, and may close the list with an empty one.
const spareStatusPages = 2

// ReadStatus reads every page of a batch (interface.md, "Get transfer status"), each with the caller's
// patience. An error, always a *ledger.CallError, means that the first page was not read. If the read broke off
// later, or its pages contradict each other, Complete is false, Why says why, and the pages read until then are
// returned.
func (c *Client) ReadStatus(ctx context.Context, batchID string, expect int, p ledger.Patience) (ledger.StatusRead, error) {
	read := statusReader{batchID: batchID, at: map[string]int{}}
	query := url.Values{"merchant_transfer_batch_id": {batchID}}
	err := eachPage(ctx, c, list{op: opStatus, path: PathTransfer, query: query, patience: p, most: expect + spareStatusPages}, read.take)
	switch {
	case err == nil:
		read.Complete = true
	case read.Pages == 0:
		return ledger.StatusRead{}, err
	default:
		read.Why = fmt.Sprintf("page %d: %v", read.Pages, err)
	}
	return read.StatusRead, nil
}

// statusReader joins the pages of one status.
type statusReader struct {
	ledger.StatusRead
	batchID string
	at      map[string]int // the place in Payouts of each reference
}

// take adds a page. It leaves out the payouts of a page about something else: nothing follows from them. Of a
// reference that comes twice, the payout that is nearest to paid counts.
func (s *statusReader) take(batch TransferBatch, meta Meta) error {
	page := answer(batch)
	s.Pages++
	s.Unread |= page.Unread
	if s.Pages == 1 {
		s.BatchID, s.OpenBatchID = page.BatchID, page.OpenBatchID
		s.SubMerchantID, s.BankAccountID = page.SubMerchantID, page.BankAccountID
	}
	switch {
	case page.BatchID != s.batchID:
		return fmt.Errorf("the answer is about batch %q", clip(page.BatchID))
	case page.BankAccountID != s.BankAccountID || page.SubMerchantID != s.SubMerchantID:
		return errors.New("the pages name different accounts")
	case s.DebitAccountNumber == "":
		s.DebitAccountNumber = page.DebitAccountNumber // any page may leave it out
	case page.DebitAccountNumber != "" && page.DebitAccountNumber != s.DebitAccountNumber:
		return errors.New("the pages name different account numbers")
	}
	var twice error
	for _, p := range page.Payouts {
		i, again := s.at[p.WireRef]
		if !again {
			s.at[p.WireRef] = len(s.Payouts)
			s.Payouts = append(s.Payouts, p)
			continue
		}
		twice = fmt.Errorf("reference %q came twice", clip(p.WireRef))
		if nearness(p) > nearness(s.Payouts[i]) {
			s.Payouts[i] = p
		}
	}
	s.BankTime = meta.bankTime()
	return twice
}

// nearness orders what a status shows of one payout by how near to paid it is.
func nearness(o ledger.Observation) int {
	switch {
	case o.Status == ledger.StatusFailed, o.BankStatusCode == ledger.CodeReturned:
		return 0
	case o.Status == ledger.StatusSuccess:
		return 3
	case o.Moving():
		return 2
	}
	return 1
}

// answer converts a batch to the ledger's types.
func answer(b TransferBatch) ledger.Answer {
	a := ledger.Answer{
		BatchID: b.BatchID, OpenBatchID: b.OpenBatchID,
		SubMerchantID: b.SubMerchantID, BankAccountID: b.BankAccountID,
	}
	for name := range b.Unread {
		a.Unread |= fieldOf[name]
	}
	if number, ok := digits(b.DebitAccountNumber); ok {
		a.DebitAccountNumber = number
	} else {
		a.Unread |= ledger.FieldDebitNumber
	}
	a.Payouts = ledger.ListOf(b.Payouts, observation)
	return a
}

// fieldOf lists the fields that are tagged wire:"compared".
var fieldOf = map[string]ledger.Fields{
	"merchant_transfer_batch_id": ledger.FieldBatchID, "bank_account_id": ledger.FieldDebitAccount, "sub_merchant_id": ledger.FieldSubMerchant,
	"merchant_txn_ref_id": ledger.FieldRef, "open_beneficiary_id": ledger.FieldBeneficiaryID, "bank_account_number": ledger.FieldAccount,
	"ifsc": ledger.FieldIFSC, "open_txn_id": ledger.FieldTxnID, "status": ledger.FieldStatus, "bank_status_code": ledger.FieldStatus,
}

// digits reads an account number: a string, or a JSON number if it is whole.
func digits(v any) (number string, ok bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number:
		return v.String(), !strings.ContainsAny(v.String(), "-.eE")
	}
	return "", false
}

// observation keeps the bank's raw values. It marks values that cannot be read in Unread and puts their text
// into Error, so that a person can see them.
func observation(p Payout) ledger.Observation {
	o := ledger.Observation{
		WireRef: p.WireRef, OpenBeneficiaryID: p.OpenBeneficiaryID, VendorName: p.VendorName,
		BankAccountNumber: p.BankAccountNumber, IFSC: p.IFSC, Remarks: p.Remarks,
		OpenTxnID: p.OpenTxnID, BankTxnRefID: p.BankTxnRefID,
		Status: p.Status, BankStatusCode: p.BankStatusCode, Error: raw(p.Error),
	}
	amount, err := amountOf(p.Amount)
	switch {
	case err != nil:
		unread(&o, ledger.FieldAmount, "amount", p.Amount)
	case amount != nil:
		o.Amount, o.HasAmount = *amount, true
	}
	for _, name := range slices.Sorted(maps.Keys(p.Unread)) {
		unread(&o, fieldOf[name], name, p.Unread[name])
	}
	if v := p.Unread["merchant_txn_ref_id"]; v != nil {
		o.WireRef = clip(raw(v))
	}
	if v := p.Unread["status"]; v != nil { // the interface lists no such status
		o.Status = clip(raw(v))
	}
	return o
}

func unread(o *ledger.Observation, field ledger.Fields, name string, value any) {
	o.Unread |= field
	if o.Error != "" {
		o.Error += "; "
	}
	words := clip(raw(value))
	if field == ledger.FieldAccount {
		words = ledger.Mask(words)
	}
	o.Error += name + " that cannot be read: " + words
}

// amountOf reads an amount: a string with two fraction digits, or a number with at most two and no exponent. It
// returns nil if there is none.
func amountOf(v any) (*ledger.Paise, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if v == "" {
			return nil, nil
		}
		amount, err := ledger.ParsePaise(v)
		return &amount, err
	case json.Number:
		amount, err := decimal(v.String())
		if err == nil && strings.HasPrefix(v.String(), "-") {
			err = errors.New("an amount is never negative")
		}
		return &amount, err
	}
	return nil, fmt.Errorf("%s is no amount", clip(raw(v)))
}

// balanceOf reads an account's balance, which may be negative. It is a decimal, as a string or a number; the
// interface does not promise it two fraction digits.
func balanceOf(v any) (ledger.Paise, error) {
	switch v := v.(type) {
	case string:
		return decimal(v)
	case json.Number:
		return decimal(v.String())
	}
	return 0, fmt.Errorf("%s is no amount", clip(raw(v)))
}

// decimal reads digits, with at most two after a point.
func decimal(s string) (ledger.Paise, error) {
	whole, fraction, dotted := strings.Cut(s, ".")
	if len(fraction) > 2 || dotted && fraction == "" {
		return 0, fmt.Errorf("%q: want digits, and at most two behind the point", clip(s))
	}
	var p ledger.Paise
	err := p.UnmarshalText([]byte(whole + "." + (fraction + "00")[:2]))
	return p, err
}

// raw returns a value of unknown shape as JSON, and "" for null.
func raw(v any) string {
	if v == nil {
		return ""
	}
	var buf strings.Builder
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // it was decoded from JSON, or is text
	return strings.TrimSuffix(buf.String(), "\n")
}
