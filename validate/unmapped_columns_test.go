package validate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payrun/ledger"
)

// What a row says besides its payout: the header of a column more, a cell of it,
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
		{"Pay?", "0", codeRowSaysOtherwise},
		{"Pay (1/0)", "0", codeRowSaysOtherwise},
		{"Include", "0", codeRowSaysOtherwise},
		{"Include", "FALSE", codeRowSaysOtherwise},
		{"Pay this month", "No", codeRowSaysOtherwise},
		{"Whether to be paid", "No", codeRowSaysOtherwise},
		{"Pay Month", "Nov-26", ""},
		{"Paid To", "Asha", ""},
		{"Payment for", "Rent", ""},
		{"Payment", "Yes", ""},
		{"Eligible", "No", codeRowSaysOtherwise},
		{"PF Eligible", "No", ""},
		{"Process", "N", codeRowSaysOtherwise},
		{"Exclude", "Yes", codeRowSaysOtherwise},
		{"Exclude", "No", ""},
		{"Skip", "1", codeRowSaysOtherwise},
		{"Credited?", "Yes", codeRowSaysOtherwise},
		{"Hold", "Y", codeRowSaysOtherwise},
		{"Hold", "N", ""},
		{"Paid", "No", ""},
		{"UTR No", "HDFCN25110500001", codeRowSaysOtherwise},
		{"UTR No", "-", ""},
		{"Department", "Hold", ""},
		{"Status of Payment", "Paid on 12/11", codeRowSaysOtherwise},
		{"Status", "Rejected - wrong IFSC", codeRowSaysOtherwise},
		{"Status", "Pending", codeRowSaysOtherwise},
		{"Status", "Unpaid", ""},
		{"Status", "Not paid", ""},
		{"Status", "To be paid", ""},
		{"Status", "No objection", ""},
		{"Bill Status", "Blocked", codeRowSaysOtherwise},
		{"स्थिति", "रोकें", codeRowSaysOtherwise},
		{"HOD Approved (Y/N)", "N", codeRowSaysOtherwise},
		{"HOD Approved (Yes/No)", "No", codeRowSaysOtherwise},
		{"Approval by HOD", "Rejected", codeRowSaysOtherwise},
		{"MD Approval", "NA", codeRowSaysOtherwise},
		{"MD Approval", "Done", ""}, // it was approved
		{"Approved By", "N. Rao", ""},
		{"Approval No", "N", ""},
		{"Approved On", "2025-11-05", ""},
		{"Checked", "x", codeRowSaysOtherwise},
		{"Checked", "√", ""},
		{"Verified", "Completed", ""},
		{"Action", "Hold", codeRowSaysOtherwise},
		{"Action Required", "No", ""},
		{"Include in payment", "No", codeRowSaysOtherwise},
		{"Block", "X", codeRowSaysOtherwise},
		{"Block", "No", ""},
		{"Block", "Rampur", ""},
		{"Paid (Yes/No)", "Yes", codeRowSaysOtherwise},
		{"Paid (Yes/No)", "No", ""},
		{"To be paid", "N", codeRowSaysOtherwise},
		{"Payment on hold", "Yes", codeRowSaysOtherwise},
		{"KYC Status", "Pending", ""},
		{"KYC Status", "Hold", codeRowSaysOtherwise},
		{"KYC Status", "❌", codeRowSaysOtherwise},
		{"MSME Status", "No", ""},
		{"Delivery Status", "Completed", ""},
		{"Basic Pay", "No", ""},
		{"Accounts Remarks", "HOLD", codeRowSaysOtherwise},
		{"Accounts Remarks", "❌", codeRowSaysOtherwise},
		{"Remarks by Accounts", "kindly hold this payment", codeRowSaysOtherwise},
		{"Approval Remarks", "Rejected", codeRowSaysOtherwise},
		{"Narration", "Do Not Release", codeRowSaysOtherwise},
		{"Narration", "NOT TO PAY", codeRowSaysOtherwise},
		{"Narration", "Not payable", codeRowSaysOtherwise},
		{"Narration", "PAID", codeRowSaysOtherwise},
		{"Narration", "(Rejected)", codeRowSaysOtherwise},
		{"Narration", "pls don’t pay", codeRowSaysOtherwise},
		{"Narration", "Paid leave", ""},
		{"Narration", "Paid by cheque", codeRowSaysOtherwise},
		{"Narration", "Refund of fees paid by cheque", ""},
		{"Narration", "paid in cash on 5/11", codeRowSaysOtherwise},
		{"Narration", "Kept pending", codeRowSaysOtherwise},
		{"Narration", "payment stopped", codeRowSaysOtherwise},
		{"Narration", "रोकें", codeRowSaysOtherwise},
		{"Narration", "do-not-pay", codeRowSaysOtherwise},
		{"Narration", "Oct: DO_NOT  PAY", codeRowSaysOtherwise},
		{"Narration", "don`t pay", codeRowSaysOtherwise},
		{"Narration", "Not-Approved", codeRowSaysOtherwise},
		{"Narration", "do not paypal", ""},
		{"Narration", "do not", ""},
		{"Narration", "रोका गया", codeRowSaysOtherwise},
		{"Narration", "रोकड़ बही", ""}, // cash book
		{"Comments", "Resigned", codeRowSaysOtherwise},
		{"Narration", "❌", codeRowSaysOtherwise},
		{"Narration", "Household goods", ""},
		{"Doc. Curr", "USD", codeAmountCurrency},
		{"Currency", "Rupees", ""},
		{"Currency", "रुपये", ""},
		{"Currency", "Non-INR", codeAmountCurrency},
		{"Currency", "Rupees in lakhs", codeAmountCurrency},
		{"Doc. Curr", "INR", ""},
		{"Doc. Curr", "5000", ""},
		{"LCurr", "EUR", codeAmountCurrency},
		{"Invoice Currency", "AED", codeAmountCurrency},
		{"Crcy", "USD", codeAmountCurrency},
		{"FX", "USD", codeAmountCurrency},
		{"FX Rate", "84.50", ""},
		{"मुद्रा", "USD", codeAmountCurrency},
		{"Current Client", "USD", ""},
		{"Client", "USD", ""},
		{"Figures", "Lakh", codeAmountCurrency},
		{"Unit of Amount", "Lakh", codeAmountCurrency},
		{"Rs/Lakh", "Lakh", codeAmountCurrency},
		{"Unit", "K Mill", ""},
		{"Rs. in Lakhs", "", codeAmountOtherUnit},
		{"(₹ lakhs)", "", codeAmountOtherUnit},
		{"Rs. in Lakhs", "4.50", ""}, // the same, or another, amount
		{"Amount in USD", "", ""},
		{"Narration", "HOLD till 15th", codeRowSaysOtherwise},
		{"Narration", "Holding charges", ""},
		{"Narration", "stop payment", codeRowSaysOtherwise},
		{"Narration", "CafÃ© bill", codeTextGarbled},
		{"Narration", "à¤¨à¤µà¤‚à¤¬à¤°", codeTextGarbled},
		{"Narration", "Café São João naïve", ""},
		{"Payment Date", "5-Dec", codeExecutionDateUnclear},
		{"Payment Date", "tomorrow", codeExecutionDateUnclear},
		{"Payment Date", "immediate", ""},
		{"Payment Date", "-", ""},
		{"Invoice Date", "5-Dec", ""},
		{"Salary Hold", "Yes", codeRowSaysOtherwise},
		{"Salary Hold", "No", ""},
		{"Hold", "✓", codeRowSaysOtherwise},
		{"Hold", "Rampur", ""},
		{"Hold Status", "Yes", codeRowSaysOtherwise},
		{"Hold Status", "Released", ""},
		{"Hold Reason", "KYC", codeRowSaysOtherwise},
		{"Hold Reason", "-", ""},
		{"Reason for Hold", "NA", ""},
		{"Reason for Leaving", "Resigned", ""}, // a full and final settlement
		{"Pmnt Block", "A", codeRowSaysOtherwise},
		{"Payment Block", "❌", ""},
		{"Block No", "5", ""},
		{"Stop Payment", "as per mail", codeRowSaysOtherwise},
		{"Processed", "Yes", codeRowSaysOtherwise},
		{"Settled", "Done", codeRowSaysOtherwise},
		{"Paid Status", "Done", codeRowSaysOtherwise},
		{"Paid / Unpaid", "Paid", codeRowSaysOtherwise},
		{"Paid / Unpaid", "Unpaid", ""},
		{"Credited On", "05-Nov-2025", codeRowSaysOtherwise},
		{"OK to pay", "No", codeRowSaysOtherwise},
		{"OK?", "Y", ""},
		{"Payment Instructions", "Hold", codeRowSaysOtherwise},
		{"Description", "please do not pay", codeRowSaysOtherwise},
		{"Description", "Duplicate key and hold music", ""},
		{"Payment Type", "Cheque", codeRowSaysOtherwise},
		{"Instrument", "DD", codeRowSaysOtherwise},
		{"Paid Through", "Cheque", codeRowSaysOtherwise},
		{"Paid Thru", "HDFC CA", ""},
		{"Bank Account Type", "Cash Credit", ""},
		{"Payment Type", "NEFT", ""},
		{"நிலை", "நிறுத்து", codeRowSaysOtherwise},
		{"Payment Status", "Pending", ""}, // not paid yet
		{"Payment Status", "Pending for KYC", codeRowSaysOtherwise},
		{"Payment Status", "Pending approval", codeRowSaysOtherwise},
		{"Payment Status", "Overdue", ""},
		{"Hold Flag", "Y", codeRowSaysOtherwise},
		{"Is Hold", "1", codeRowSaysOtherwise},
		{"Release", "1", ""},
		{"Hold / Unhold", "Hold", codeRowSaysOtherwise},
		{"Hold / Unhold", "Unhold", ""},
		{"Is Cancelled", "TRUE", codeRowSaysOtherwise},
		{"Void", "Yes", codeRowSaysOtherwise},
		{"IsActive", "FALSE", codeRowSaysOtherwise},
		{"Active", "Yes", ""},
		{"Active Since", "05-Nov-2025", ""},
		{"Selected", "No", codeRowSaysOtherwise},
		{"Payment Flag", "N", codeRowSaysOtherwise},
		{"Do Not Pay", "Y", codeRowSaysOtherwise},
		{"Do Not Pay", "N", ""},
		{"Hold", "Unhold", ""},
		{"UTR Details", "HDFCN25110500001", codeRowSaysOtherwise},
		{"UTRNo", "HDFCN25110500001", codeRowSaysOtherwise},
		{"UTR/Cheque No", "123456", codeRowSaysOtherwise},
		{"Nutrition Code", "HDFCN25110500001", ""},
		{"Payment Done On", "05-Nov-2025", codeRowSaysOtherwise},
		{"Processed Date", "05-Nov-2025", codeRowSaysOtherwise},
		{"Cancelled Dt", "05-Nov-2025", codeRowSaysOtherwise},
		{"Date Paid", "-", ""},
		{"Narration", "Don't release", codeRowSaysOtherwise},
		{"Narration", "not to be released till 15th", codeRowSaysOtherwise},
		{"Narration", "Stop salary", codeRowSaysOtherwise},
		{"Narration", "Withhold payment", codeRowSaysOtherwise},
		{"Narration", "TDS withheld", ""},
		{"Narration", "Withheld", codeRowSaysOtherwise},
		{"Narration", "Already credited by HO", codeRowSaysOtherwise},
		{"Narration", "Paid vide UTR HDFCN25110500001", codeRowSaysOtherwise},
		{"Narration", "Payment done", codeRowSaysOtherwise},
		{"Narration", "Payment made against PO 7", ""},
		{"Narration", "Awaiting approval", codeRowSaysOtherwise},
		{"Narration", "New vendor - cancelled cheque attached", ""},
		{"Narration", "Cheque cancelled", codeRowSaysOtherwise},
		{"Mode", "Cheque", codeModeNotByBank},
		{"Mode", "D.D.", ""}, // a word of its own to the bank
		{"Mode", "Demand Draft", codeModeNotByBank},
		{"Mode", "bank transfer", codeModeGeneral},
		{"Mode", "Recovery", codeModeNotByBank},
		{"Mode", "On hold", codeModeNotByBank},
		{"Mode", "RTGS", ""},
		{"Mode", "NEFT", ""},
	}
	for _, tt := range tests {
		o := checkText(t, testOptions(), nil, "Ref No,Name,Account No,IFSC,Amount,"+tt.header+"\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,"+tt.cell+"\n")
		var want []string
		if tt.code != "" {
			want = []string{tt.code}
		}
		if got := bareCodes(o); !slices.Equal(got, want) {
			t.Errorf("%s %q: %v, want %v", tt.header, tt.cell, got, want)
		}
	}
}

func TestARemarkCostsNoMemory(t *testing.T) {
	for _, remark := range []string{"INV-104 November retainer", "Do-Not-Pay", "Not Approved", "रोका गया"} {
		if n := testing.AllocsPerRun(10, func() { stopIn(remark) }); n > 0 {
			t.Errorf("%s: %v", remark, n)
		}
	}
}

// A title above the header, or the name of the tab, says it for the whole sheet.
func TestATitleThatSaysNotToPay(t *testing.T) {
	for title, want := range map[string]bool{"DRAFT - do not pay": true, "Already paid on 25 Nov": true, "HOLD": true, "do-not-pay": true, "Not approved": true, "Paid": true, "For approval - not for payment": true, "Not to be processed before 5 Dec": true, "Already uploaded on 28/11": true, "ABC Holdings Ltd": false, "November": false} {
		o := checkText(t, testOptions(), nil, title+",,,,\nRef No,Name,Account No,IFSC,Amount\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00\n")
		if got := slices.Equal(bareCodes(o), []string{codeRowSaysOtherwise}); got != want || got && o.Findings[0].Row != 1 || len(o.kept) != 1 {
			t.Errorf("%s: %+v", title, o.Findings)
		}
		c := check{layout: layout{row: 1}}
		if c.saidAbove(title, nil); (len(c.layout.problems) == 1) != want {
			t.Errorf("a tab %s: %v", title, c.layout.problems)
		}
	}
}

// A title says what a column would say. Its label is in front, in the cell to its left, or in a sentence before a day.
func TestATitleSaysWhatAColumnWould(t *testing.T) {
	for title, want := range map[string]string{
		"Payment date: 05-Dec-2026": codeExecutionDateAhead, "Payment Date,,5/12/2026": codeExecutionDateAhead, "Payment Date,:,5/12/2026": codeExecutionDateAhead, "Total,:,12.50": codeControlTotalDiffers, "Pay date,\"Dec 5, 2026\"": codeExecutionDateAhead,
		"Payment Date:,Sat 5-Dec-2026": codeExecutionDateAhead, "Salary of Nov 2026 to be paid on 5th December 2026": codeExecutionDateAhead, "Value date 05.12.26 10:22": codeExecutionDateAhead,
		"To be paid on 5th Dec": codeExecutionDateUnclear, "Payment date: 23/11/2026": "", "Payments due on 5 Dec 2026": "", "Payment on account of 2 invoices": "", "Pay period: 01/12/2026 - 31/12/2026": "",
		"Net payment after TDS: 12500": "", "Payment Date,Prepared By,Approved By": "", "Run date: 05/12/2026": "", strings.Repeat("5 ", 200) + "Payment date: 05-Dec-2026": "",
		"Status: Rejected": codeRowSaysOtherwise, "Status,Draft": codeRowSaysOtherwise, "DRAFT": codeRowSaysOtherwise, "Approved: No": codeRowSaysOtherwise, "Paid on 20/11/2026": codeRowSaysOtherwise,
		"Approved By,N. Rao": "", "Status as on: 23-Nov-2026": "", "KYC Status: Pending": "", "Currency : Indian Rupee": "", "Bank: State Bank of India": "",
		"Debit Account: other": codeDebitAccountUnclear, "Please debit our A/c 5020 0099 9999 99 and credit": codeDebitAccountUnclear, "Debit Account: pays": "", "Debit our A/c 50200011111111": "", "A/c 502000999999991": "",
		"Please debit our A/c : other": codeDebitAccountUnclear, "Paid from,other": codeDebitAccountUnclear,
		"Payment Mode: Cheque": codeModeNotByBank, "Mode,Cash": codeModeNotByBank, "Paid Through: DD": codeRowSaysOtherwise, "Paid Through: HDFC CA": "", "Payment Mode: Online": "", "Transaction Type: Credit": "", "Payment Mode: NEFT": "",
		"Total Amount: 10.00": "", "Total Amount:,Rs. 10": "", "Total: 1": "", "Total payees: 3": "", "Total,Prepared By": "", "Total (incl. TDS): 12.50": "",
		"Total Amount: 12.50": codeControlTotalDiffers, "Grand Total,,\"1,000.00\"": codeControlTotalDiffers, "Total:,Rs. 12.50": codeControlTotalDiffers, "Total Rs.: 12.50": codeControlTotalDiffers, "Total Amount,₹12.50/-": codeControlTotalDiffers,
		"Total: 12.50,Bank: 10.00": "", "Total,12.50,Cash,2.50,10": "", "Total: 12.50,Cash: 2.50": codeControlTotalDiffers,
		"No of payments: 1": "", "No. of transactions,1": "", "Payment No: 3": "", "Total payments: 3": "", "No of payees: 3": "", "No of payments per day: 3": "", "No of payments: one": "", "Total of payments: 3": "",
		"No of payments: 3": codeCountDiffers, "Total number of payouts,3": codeCountDiffers, "Transactions count: 0": codeCountDiffers,
	} {
		options := testOptions()
		options.Now = time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)
		options.Accounts = []ledger.DebitAccount{
			{Name: "pays", BankAccountID: "a1", PartnerBankID: 3, Default: true, AccountNumber: "50200011111111"}, {Name: "other", BankAccountID: "a2", PartnerBankID: 3, AccountNumber: "50200099999999"},
		}
		text := title + strings.Repeat(",", 4) + "\nRef No,Name,Account No,IFSC,Amount\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00\n"
		if got := strings.Join(bareCodes(checkText(t, options, nil, text)), " "); got != want {
			t.Errorf("%s: %q, want %q", title, got, want)
		}
		if options.Account = "pays"; want == codeDebitAccountUnclear && len(bareCodes(checkText(t, options, nil, text))) > 0 {
			t.Errorf("%s: refused for the account that was chosen", title)
		}
	}
}

// A note that states another unit refuses the sheet wherever it is: a person who leaves out its row would pay the numbers
// as rupees. What such a row says is quoted, because it may be an order.
func TestANoteBelowThePayouts(t *testing.T) {
	for note, said := range map[string]string{"Figures in K": "", "Rs. in Lakhs": "", "Do not pay before 5 Dec": "Do not pay before 5 Dec", "Account 50200012345678": "5678"} {
		o := checkText(t, testOptions(), nil, "Ref No,Name,Account No,IFSC,Amount\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00\n\n"+note+",,,,\n")
		refused, message := slices.Contains(bareCodes(o), codeAmountOtherUnit), o.finding(t, codeRowWithoutPayout).Message
		if refused != (said == "") || !strings.Contains(message, said) || strings.Contains(message, "12345678") {
			t.Errorf("%s: %+v", note, o.Findings)
		}
	}
}

// A day is that of the payout where the header says so.
func TestHeadersOfTheDayOfThePayout(t *testing.T) {
	for header, want := range map[string]bool{
		"Value Dt": true, "Payment Dt": true, "Pay Dt.": true, "Tran Date": true, "Chq / Trn Date": true, "Activation Date": true, "Instruction Date": true, "Cheque Date": true,
		"Scheduled Date": true, "To be paid on": true, "Date": true, "दिनांक": true, "भुगतान की तारीख": true, "PYMT_DATE": true, "Payment Date*": true, "Txn Date (DD/MM/YYYY)": true,
		"paymentdate": true, "VALUEDT": true, "Date of Payment": true, "Requested Execution Date": true, "Pay After": true, "Proposed Payment Date": true, "Disbursement Date": true, "Settlement Dt": true, "To be credited on": true,

		"Due Date": false, "Payment Due On": false, "Payment Due Date": false, "paymentduedate": false, "Invoice Date": false, "Bill Date": false, "Date of Birth": false,
		"Joining Date": false, "Document Date": false, "PO Date": false, "Validity Date": false, "Valid From": false, "Pay Period From": false, "Pay Period To": false,
		"Payment to date": false, "Credit Period": false, "Update": false, "Candidate": false, "On": false, "Value": false, "Approved On": false,
	} {
		options := testOptions()
		options.Now = time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)
		o := checkText(t, options, nil, "Ref No,Name,Account No,IFSC,Amount,"+header+"\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,25/12/2026\n")
		if got := slices.Contains(bareCodes(o), codeExecutionDateAhead); got != want {
			t.Errorf("%s: %v, want %v", header, o.codes(), want)
		}
	}
}

func TestDaysAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"2026-12-25": "2026-12-25", "2026/12/25": "2026-12-25", "25/12/2026": "2026-12-25", "25.12.26": "2026-12-25", "25-DEC-26": "2026-12-25", "12/28/2026": "2026-12-28",
		"05/12/2026": "2026-12-05", "20261225": "2026-12-25", "25122026": "2026-12-25", "Dec 25, 2026": "2026-12-25", "25 December, 2026": "2026-12-25", "25th Dec 2026": "2026-12-25",
		"2026-12-25T00:00:00": "2026-12-25", "25-12-2026 00:00:00": "2026-12-25", "25/12/2026 (Fri)": "2026-12-25", "Fri 25-Dec-2026": "2026-12-25", "Friday, 1st Jan 2027": "2027-01-01",
		"25Dec2026": "2026-12-25", "1-4-85": "1985-04-01",

		"": "", "-": "", "Dec-26": "", "December 2026": "", "Next Monday": "", "46381": "", "99999999": "", "31/02/2026": "", "25/13/2026": "", "२५/१२/२०२६": "", "1,25,026": "", "12500.50": "",
		"123456 / 25-12-2026": "", "th th th": "", "0/0/0000": "", "\xff\xfe": "", "9999999999999999999-12-25": "",
	} {
		day, ok := dayOf(text)
		if got := day.Format(time.DateOnly); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s %v, want %q", text, got, ok, want)
		}
	}
}

// A month before the day, weekdays and times are read alike, whatever else is around.
func TestDaysInEveryFormProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 3000).Draw(rt, "day"))
		form := rapid.SampledFrom([]string{"2006-01-02", "02/01/2006", "2.1.06", "02-Jan-2006", "2 January 2006", "Jan 2, 2006", "January 2 2006", "20060102", "02012006", "Mon, 02-Jan-2006",
			"Monday 2/1/2006", "2006-01-02T15:04:05", "02-01-2006 15:04", "2Jan2006"}).Draw(rt, "form")
		text := strings.ToUpper(day.Format(form))
		if got, ok := dayOf(text); !ok || !got.Equal(day) {
			rt.Errorf("%q: %v %v", text, got, ok)
		}
	})
}

func FuzzDayOf(f *testing.F) {
	for _, s := range []string{"25/12/2026", "Dec 25, 2026", "20261225", "Fri", "25th"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if day, ok := dayOf(s); ok && (day.Year() < 0 || day.Year() > 9999) {
			t.Errorf("%q: %v", s, day)
		}
	})
}

// A state is found below every header with one of its words, in every spelling, and what says
// pay is not.
func TestStatesProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(rt, name) }
		header := pick("before", "", "HOD ", "Finance ", "Bill ", "MD's ") + pick("word", "Approval", "Approved", "Status", "Approved (Y/N)", "Checked", "Verified") + pick("after", "", " by Accounts", " (Final)")
		trap := rapid.Bool().Draw(rt, "trap")
		said := pick("pay", "Yes", "Y", "OK", "Approved", "Pay", "Unpaid", "Ready", "To be released", "Cleared for payment", "")
		if trap {
			said = pick("stop", "No", "N", "HOLD", "on-hold", "Rejected", "rejected by MD", "Blocked", "Disputed", "Pending", "Draft", "Do not pay", "Paid", "Paid on 12/11", "Cancelled", "❌", "x")
		}
		o := checkText(t, testOptions(), nil, "Ref No,Name,Account No,IFSC,Amount,"+header+"\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,"+said+"\n")
		if got := slices.Contains(bareCodes(o), codeRowSaysOtherwise); got != trap || len(o.kept) != 1 {
			rt.Errorf("%s %q: %v", header, said, o.codes())
		}
	})
}

// A word that is not known is reported once, with the first row that has it. An empty cell matters only where other rows say
// that they are to be paid; amounts below a state, and the names of those who approve, are no states.
func TestAWordNextToRowsThatAreToBePaid(t *testing.T) {
	for _, c := range []struct {
		header string
		said   []string
		row    int // 0: no finding
	}{
		{"Status", []string{"Active", "Closed"}, 3},
		{"Status", []string{"Under review", "Approved by MD", "Notice"}, 2},
		{"Approved", []string{"✓", "", "Yes"}, 3},
		{"Status", []string{"Active", "Probation", "Confirmed"}, 0},
		{"Status", []string{"", "Under review", "Notice"}, 3},
		{"Status", []string{"", "", ""}, 0},
		{"Release", []string{"1350", "10.00", ""}, 0},
		{"Approved By", []string{"N. Rao", "", "S. Iyer"}, 0},
		{"Department", []string{"Active", "Closed"}, 0},
		{"KYC Status", []string{"Verified", "Closed"}, 0},
		{"Penny Drop Status", []string{"Success", "Success"}, 0},
		{"Process", []string{"Stitching", "Dyeing"}, 0},
		{"Process", []string{"Yes", "Later"}, 3},
		{"Tick", []string{"✓", "", "✓"}, 3},
		{"Marks", []string{"80", "", "75"}, 0},
		{"Released By", []string{"MD", "CFO"}, 0},
	} {
		text := "Ref No,Name,Account No,IFSC,Amount," + c.header + "\n"
		for i, said := range c.said {
			text += fmt.Sprintf("A-%d,Asha Traders,50200012345678,HDFC0001234,%d.00,%s\n", i, 10+i, said)
		}
		o := checkText(t, testOptions(), nil, text)
		var rows []int
		for _, f := range o.Findings {
			if f.Code == codeRowSaysOtherwise {
				rows = append(rows, f.Row)
			}
		}
		if c.row == 0 && rows != nil || c.row > 0 && !slices.Equal(rows, []int{c.row}) {
			t.Errorf("%s %q: rows %v", c.header, c.said, rows)
		}
	}
}

// A register of salaries says of some people that they are not there any more.
func TestOneWhoLeftIsNamed(t *testing.T) {
	for _, header := range []string{"Status", "Employee Status"} {
		for said, found := range map[string]bool{"Resigned": true, "Left": true, "left on 12/11": true, "Inactive": true, "Active": false, "Probation": false} {
			o := checkText(t, testOptions(), nil, "Ref No,Name,Account No,IFSC,Amount,"+header+"\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,"+said+"\n")
			if got := slices.Contains(bareCodes(o), codeRowSaysOtherwise); got != found {
				t.Errorf("%s %q: %v", header, said, o.codes())
			}
		}
	}
}

// The row that numbers the columns is one finding, and a payout that begins alike is read.
func TestARowThatNumbersTheColumns(t *testing.T) {
	const header = "Sl No,Ref No,Name,Account No,IFSC,Amount\n"
	o := checkText(t, testOptions(), nil, header+"1,2,3,4,5,6\n1,A-1,Asha Traders,50200012345678,HDFC0001234,10.00\n")
	if len(o.kept) != 1 || !slices.Equal(bareCodes(o), []string{codeRowWithoutPayout}) || !strings.Contains(o.finding(t, codeRowWithoutPayout).Message, "numbers the columns") {
		t.Errorf("%v", o.Findings)
	}
	if o := checkText(t, testOptions(), nil, header+"1,2,3,50200012345678,HDFC0001234,6\n"); len(o.kept) != 1 {
		t.Errorf("%v", o.Findings)
	}
}

// bareCodes are the codes of what was found, in order.
func bareCodes(o outcome) (codes []string) {
	for _, f := range o.Findings {
		codes = append(codes, f.Code)
	}
	return codes
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
	for _, bare := range []string{"राशि (Amount)", "Amt Rs.", "रकम in INR"} { // an amount in two languages, or with its unit, is as bare as in one
		o := checkText(t, testOptions(), nil, "Ref No,Name,Account No,IFSC,"+bare+",TDS,Net\nA-1,Asha Traders,50200012345678,HDFC0001234,10.00,1.00,9.00\n")
		if len(o.kept) != 0 || o.finding(t, codeAmountGrossOrNet).Cell != "E1" {
			t.Errorf("%s: %v", bare, o.codes())
		}
	}
}
