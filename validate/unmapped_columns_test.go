package validate

import (
	"slices"
	"testing"
)

// What a row says beside its payout: the header of a column more, a cell of it,
// and what is found. "" finds nothing.
func TestWhatARowSaysBesideItsPayout(t *testing.T) {
	tests := []struct{ header, cell, code string }{
		{"Confirm Account No", "50200012345678", ""},
		{"Confirm Account No", " 50200012345678 ", ""},
		{"Confirm Account No", "50200012345687", codeAccountConfirm},
		{"Confirm Account", "", codeAccountConfirm},
		{"Re-enter Bank Account Number", "5020001234567", codeAccountConfirm},
		{"Confirmed By", "asha", ""},
		{"Account confirmed on", "2025-11-05", ""},
		{"Bank Name", "HDFC Bank Ltd.", ""},
		{"Bank Name", "hdfc", ""},
		{"Bank Name", "The State Bank of India", codeBankNameDiffers},
		{"Bank", "SBI", codeBankNameDiffers},
		{"Bank Name", "Bank of India", codeBankNameDiffers},
		{"Bank Name", "Vidarbha Konkan Gramin Bank", ""}, // a small bank may use another's IFSC
		{"Bank Branch", "State Bank of India", ""},
		{"Status", "Approved", ""},
		{"Status", "HOLD", codeRowSaysOtherwise},
		{"Payment Status", "Paid", codeRowSaysOtherwise},
		{"Pay?", "No", codeRowSaysOtherwise},
		{"Pay?", "Yes", ""},
		{"Hold", "Y", codeRowSaysOtherwise},
		{"Hold", "N", ""},
		{"Paid", "No", ""},
		{"UTR No", "HDFCN25110500001", codeRowSaysOtherwise},
		{"UTR No", "-", ""},
		{"Department", "Hold", ""},
		{"Narration", "HOLD till 15th", codeRowSaysOtherwise},
		{"Narration", "Holding charges", ""},
		{"Narration", "stop payment", codeRowSaysOtherwise},
		{"Narration", "CafÃ© bill", codeTextGarbled},
		{"Narration", "à¤¨à¤µà¤‚à¤¬à¤°", codeTextGarbled},
		{"Narration", "Café São João naïve", ""},
		{"Mode", "Cheque", codeModeNotByBank},
		{"Mode", "D.D.", ""}, // a word of its own to the bank
		{"Mode", "Demand Draft", codeModeNotByBank},
		{"Mode", "bank transfer", codeModeGeneral},
		{"Mode", "RTGS", ""},
		{"Mode", "NEFT", ""},
	}
	for _, tt := range tests {
		o := checkText(t, testOptions(), nil, "Ref No,Name,Account No,IFSC,Amount,"+tt.header+"\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,"+tt.cell+"\n")
		var want []string
		if tt.code != "" {
			want = []string{tt.code}
		}
		var got []string
		for _, f := range o.Findings {
			got = append(got, f.Code)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %q: %v, want %v", tt.header, tt.cell, got, want)
		}
	}
}

func TestATransactionTypeThatIsConfiguredIsNoGeneralWord(t *testing.T) {
	options := testOptions()
	options.TransactionTypeID = "Online"
	if o := checkText(t, options, nil, "Ref No,Name,Account No,IFSC,Amount,Mode\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,Online\n"); len(o.Findings) != 0 {
		t.Errorf("%v", o.codes())
	}
}

func TestAConfirmedAccountIsMaskedInTheFinding(t *testing.T) {
	o := checkText(t, testOptions(), nil, "Ref No,Name,Account No,IFSC,Amount,Confirm Account No\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,50200012345687\n")
	if f := o.finding(t, codeAccountConfirm); f.Value != "XXXXXXXXXX5687" || f.Cell != "F2" || f.Header != "Confirm Account No" {
		t.Errorf("%+v", f)
	}
}

// A header that says the same in two languages means it; one that says two things
// means neither.
func TestHeadersInTwoLanguages(t *testing.T) {
	const row = "\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00\n"
	if o := checkText(t, testOptions(), nil, "संदर्भ (Ref No),नाम / Name,खाता संख्या (Account No.),IFSC कोड (IFSC Code),राशि (Amount)"+row); len(o.kept) != 1 {
		t.Errorf("%v", o.codes())
	}
	if o := checkText(t, testOptions(), nil, "Ref No,Name,Account No / IFSC,IFSC,Amount"+row); len(o.kept) != 0 {
		t.Error("a header of two columns was read as one")
	}
	// an amount in two languages is as bare as in one
	o := checkText(t, testOptions(), nil, "Ref No,Name,Account No,IFSC,राशि (Amount),TDS,Net\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,1.00,9.00\n")
	if len(o.kept) != 0 || o.finding(t, codeAmountGrossOrNet).Cell != "E1" {
		t.Errorf("%v", o.codes())
	}
}
