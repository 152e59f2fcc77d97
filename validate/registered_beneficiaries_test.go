package validate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// listing is a past that knows the bank's lists.
type listing struct {
	memory
	lists ledger.BankLists
	err   error
}

func (l *listing) BankLists(context.Context) (ledger.BankLists, error) { return l.lists, l.err }

const (
	idActive = "b0000000-0000-4000-8000-000000000001"
	idTwin   = "b0000000-0000-4000-8000-000000000002"
	idNew    = "b0000000-0000-4000-8000-000000000003"
	idTwinB  = "b0000000-0000-4000-8000-000000000004"
	idHidden = "b0000000-0000-4000-8000-000000000005"
	idDotted = "b0000000-0000-4000-8000-000000000006"
	idNoNumb = "b0000000-0000-4000-8000-000000000007"
)

var listedAt = time.Date(2031, 3, 1, 10, 0, 0, 0, time.UTC)

func beneficiariesOf(account string) ledger.BankListing {
	of := func(id, name, number, status string) ledger.Beneficiary {
		return ledger.Beneficiary{BankAccountID: account, OpenBeneficiaryID: id, VendorName: name, BankAccountNumber: number, IFSC: "HDFC0001234", Status: status}
	}
	return ledger.BankListing{List: ledger.ListOfBeneficiaries, SubMerchantID: "sm_0001", Whole: true, At: listedAt, Actor: "asha", Beneficiaries: []ledger.Beneficiary{
		of(idActive, "Asha Traders", "50200012345678", "active"), of(idTwin, "Rao", "60200012345678", "active"), of(idTwinB, "Rao Stores", "060200012345678", "active"),
		of(idNew, "Iyer", "70200012345678", "request_initiated"), of(idHidden, "Sen", "XXXXXXXXXX5678", "active"),
		of(idDotted, "Das", "••••••••••5678", "active"), of(idNoNumb, "Bose", "", "active"),
	}}
}

// A RIB row is compared with the bank's list: what it lacks is filled in where
// there is one answer, and nothing is guessed.
func TestABeneficiaryIsHeldAgainstTheBanksList(t *testing.T) {
	retail := testAccounts[2].BankAccountID
	whole := ledger.BankLists{}.With(beneficiariesOf(retail))
	part := beneficiariesOf(retail)
	part.Whole = false
	partial, elsewhere := ledger.BankLists{}.With(part), ledger.BankLists{}.With(beneficiariesOf(testAccounts[3].BankAccountID))
	for name, c := range map[string]struct {
		lists ledger.BankLists
		row   string // name, account, IFSC, id
		want  []string
		id    string
	}{
		"filled":                       {whole, "Asha Traders,50200012345678,HDFC0001234,", []string{"open_beneficiary_id_filled"}, idActive},
		"filled, zeros before it":      {whole, "Asha Traders,0050200012345678,HDFC0001234,", []string{"open_beneficiary_id_filled"}, idActive},
		"filled from a part":           {partial, "Asha Traders,50200012345678,HDFC0001234,", []string{"open_beneficiary_id_filled"}, idActive},
		"filled, of another name":      {whole, "Bhima,50200012345678,HDFC0001234,", []string{"open_beneficiary_id_filled", "beneficiary_named_otherwise"}, idActive},
		"two of one account":           {whole, "Rao,60200012345678,HDFC0001234,", []string{"open_beneficiary_id_missing"}, ""},
		"another branch":               {whole, "Asha Traders,50200012345678,HDFC0001235,", []string{"open_beneficiary_id_missing"}, ""},
		"not active, no id":            {whole, "Iyer,70200012345678,HDFC0001234,", []string{"beneficiary_not_active"}, ""},
		"masked by the bank":           {whole, "Sen,80200012345678,HDFC0001234,", []string{"open_beneficiary_id_missing"}, ""},
		"no account":                   {whole, "Asha Traders,,,", []string{"open_beneficiary_id_missing"}, ""},
		"nobody asked the bank":        {ledger.BankLists{}, "Asha Traders,50200012345678,HDFC0001234,", []string{"open_beneficiary_id_missing"}, ""},
		"of another debit account":     {elsewhere, "Asha Traders,50200012345678,HDFC0001234,", []string{"open_beneficiary_id_missing"}, ""},
		"an id that is right":          {whole, "Asha Traders,50200012345678,HDFC0001234," + strings.ToUpper(idActive), nil, idActive},
		"an id alone":                  {whole, ",,," + idActive, nil, idActive},
		"an id that is not active":     {whole, "Iyer,70200012345678,HDFC0001234," + idNew, []string{"beneficiary_not_active"}, ""},
		"an id of another account":     {whole, "Asha Traders,50200012345679,HDFC0001234," + idActive, []string{"beneficiary_differs"}, ""},
		"an id of another branch":      {whole, "Asha Traders,50200012345678,HDFC0001235," + idActive, []string{"beneficiary_differs"}, ""},
		"an id of another name":        {whole, "Bhima,50200012345678,HDFC0001234," + idActive, []string{"beneficiary_named_otherwise"}, idActive},
		"an id that is masked":         {whole, "Sen,80200012345678,HDFC0001234," + idHidden, nil, idHidden},
		"an id masked by dots":         {whole, "Das,80200012345678,HDFC0001234," + idDotted, nil, idDotted},
		"an id without a number":       {whole, "Bose,80200012345678,HDFC0001234," + idNoNumb, nil, idNoNumb},
		"an id that is not there":      {whole, ",,," + goodUUID, []string{"beneficiary_not_listed"}, goodUUID},
		"an id not in a part":          {partial, ",,," + goodUUID, nil, goodUUID},
		"an id, and nobody asked":      {ledger.BankLists{}, ",,," + goodUUID, nil, goodUUID},
		"an id that is no id, refused": {whole, "Asha Traders,50200012345678,HDFC0001234,BENE-1", []string{"open_beneficiary_id_malformed"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions()
			o.Account, o.Now = "retail", listedAt.Add(50*time.Hour)
			out := checkText(t, o, &listing{lists: c.lists}, "ref,name,bank_account_number,ifsc,open_beneficiary_id,amount\nINV-1,"+c.row+",1.00\n")
			var got []string
			for _, f := range out.Findings {
				got = append(got, f.Code)
				if strings.Contains(f.Message, "50200012345678") || strings.Contains(f.Value, "50200012345678") {
					t.Errorf("an account number in full: %+v", f)
				}
				if strings.HasPrefix(f.Code, "beneficiary_") && !strings.Contains(f.Message, "2031-03-01, 2 days ago") {
					t.Errorf("no age: %s", f.Message)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v: %+v", got, c.want, out.Findings)
			}
			id := ""
			if len(out.kept) > 0 {
				id = out.kept[0].OpenBeneficiaryID
			}
			if !strings.EqualFold(id, c.id) {
				t.Errorf("it is paid by %q, want %q", id, c.id)
			}
		})
	}
}

// A debit account that could not be used when the bank was last asked is said
// once, and refuses nothing: the bank is asked again before an initiate.
func TestADebitAccountIsHeldAgainstTheBanksList(t *testing.T) {
	main := testAccounts[0]
	listed := func(whole bool, list ...ledger.LinkedAccount) ledger.BankLists {
		return ledger.BankLists{}.With(ledger.BankListing{List: ledger.ListOfAccounts, Whole: whole, At: listedAt, Actor: "asha", Accounts: list})
	}
	other := ledger.LinkedAccount{BankAccountID: testAccounts[1].BankAccountID, Status: "active", PartnerBankID: 1}
	for name, c := range map[string]struct {
		lists ledger.BankLists
		want  string
	}{
		"nobody asked":         {ledger.BankLists{}, ""},
		"active":               {listed(true, ledger.LinkedAccount{BankAccountID: main.BankAccountID, Status: "active", PartnerBankID: 3}), ""},
		"expired":              {listed(true, ledger.LinkedAccount{BankAccountID: main.BankAccountID, Status: "token_expired", PartnerBankID: 3}), `as "token_expired" (2031-03-01, today)`},
		"another partner bank": {listed(false, ledger.LinkedAccount{BankAccountID: main.BankAccountID, Status: "active", PartnerBankID: 4}), "under partner bank 4"},
		"not there":            {listed(true, other), "did not list the debit account main"},
		"not in a part":        {listed(false, other), ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions()
			o.Now = listedAt.Add(time.Hour)
			out := checkText(t, o, &listing{lists: c.lists}, header+good("INV-1", "1.00")+good("INV-2", "2.00"))
			if c.want == "" {
				for _, f := range out.Findings {
					if f.Code == codeDebitAccountUnusable {
						t.Errorf("found: %+v", f)
					}
				}
				return
			}
			f := out.finding(t, codeDebitAccountUnusable)
			if !strings.Contains(f.Message, c.want) || f.Severity != ledger.SeverityWarning || f.Row != 2 || len(out.kept) != 2 {
				t.Errorf("found: %+v", f)
			}
		})
	}
}

func TestAListThatWasChangedEndsTheCheck(t *testing.T) {
	_, err := Check(t.Context(), writeFile(t, "sheet.csv", header+good("INV-1", "1.00")), testOptions(), &listing{err: ledger.ErrTampered}, func([]Accepted) error { return nil })
	if !errors.Is(err, ledger.ErrTampered) {
		t.Error(err)
	}
}
