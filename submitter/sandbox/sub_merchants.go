package sandbox

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"payrun/submitter/bankapi"
)

// listSubMerchants answers "List sub-merchants". It is one of the answers that
// report is_sandbox.
func (b *bank) listSubMerchants(r request) (reply, *refusal) {
	l := listing{op: "sub_merchant_list", code: codeSubMerchants, perPage: subMerchantPageDefault, query: r.query}
	if raw := r.query.Get("offset"); raw != "" {
		offset, err := strconv.Atoi(raw)
		if err != nil || offset < 0 {
			return reply{}, refuse(http.StatusBadRequest, l.code, "offset must be a whole number from 0")
		}
		l.offset = offset
	}
	got, p, refused := page(b, b.SubMerchants, l)
	if refused != nil {
		return reply{}, refused
	}
	data := bankapi.SubMerchantList{SubMerchants: []bankapi.SubMerchant{}, IsSandbox: true}
	for _, m := range got {
		data.SubMerchants = append(data.SubMerchants, m.masked())
	}
	return reply{data: data, page: p}, nil
}

// registerSubMerchant answers "Register sub-merchant". A username, which is a
// phone number, is one sub-merchant's.
func (b *bank) registerSubMerchant(r request) (reply, *refusal) {
	m := &subMerchant{}
	o, err := readObject(r.body)
	if err == nil {
		err = o.strings(object.required, map[string]*string{
			"first_name": &m.FirstName, "last_name": &m.LastName, "email": &m.Email, "username": &m.Username,
		})
	}
	if err != nil {
		return reply{}, refuse(http.StatusBadRequest, codeSubMerchants, "%s", err)
	}
	for _, there := range b.SubMerchants {
		if there.Username == m.Username {
			return reply{}, refuse(http.StatusBadRequest, codeRegistered, "User Already Registered")
		}
	}
	m.ID = fmt.Sprintf("sm_%04d", len(b.SubMerchants)+1)
	b.SubMerchants = append(b.SubMerchants, m)
	masked := m.masked()
	return reply{data: bankapi.Registered{
		SubMerchantID: masked.SubMerchantID, FirstName: masked.FirstName, LastName: masked.LastName,
		Email: masked.Email, Username: masked.Username, IsSandbox: true,
	}}, nil
}

func (m *subMerchant) masked() bankapi.SubMerchant {
	return bankapi.SubMerchant{
		SubMerchantID: m.ID,
		FirstName:     maskTail(m.FirstName),
		LastName:      maskTail(m.LastName),
		Email:         maskTail(m.Email),
		Username:      maskTail(m.Username),
	}
}

func (b *bank) subMerchant(id string) *subMerchant {
	for _, m := range b.SubMerchants {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// maskTail hides all but the first character: "returned masked" (interface.md,
// "Sub-merchant") does not say how.
func maskTail(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return ""
	}
	return string(r[0]) + strings.Repeat("*", len(r)-1)
}
