package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// listSubMerchants answers "List sub-merchants", which reports is_sandbox.
func (b *bank) listSubMerchants(r request) *answer {
	if raw := r.query.Get("offset"); raw != "" {
		var err error
		if r.offset, err = strconv.Atoi(raw); err != nil || r.offset < 0 {
			return r.refuse(http.StatusBadRequest, "offset must be a whole number from 0")
		}
	}
	return page(b, r, ledger.ListOf(b.SubMerchants, masked), func(shown []bankapi.SubMerchant) any {
		return bankapi.SubMerchantList{SubMerchants: shown, IsSandbox: true}
	})
}

// registerSubMerchant answers "Register sub-merchant". A username (a phone number) belongs to one sub-merchant.
func (b *bank) registerSubMerchant(r request) *answer {
	m := &bankapi.SubMerchant{}
	err := read(r.body, m, map[string]*string{
		"first_name": &m.FirstName, "last_name": &m.LastName, "email": &m.Email, "username": &m.Username,
	})
	if err != nil {
		return r.refuse(http.StatusBadRequest, "%s", err)
	}
	if slices.ContainsFunc(b.SubMerchants, func(there *bankapi.SubMerchant) bool { return there.Username == m.Username }) {
		return refuse(http.StatusBadRequest, "SM_004", "User Already Registered")
	}
	m.SubMerchantID = fmt.Sprintf("sm_%04d", len(b.SubMerchants)+1)
	b.SubMerchants = append(b.SubMerchants, m)
	shown := masked(m)
	return answered(bankapi.Registered{
		SubMerchantID: shown.SubMerchantID, FirstName: shown.FirstName, LastName: shown.LastName,
		Email: shown.Email, Username: shown.Username, IsSandbox: true,
	}, nil)
}

func masked(m *bankapi.SubMerchant) bankapi.SubMerchant {
	return bankapi.SubMerchant{SubMerchantID: m.SubMerchantID, FirstName: maskTail(m.FirstName), LastName: maskTail(m.LastName),
		Email: maskTail(m.Email), Username: maskTail(m.Username)}
}

func (b *bank) subMerchant(id string) *bankapi.SubMerchant {
	m, _ := ledger.First(b.SubMerchants, func(m *bankapi.SubMerchant) bool { return m.SubMerchantID == id })
	return m
}

// maskTail hides all but the first character. "returned masked" (interface.md, "Sub-merchant") does not say
// how.
func maskTail(s string) string {
	_, first := utf8.DecodeRuneInString(s)
	return s[:first] + strings.Repeat("*", utf8.RuneCountInString(s[first:]))
}
