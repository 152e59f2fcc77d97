package sandbox

import (
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
		data.SubMerchants = append(data.SubMerchants, bankapi.SubMerchant{
			SubMerchantID: m.ID,
			FirstName:     maskTail(m.FirstName),
			LastName:      maskTail(m.LastName),
			Email:         maskTail(m.Email),
			Username:      maskTail(m.Username),
		})
	}
	return reply{data, p}, nil
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
