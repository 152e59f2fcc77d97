package sandbox

import (
	"net/http"

	"payrun/submitter/bankapi"
)

// listBeneficiaries answers "List beneficiaries"; sub_merchant_id is required.
func (b *bank) listBeneficiaries(r request) (reply, *refusal) {
	q := r.query
	if q.Get("sub_merchant_id") == "" {
		return reply{}, refuse(http.StatusBadRequest, beneficiaryCodes[0], "sub_merchant_id is required")
	}
	var all []*beneficiary
	for _, n := range b.Beneficiaries {
		if n.SubMerchantID == q.Get("sub_merchant_id") && matches(q.Get("bank_account_id"), n.AccountID) &&
			matches(q.Get("open_beneficiary_id"), n.ID) && contains(q.Get("search"), n.Name, n.Number, n.IFSC) {
			all = append(all, n)
		}
	}
	got, p, refused := page(b, all, listing{op: "beneficiaries", code: beneficiaryCodes[0], perPage: pageDefault, query: q})
	if refused != nil {
		return reply{}, refused
	}
	data := bankapi.BeneficiaryList{Beneficiaries: []bankapi.Beneficiary{}}
	for _, n := range got {
		data.Beneficiaries = append(data.Beneficiaries, bankapi.Beneficiary{
			BankAccountID: n.AccountID, OpenBeneficiaryID: n.ID, BankBeneficiaryID: n.BankID,
			VendorName: n.Name, BankAccountNumber: n.Number, IFSC: n.IFSC, Status: n.Status,
		})
	}
	return reply{data, p}, nil
}
