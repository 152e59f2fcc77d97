package validate

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// messageText is a pain.001 of six payouts, paid from 50200003000009 and 50200001000003.
func messageText(t *testing.T, edits ...string) string {
	t.Helper()
	b, err := os.ReadFile("../samples/pain-001-09.xml")
	must(t, err)
	text := string(b)
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(text, edits[i]) {
			t.Fatalf("%q is not there", edits[i])
		}
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	return text
}

func messageOptions() Options {
	o := testOptions()
	o.Accounts = slices.Clone(o.Accounts)
	o.Accounts[0].AccountNumber, o.Accounts[1].AccountNumber = "50200003000009", "50200001000003"
	o.Now = time.Date(2025, time.November, 27, 9, 0, 0, 0, time.UTC)
	return o
}

func TestAMessageIsJudgedAsASheet(t *testing.T) {
	o := checkText(t, messageOptions(), nil, messageText(t))
	if len(o.Findings) != 0 || len(o.kept) != 6 || o.Sheet.Format != "pain.001" || o.Sheet.Header != 1 {
		t.Fatalf("%v, %d payouts, %+v", o.codes(), len(o.kept), o.Sheet)
	}
	first, last := o.kept[0], o.kept[5]
	if first.Ref != "DEC25/A" || first.BankAccountID != testAccounts[0].BankAccountID || first.Amount != 40_000_00 || first.Remarks != "December advance, lot 1" || first.TransactionTypeID != "NEFT" {
		t.Errorf("the first is %+v", first)
	}
	if last.BankAccountID != testAccounts[1].BankAccountID || last.Row != 7 {
		t.Errorf("the last is %+v", last)
	}
	at := slices.IndexFunc(o.Read, func(c ReadColumn) bool { return c.Column == "ifsc" })
	if at < 0 || o.Read[at] != (ReadColumn{"ifsc", "PmtInf/CdtTrfTxInf/CdtrAgt/FinInstnId/ClrSysMmbId/MmbId", "", 3}) {
		t.Errorf("read: %+v", o.Read)
	}
	if !slices.Contains(o.Unread, ReadColumn{Header: "PmtInf/CdtTrfTxInf/Cdtr/PstlAdr", Place: -1}) {
		t.Errorf("not read: %+v", o.Unread)
	}
}

func TestAPlaceInAMessageIsALineAndAPath(t *testing.T) {
	o := checkText(t, messageOptions(), nil, messageText(t, "TSTB0000222", "TSTBO000222", `Ccy="INR">18250.50`, `Ccy="USD">18250.50`, "December advance, lot 1", "do not pay"))
	if f := o.finding(t, codeRowSaysOtherwise); f.Row != 2 || f.Cell != "line 22" || f.Message != `"PmtInf/CdtTrfTxInf/RmtInf/Ustrd" says "do not pay"` {
		t.Errorf("%+v", f)
	}
	if f := o.finding(t, codeIFSCMalformed); f.Row != 3 || f.Cell != "line 34" || !strings.HasSuffix(f.Header, "/ClrSysMmbId/MmbId") || f.Ref != "DEC25/B" {
		t.Errorf("%+v", f)
	}
	if f := o.finding(t, codeAmountCurrency); f.Row != 4 || f.Cell != "line 46" || f.Header != "PmtInf/CdtTrfTxInf/Amt/InstdAmt/@Ccy" || f.Value != "USD" {
		t.Errorf("%+v", f)
	}
	// what refuses the file has its place too
	o = checkText(t, messageOptions(), nil, messageText(t, "<RmtInf>", "<Tax/><RmtInf>"))
	if f := o.finding(t, "pain_element_refused"); f.Row != 0 || f.Cell != "line 32" || f.Header != "PmtInf/CdtTrfTxInf/Tax" {
		t.Errorf("%+v", f)
	}
}

func TestEveryEntryOfAMessageIsAPayout(t *testing.T) {
	// in a sheet, the first would be its total; "none" is too short to be an account
	o := checkText(t, messageOptions(), nil, messageText(t,
		"<Nm>Konkan Packaging", "<Nm>Total", "<Id>0050200111111", "<Id>none",
		"<EndToEndId>DEC25/B", "<EndToEndId>notprovided"))
	if got := o.codes(); !slices.Equal(got, []string{"2:bank_account_number:account_malformed", "3:merchant_txn_ref_id:reference_missing"}) {
		t.Errorf("%v", got)
	}
	if o.Sheet.Rows != 6 || o.Sheet.Accepted.Count != 4 {
		t.Errorf("%+v", o.Sheet)
	}
}

func TestTheDayOfAMessage(t *testing.T) {
	options := messageOptions()
	later := messageText(t, "<Dt>2025-11-27", "<Dt>2025-11-28+05:30")
	o := checkText(t, options, nil, later)
	if len(o.Findings) != 4 || o.Findings[0].Code != codeExecutionDateAhead || o.Findings[0].Cell != "line 22" || o.Findings[0].Value != "2025-11-28" || o.Sheet.Accepted.Count != 2 {
		t.Errorf("a day ahead: %v", o.codes())
	}
	options.Now = options.Now.AddDate(0, 0, 1)
	o = checkText(t, options, nil, later) // one warning of each day that is past
	if got := o.codes(); !slices.Equal(got, []string{"6::" + codeExecutionDatePast}) || o.Refused() {
		t.Errorf("a day past: %v", got)
	}
	options.Strict = true
	if o := checkText(t, options, nil, later); !o.Refused() {
		t.Error("a warning, with --strict, refuses nothing")
	}
}

func TestTheDebtorIsKnownByItsNumberOnly(t *testing.T) {
	o := checkText(t, messageOptions(), nil, messageText(t, "<Id>50200003000009", "<Id>main"))
	if f := o.Findings[0]; f.Code != codeDebitAccountUnknown || len(o.Findings) != 4 || !strings.Contains(f.Fix, "account_number") {
		t.Errorf("%v", o.codes())
	}
	options := messageOptions() // two accounts of one number are none
	options.Accounts[1].AccountNumber = "50200003000009"
	if o := checkText(t, options, nil, messageText(t)); o.Sheet.Accepted.Count != 0 {
		t.Errorf("%v", o.codes())
	}
}

func TestNothingIsToldOfTheColumnsOfAMessage(t *testing.T) {
	options := messageOptions()
	options.Map = map[string]string{"amount": "remarks"}
	_, err := Check(context.Background(), writeFile(t, "a.xml", messageText(t)), options, nil, func([]Accepted) error { return nil })
	if u, ok := errors.AsType[*UsageError](err); !ok || !strings.Contains(u.Why, "pain.001") {
		t.Errorf("%v", err)
	}
	options.Map, options.Columns = nil, map[string]string{"vendor_name": "remarks", "remarks": "vendor_name"} // of payrun.toml, for sheets
	if o := checkText(t, options, nil, messageText(t)); len(o.kept) != 6 || o.kept[0].VendorName != "Konkan Packaging" {
		t.Errorf("%v", o.codes())
	}
}
