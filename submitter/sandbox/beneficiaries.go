package sandbox

import "net/http"

// listedBeneficiary is one element of the listing (interface.md, "Beneficiary").
type listedBeneficiary struct {
	BankAccountID     string `json:"bank_account_id"`
	OpenBeneficiaryID string `json:"open_beneficiary_id"`
	BankBeneficiaryID string `json:"bank_beneficiary_id"`
	VendorName        string `json:"vendor_name"`
	BankAccountNumber string `json:"bank_account_number"`
	IFSC              string `json:"ifsc"`
	Status            string `json:"beneficiary_status"`
}

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
	listed := []listedBeneficiary{}
	for _, n := range got {
		listed = append(listed, listedBeneficiary{n.AccountID, n.ID, n.BankID, n.Name, n.Number, n.IFSC, n.Status})
	}
	return reply{map[string]any{"bene_details": listed}, p}, nil
}
