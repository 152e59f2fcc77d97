package bankapi

import "strings"

// codePrefix starts every code of the interface.
const codePrefix = "SVC_CB_"

// BankCode is a code that the interface lists (interface.md, "Errors").
type BankCode struct {
	Code       string
	Operations []string // operations that may answer with it
	Meaning    string   // "" if the interface gives none
}

// codesBy lists the codes as the interface does: by operation.
var codesBy = []struct{ operation, codes string }{
	{"Register sub-merchant", "SM_004"},
	{"List bank accounts", "AL_002 AL_004 AL_006"},
	{"List beneficiaries", "BN_002"},
	{"Initiate beneficiary", "BN_001 BN_002 BN_003 BN_005 BN_006 BN_007"},
	{"Fetch balance", "BL_001 BL_002 BL_003"},
	{"Initiate transfer", "FT_001 FT_002 FT_004 FT_005 FT_006 FT_007 FT_008 FT_009 FT_010 FT_013"},
	{"Submit transfer", "FT_001 FT_011 FT_012"},
	{"Get transfer status", "FT_001 FT_014 FT_015"},
	{"Fetch statements", "ST_001 ST_002 ST_003 ST_004 ST_007"},
}

// meanings has the few meanings that the interface gives.
var meanings = map[string]string{
	"SM_004": "the user is registered already",
	"FT_011": "the transaction token is missing (partner bank 1)",
	"FT_012": "the LEI is missing, and the batch comes to 500,000,000.00 or more (partner bank 1)",
}

// BankCodes returns every code of the interface, in its order.
func BankCodes() []BankCode {
	var out []BankCode
	at := map[string]int{}
	for _, op := range codesBy {
		for code := range strings.FieldsSeq(op.codes) {
			i, seen := at[code]
			if !seen {
				i = len(out)
				at[code] = i
				out = append(out, BankCode{Code: codePrefix + code, Meaning: meanings[code]})
			}
			out[i].Operations = append(out[i].Operations, op.operation)
		}
	}
	return out
}
