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
	all := b.SubMerchants
	if raw := r.query.Get("offset"); raw != "" {
		offset, err := strconv.Atoi(raw)
		if err != nil || offset < 0 {
			return reply{}, refuse(http.StatusBadRequest, "SM_001", "offset must be a whole number from 0")
		}
		all = all[min(offset, len(all)):]
	}
	got, p, refused := page(b, all, r.query, "sub_merchant_list", "SM_001", subMerchantPageDefault)
	if refused != nil {
		return reply{}, refused
	}
	data := bankapi.SubMerchantList{SubMerchants: []bankapi.SubMerchant{}, IsSandbox: true}
	for _, m := range got {
		data.SubMerchants = append(data.SubMerchants, bankapi.SubMerchant{
			SubMerchantID: m.ID,
			FirstName:     maskName(m.FirstName),
			LastName:      maskName(m.LastName),
			Email:         maskName(m.Email),
			Username:      maskName(m.Username),
		})
	}
	return reply{data, p}, nil
}

// maskName hides all but the first character: "returned masked" (interface.md,
// "Sub-merchant") does not say how.
func maskName(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return ""
	}
	return string(r[0]) + strings.Repeat("*", len(r)-1)
}
