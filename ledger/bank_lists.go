package ledger

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The bank's lists that a ledger keeps.
const (
	ListOfAccounts      = "accounts"
	ListOfBeneficiaries = "beneficiaries"
)

// BankListing is one complete answer of the bank to a request for a list. A listing that broke
// off is not kept, because its missing entries may exist.
type BankListing struct {
	List          string // one of ListOf…
	SubMerchantID string // whose list; "" for all sub-merchants
	BankAccountID string // of which debit account; "" for all
	Whole         bool   // the request had no other filter: an entry that is not listed does not exist
	At            time.Time
	Actor         string

	Accounts      []LinkedAccount
	Beneficiaries []Beneficiary
}

// BankLists is what the bank listed at the last request for each list, with the times. A ledger
// without a listing has the zero value.
type BankLists struct {
	Lists         []ListedWhole       `json:"lists"`
	Accounts      []ListedAccount     `json:"accounts"`
	Beneficiaries []ListedBeneficiary `json:"beneficiaries"`
}

// ListedWhole names a list that was read completely, with the time.
type ListedWhole struct {
	List          string    `json:"list"` // accounts or beneficiaries
	SubMerchantID string    `json:"sub_merchant_id"`
	BankAccountID string    `json:"bank_account_id"`
	At            time.Time `json:"at"`
}

// ListedAccount is an account as it was last listed.
type ListedAccount struct {
	LinkedAccount           // without its RedirectURL
	At            time.Time `json:"at"`
}

// ListedBeneficiary is a beneficiary as it was last listed.
type ListedBeneficiary struct {
	SubMerchantID string `json:"sub_merchant_id"` // whose list it was in
	Beneficiary
	At time.Time `json:"at"`
}

// Event returns the audit event of a listing. after is the digest of the lists that the ledger
// keeps after it.
func (b *BankListing) Event(after Digest) Event {
	n := listingNote{b.List, b.SubMerchantID, b.BankAccountID, !b.Whole, len(b.Accounts) + len(b.Beneficiaries)}
	return Event{At: b.At, Actor: b.Actor, Kind: EventBankListed, Digest: after.String(), Detail: jsonText(n)}
}

// With returns the lists after a listing. If the listing was whole, entries that it does not
// show are dropped. Numbers of debit accounts are masked. Ids are compared, so they are kept
// in lower case.
func (l BankLists) With(b BankListing) BankLists {
	at := b.At.UTC().Truncate(time.Microsecond)
	sub, account := b.SubMerchantID, strings.ToLower(b.BankAccountID)
	if b.Whole {
		l.Lists = slices.DeleteFunc(slices.Clone(l.Lists), func(w ListedWhole) bool {
			return w.List == b.List && w.SubMerchantID == sub && (account == "" || w.BankAccountID == account)
		})
		l.Lists = append(l.Lists, ListedWhole{b.List, sub, account, at})
	}
	slices.SortFunc(l.Lists, func(a, b ListedWhole) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.SubMerchantID, b.SubMerchantID), cmp.Compare(a.BankAccountID, b.BankAccountID))
	})
	switch b.List {
	case ListOfAccounts:
		var listed []ListedAccount
		for _, a := range b.Accounts {
			a.BankAccountID, a.AccountNumber, a.RedirectURL = strings.ToLower(a.BankAccountID), Mask(a.AccountNumber), ""
			listed = append(listed, ListedAccount{a, at})
		}
		l.Accounts = merged(l.Accounts, listed, ListedAccount.key, func(ListedAccount) bool { return b.Whole })
	case ListOfBeneficiaries:
		var listed []ListedBeneficiary
		for _, n := range slices.Backward(b.Beneficiaries) { // of two with the same ids the first counts
			n.BankAccountID, n.OpenBeneficiaryID = strings.ToLower(n.BankAccountID), strings.ToLower(n.OpenBeneficiaryID)
			listed = append(listed, ListedBeneficiary{sub, n, at})
		}
		l.Beneficiaries = merged(l.Beneficiaries, listed, ListedBeneficiary.key, func(k ListedBeneficiary) bool {
			return b.Whole && k.SubMerchantID == sub && (account == "" || k.BankAccountID == account)
		})
	}
	return l
}

// key identifies an entry of a list: the debit account, and the beneficiary if it is one.
func (a ListedAccount) key() string     { return a.BankAccountID }
func (b ListedBeneficiary) key() string { return b.BankAccountID + "\x00" + b.OpenBeneficiaryID }

// merged returns the entries that were listed now, and the older ones that are neither listed again nor gone, in
// the order of their keys. Of two with the same key the last one counts.
func merged[T any](before, listed []T, key func(T) string, gone func(T) bool) []T {
	byKey := map[string]T{}
	for _, t := range append(slices.DeleteFunc(slices.Clone(before), gone), listed...) {
		byKey[key(t)] = t
	}
	return slices.SortedFunc(maps.Values(byKey), func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

// Digest returns the digest of all the lists.
func (l BankLists) Digest() Digest {
	h := sha256.New()
	var room [1024]byte
	for _, w := range l.Lists {
		h.Write(encode(room[:], "whole list").text(w.List).text(w.SubMerchantID).text(w.BankAccountID).moment(w.At))
	}
	for _, a := range l.Accounts {
		h.Write(encode(room[:], "listed account").text(a.BankAccountID).number(int64(a.PartnerBankID)).text(a.Status).text(a.AccountNumber).
			text(a.IFSC).text(a.AccountName).text(a.Identifier).text(a.RedirectURL).moment(a.At))
	}
	for _, b := range l.Beneficiaries {
		h.Write(encode(room[:], "listed beneficiary").text(b.BankAccountID).text(b.OpenBeneficiaryID).text(b.BankBeneficiaryID).text(b.VendorName).
			text(b.BankAccountNumber).text(b.IFSC).text(b.Status).text(b.SubMerchantID).moment(b.At))
	}
	return Digest(h.Sum(nil))
}

// VerifyDigests returns ErrTampered if the kept lists do not match digest, which is in the
// newest event of a listing. digest is "" if there is no event.
func (l BankLists) VerifyDigests(digest string) error {
	empty := len(l.Lists)+len(l.Accounts)+len(l.Beneficiaries) == 0
	if empty && digest == "" || digest == l.Digest().String() {
		return nil
	}
	return fmt.Errorf("%w: the accounts and beneficiaries that the bank listed are not those that were recorded", ErrTampered)
}

// Account returns the debit account as it was last listed, at the time at. If it is not listed,
// known reports whether the bank's accounts were ever read whole, and at is when.
func (l *BankLists) Account(id string) (a ListedAccount, listed, known bool, at time.Time) {
	if a, listed = First(l.Accounts, func(a ListedAccount) bool { return strings.EqualFold(a.BankAccountID, id) }); listed {
		return a, true, true, a.At
	}
	w, known := First(l.Lists, func(w ListedWhole) bool {
		return w.List == ListOfAccounts && w.SubMerchantID == "" && w.BankAccountID == ""
	})
	return a, false, known, w.At
}

// BeneficiariesOf returns the beneficiaries of a debit account. whole is when their list was
// last read whole; zero for never, and then a beneficiary that is not listed may exist.
func (l *BankLists) BeneficiariesOf(bankAccountID, subMerchantID string) (list []ListedBeneficiary, whole time.Time) {
	for _, w := range l.Lists {
		if w.List == ListOfBeneficiaries && w.SubMerchantID == subMerchantID && (w.BankAccountID == "" || strings.EqualFold(w.BankAccountID, bankAccountID)) && w.At.After(whole) {
			whole = w.At
		}
	}
	for _, b := range l.Beneficiaries {
		if strings.EqualFold(b.BankAccountID, bankAccountID) && b.SubMerchantID == subMerchantID {
			list = append(list, b)
		}
	}
	return list, whole
}
