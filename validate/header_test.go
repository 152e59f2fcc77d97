package validate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"

	"payrun/ingest/visible"
)

func words(t testing.TB, mapping map[string]string) *vocabulary {
	t.Helper()
	v, err := newVocabulary(Options{Choices: Choices{Map: mapping}, Accounts: testAccounts})
	must(t, err)
	return v
}

// read gives the columns that a header row is read as, "" for unknown ones.
func read(v *vocabulary, cells ...string) []string {
	l := v.read(1, cells)
	out := make([]string, len(cells))
	for c, at := range l.at {
		if at >= 0 {
			out[at] = column(c).String()
		}
	}
	return out
}

// peoplesTemplates are templates that people upload elsewhere, with the columns
// as which theirs are read. samples/column-names.md shows them.
var peoplesTemplates = []struct{ from, header, want string }{
	{"HDFC Bank, ENet", "Transaction Type|Beneficiary Code|Beneficiary Account Number|Instrument Amount|Beneficiary Name|Customer Reference Number|IFSC Code", "transaction_type_id||bank_account_number|amount|vendor_name|merchant_txn_ref_id|ifsc"},
	{"ICICI Bank, CIB", "PYMT_MODE|DEBIT_ACC_NO|BNF_NAME|BENE_ACC_NO|BENE_IFSC|AMOUNT|REMARK", "transaction_type_id|bank_account_id|vendor_name|bank_account_number|ifsc|amount|remarks"},
	{"Axis Bank", "Payment Method|Payment Amount (Request)|Beneficiary Name (Request)|Bene Account No|Bene IFSC Code|Customer Ref No", "transaction_type_id|amount|vendor_name|bank_account_number|ifsc|merchant_txn_ref_id"},
	{"Axis Bank and others, short form", "Customer Reference No|Bene Name|Bene Account No|IFSC code|Account Type|Amount|Value date", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc||amount|"},
	{"Cashfree", "transferId|amount|transferMode|remarks|name|phone|email|bankAccount|ifsc", "merchant_txn_ref_id|amount|transaction_type_id|remarks|vendor_name|||bank_account_number|ifsc"},
	{"Paytm", "orderId|beneficiaryName|beneficiaryAccount|beneficiaryIFSC|amount|transferMode", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount|transaction_type_id"},
	{"RazorpayX, in rupees", "RazorpayX Account Number|Payout Amount (in Rupees)|Payout Mode|Fund Account Name|Fund Account Ifsc|Fund Account Number|Payout Narration|Payout Reference Id", "bank_account_id|amount|transaction_type_id|vendor_name|ifsc|bank_account_number|remarks|merchant_txn_ref_id"},
	{"a salary register", "Reference|Employee Name|Account Number|IFSC|Net Pay", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount"},
	{"a salary register with codes", "Emp Code|Employee|Bank A/c|Bank IFS|Take Home", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount"},
}

func TestHeadersOfTemplatesThatPeopleHave(t *testing.T) {
	for _, tpl := range peoplesTemplates {
		same(t, strings.Split(tpl.want, "|"), read(words(t, nil), strings.Split(tpl.header, "|")...), tpl.from)
	}
}

// The text template of Union Bank of India has the IFSC of the account that pays
// as Payee IFSC Code, next to Receiver IFSC Code: which is meant is asked.
func TestATemplateWithTwoIFSCsIsAskedAbout(t *testing.T) {
	header := strings.Split("Payment Type|Payee IFSC Code|Debit Account Number|Receiver IFSC Code|Beneficiary Account Number|Transaction Amount|Tran Remarks|Beneficiary Name|Ref No", "|")
	l := words(t, nil).read(1, header)
	if len(l.problems) != 1 || l.problems[0].Code != codeColumnRepeated || l.problems[0].Column != "ifsc" {
		t.Errorf("%+v", l.problems)
	}
	v := words(t, map[string]string{"ifsc": "Receiver IFSC Code"})
	want := strings.Split("||bank_account_id|ifsc|bank_account_number|amount|remarks|vendor_name|merchant_txn_ref_id", "|")
	same(t, want, read(v, header...))
}

func TestHeadersAsPeopleWriteThem(t *testing.T) {
	for name, tc := range map[string]struct{ header, want string }{
		"canonical":      {strings.Join(columnNames[:], "|"), strings.Join(columnNames[:], "|")},
		"contract":       {"Ref No|Payee|Bene Account No|IFSC Code|Amount (INR)|Narration|Debit Account|LEI", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount|remarks|bank_account_id|bene_lei"},
		"stars and caps": {"REFERENCE NO.*|BENEFICIARY NAME *|A/C NO.|IFSC CODE*|AMOUNT (₹)*", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount"},
		"hash signs":     {"Ref #|Payee Name|Account #|IFSC|Amt (Rs.)", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount"},
		"wrapped":        {"Ref\nNo|Beneficiary\nName|Account\r\nNumber|IFSC\nCode|Amount\n(INR)", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount"},
		"full width":     {"Ｒｅｆ　Ｎｏ|ｐａｙｅｅ|Account No|IFSC|ａｍｏｕｎｔ", "|vendor_name|bank_account_number|ifsc|amount"},
		"NBSP outside":   {"\u00a0Ref No\u00a0|Payee|Account No|IFSC|Amount\u00a0", "merchant_txn_ref_id|vendor_name|bank_account_number|ifsc|amount"},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(words(t, nil), strings.Split(tc.header, "|")...)
			same(t, strings.Split(tc.want, "|"), got)
		})
	}
}

func TestNoWordMeansTwoColumns(t *testing.T) {
	meaning := map[string]column{}
	for c := range columnCount {
		for _, w := range append([]string{c.String()}, columnWords[c]...) {
			key := visible.FoldHeader(w)
			if other, taken := meaning[key]; taken {
				t.Errorf("%q stands for %s and for %s", w, other, c)
			}
			meaning[key] = c
		}
	}
}

func TestAnotherColumnIsNotTakenForAKnownOne(t *testing.T) {
	for _, header := range []string{
		"Invoice No", "Invoice Amount", "Gross Amount", "Total", "GST", "Amount (Paise)", "Amount in words", "Sr No", "Bank Name", "Branch",
		"Account Type", "Account", "Beneficiary Code", "Beneficiary Email", "UTR", "Date", "Mobile", "PAN", "TDS Amount", "Bank Reference", "",
	} {
		if got := read(words(t, nil), header); got[0] != "" {
			t.Errorf("%q is read as %s", header, got[0])
		}
	}
}

func problems(v *vocabulary, cells ...string) []string {
	l := v.read(1, cells)
	v.findFaults(&l)
	var out []string
	for _, p := range l.problems {
		out = append(out, p.Column+":"+p.Code)
	}
	return out
}

func TestHeadersThatAreRefused(t *testing.T) {
	full := []string{"merchant_txn_ref_id", "vendor_name", "bank_account_number", "ifsc", "amount"}
	with := func(change ...string) []string {
		cells := slices.Clone(full)
		for i := 0; i+1 < len(change); i += 2 {
			at := slices.Index(cells, change[i])
			cells[at] = change[i+1]
		}
		return cells
	}
	for name, tc := range map[string]struct {
		cells []string
		want  []string
	}{
		"complete":                     {full, nil},
		"two words for one column":     {append(with(), "Net Pay"), []string{"amount:column_repeated"}},
		"same header twice":            {append(with(), "AMOUNT"), []string{"amount:column_repeated"}},
		"unknown header twice":         {append(with(), "Cost Centre", "cost-centre"), []string{"cost-centre:column_repeated"}},
		"missing":                      {full[:4], []string{"amount:column_missing"}},
		"misspelt":                     {with("amount", "amuont"), []string{"amount:column_missing"}},
		"Cyrillic а":                   {with("amount", "аmount"), []string{"amount:header_look_alike"}},
		"all Cyrillic":                 {with("ifsc", "іfѕс"), []string{"ifsc:header_look_alike"}},
		"Greek ο":                      {with("amount", "Amοunt"), []string{"amount:header_look_alike"}},
		"zero-width space":             {with("amount", "am\u200bount"), []string{"amount:header_look_alike"}},
		"zero-width at the end":        {with("amount", "amount\u200b"), []string{"amount:header_look_alike"}},
		"NBSP inside":                  {with("ifsc", "IFSC\u00a0Code"), []string{"ifsc:header_look_alike"}},
		"soft hyphen":                  {with("ifsc", "if\u00adsc"), []string{"ifsc:header_look_alike"}},
		"variation selector":           {with("ifsc", "ifsc\ufe0f"), []string{"ifsc:header_look_alike"}},
		"optional column too":          {append(with(), "rеmarks"), []string{"remarks:header_look_alike"}},
		"look-alike next to the real":  {append(with(), "аmount"), []string{"amount:header_look_alike"}},
		"optional column misspelt":     {append(with(), "bank_acount_id"), []string{"bank_account_id:column_similar"}},
		"numbered remarks are no slip": {append(with(), "Remarks 2"), nil},
		"amount may be paise":          {append(with("amount", "Payout Amount"), "Fund Account Id"), []string{"amount:amount_unit_unclear"}},
		"amount says rupees":           {append(with("amount", "Payout Amount (INR)"), "Fund Account Id"), nil},
		"payout amount alone":          {with("amount", "Payout Amount"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, tc.want, problems(words(t, nil), tc.cells...))
		})
	}
}

func TestARefusedHeaderSaysWhatWasProbablyMeant(t *testing.T) {
	out := checkText(t, testOptions(), nil, "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,Net Disbursal\n"+good("A", "1"))
	f := out.finding(t, codeColumnMissing)
	if f.Row != 1 || f.Column != "amount" || !strings.Contains(f.Message, `did you mean "Net Disbursal"`) || f.Option != (ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Disbursal"}) {
		t.Errorf("%+v", f)
	}
	out = checkText(t, testOptions(), nil, "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,аmount\n"+good("A", "1"))
	f = out.finding(t, codeHeaderLookAlike)
	if f.Column != "amount" || !strings.Contains(f.Message, "did you mean amount") {
		t.Errorf("%+v", f)
	}
	if len(out.given) != 0 || out.Sheet.Rows != 0 || !out.FileRefused() {
		t.Errorf("a refused sheet gave %d payouts", len(out.given))
	}
	if out.Sheet.SHA256 == "" || out.Sheet.ID == "" {
		t.Error("a refused sheet has no hash")
	}
}

func TestAHeaderOfTheLongestTextIsKeptAndNotRead(t *testing.T) {
	long := strings.Repeat("amount ", 100)
	full := []string{"ref", "payee", "account no", "ifsc", "amount"}
	if p := problems(words(t, nil), append(full, long, long)...); p != nil {
		t.Errorf("%v", p)
	}
	pad := strings.Repeat(" ", maxHeaderBytes-len("amount*")) // folded away
	if got := read(words(t, nil), "amount"+pad+"*"); got[0] != "amount" {
		t.Error("a header at the limit is not read")
	}
	if got := read(words(t, nil), "amount"+pad+"**"); got[0] != "" {
		t.Error("a header over the limit is read")
	}
}

func TestMapNamesTheColumn(t *testing.T) {
	v := words(t, map[string]string{"amount": "net  PAY (final)"})
	got := read(v, "Ref", "Payee", "Account No", "IFSC", "Amount", "Net Pay (Final)")
	want := []string{"merchant_txn_ref_id", "vendor_name", "bank_account_number", "ifsc", "", "amount"}
	same(t, want, got)
	if p := problems(words(t, map[string]string{"amount": "Payout Amount"}), "Ref", "Payee", "Account No", "IFSC", "Payout Amount", "Fund Account Id"); p != nil {
		t.Errorf("--map settles the unit, but: %v", p)
	}
}

func TestMapThatNoSheetCanSatisfyIsWrongUsage(t *testing.T) {
	for name, mapping := range map[string]map[string]string{
		"no such canonical name": {"sum": "Amount"},
		"empty header":           {"amount": " "},
		"one header twice":       {"amount": "X", "ifsc": "x"},
	} {
		if _, err := newVocabulary(Options{Choices: Choices{Map: mapping}}); !isUsage(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRequiredColumnsDependOnTheDebitAccounts(t *testing.T) {
	rib, other := testAccounts[2], testAccounts[0]
	byID := []string{"ref", "amount", "open_beneficiary_id"}
	byAccount := []string{"ref", "amount", "payee", "account no", "ifsc"}
	for name, tc := range map[string]struct {
		accounts []ledger.DebitAccount
		cells    []string
		want     []string
	}{
		"RIB only, by id":        {[]ledger.DebitAccount{rib}, byID, nil},
		"RIB only, by account":   {[]ledger.DebitAccount{rib}, byAccount, []string{"open_beneficiary_id:column_missing"}},
		"both, by id":            {[]ledger.DebitAccount{rib, other}, byID, nil},
		"both, by account":       {[]ledger.DebitAccount{rib, other}, byAccount, nil},
		"no RIB, by id":          {[]ledger.DebitAccount{other}, byID, []string{"vendor_name:column_missing", "bank_account_number:column_missing", "ifsc:column_missing"}},
		"no RIB, by account":     {[]ledger.DebitAccount{other}, byAccount, nil},
		"no accounts configured": {nil, byAccount, nil},
	} {
		v, err := newVocabulary(Options{Accounts: tc.accounts})
		must(t, err)
		same(t, tc.want, problems(v, tc.cells...), name)
	}
}

func FuzzHeader(f *testing.F) {
	for c := range columnCount {
		f.Add(c.String(), "amount")
		for _, w := range columnWords[c] {
			f.Add(w, "Payout Amount")
		}
	}
	f.Add("аmount", "am\u200bount")
	f.Add("IFSC\u00a0Code", "#")
	f.Add("\xff", "\x00")
	v, err := newVocabulary(Options{Accounts: testAccounts})
	must(f, err)
	f.Fuzz(func(t *testing.T, a, b string) {
		l := v.read(1, []string{a, b, a})
		v.findFaults(&l)
		for c, at := range l.at {
			if at < 0 {
				continue
			}
			// What is read as a column has nothing in it that does not show.
			got, ok := l.mapping.meaning(visible.FoldHeader(l.headers[at]))
			for _, lone := range loneWords {
				if visible.FoldHeader(lone.word) == visible.FoldHeader(l.headers[at]) {
					got, ok = lone.of, true
				}
			}
			if !ok || got != column(c) {
				t.Fatalf("%q stands for %s and means %s", l.headers[at], column(c), got)
			}
			for _, r := range l.headers[at] {
				if r >= 0x80 && !visible.Is(r) {
					t.Fatalf("%q is read as %s in spite of %U", l.headers[at], column(c), r)
				}
			}
		}
		if visible.Trim(a) != "" && headerKey(visible.Trim(a)) != "" && len(l.problems) == 0 {
			t.Fatalf("%q stands there twice, and nothing is said", a)
		}
	})
}

func isUsage(err error) bool {
	_, ok := errors.AsType[*UsageError](err)
	return ok
}

// A header of which too little is understood is a header all the same where it looks
// like one: a person can say what its columns are, and no value is taken for a name.
func TestAHeaderIsGuessedByItsLooks(t *testing.T) {
	const data = "X-1,Asha,123456789012,HDFC0001234,100.00\n"
	for name, tc := range map[string]struct {
		text         string
		read, unread int
	}{
		"two known":             {"Kode,Payee,Konto,Clearing,Amount\n" + data, 2, 3},
		"none known":            {"Kode,Nama,Konto,Clearing,Betrag\n" + data, 0, 5},
		"below titles":          {"Amount in INR\n\nKode,Nama,Konto,Clearing,Betrag\n" + data, 0, 5},
		"what is known most of": {"eins,zwei,drei\nKode,Payee,Konto,Clearing,Amount\n" + data, 2, 3},
		"below a wide title":    {"Acme Ltd,Payment Sheet,November\n\nKode,Nama,Konto,Clearing,Betrag\n" + data, 0, 5},
		"values":                {data + data, 0, 0},
		"nothing below":         {"Kode,Nama,Konto,Clearing,Betrag\n", 0, 0},
		"the same name twice":   {"Kode,Kode,Konto,Clearing,Betrag\n" + data, 0, 0},
		"too few":               {"Kode,Nama\n1,2\n", 0, 0},
		"text":                  {"hello\nworld\n", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			out := checkText(t, testOptions(), &memory{}, tc.text)
			same(t, []string{"0::header_missing"}, out.codes())
			if len(out.Read) != tc.read || len(out.Unread) != tc.unread {
				t.Errorf("read %+v, not read %+v", out.Read, out.Unread)
			}
			if f := out.Findings[0]; (f.Option.Name == ledger.OptionMap) != (tc.read+tc.unread > 0) {
				t.Errorf("%+v", f)
			}
		})
	}
	o := testOptions()
	o.Map = map[string]string{"reference": "Kode", "vendor_name": "Nama", "bank_account_number": "Konto", "ifsc": "Clearing", "amount": "Betrag"}
	if out := checkText(t, o, &memory{}, "Kode,Nama,Konto,Clearing,Betrag\n"+data); len(out.codes()) > 0 || out.Sheet.Accepted.Count != 1 {
		t.Errorf("as a person says: %q, %+v", out.codes(), out.Sheet.Accepted)
	}
	// The header of the first table is none, for it names two columns alike.
	out := checkText(t, o, &memory{}, "Kode,Kode,Konto,Clearing,Betrag\n"+data+"Kode,Nama,Konto,Clearing,Betrag\nX-2"+data[3:])
	same(t, []string{"3::payouts_above_header"}, out.codes())
	// A title above has a branch code, or a number, where payouts have theirs, and pays no one.
	o.Map = nil
	for _, title := range []string{",,,HDFC0001234,\n", "November,,,,12\n"} {
		if out := checkText(t, o, &memory{}, title+"Reference,Name,Account Number,IFSC Code,Amount\n"+data); len(out.codes()) > 0 || out.Sheet.Accepted.Count != 1 {
			t.Errorf("below %q: %q, %+v", title, out.codes(), out.Sheet.Accepted)
		}
	}
	// What the map names is in another row than the guess would take.
	o.Map = map[string]string{"reference": "Kode"}
	out = checkText(t, o, &memory{}, "Vendor payments,November,Accounts\nKode,Nama,Konto,Konto,Betrag\n"+data)
	if f := out.finding(t, codeHeaderMissing); !strings.Contains(f.Message, `row 2 comes nearest, with "Kode"`) {
		t.Errorf("%+v", f)
	}
}

func TestTheRowThatComesNearestToAHeader(t *testing.T) {
	const payout = "X-1,Asha,50200012345678,HDFC0001234,10.00\n"
	for _, tc := range []struct{ name, text, code, want string }{
		{"the first of two equal rows", "Reference,Foo\nAmount,Bar\n", codeHeaderMissing, `row 1 comes nearest, with "Reference"`},
		{"three names are a header", "Reference,Name,Amount,IFSC Code\n" + payout, codeColumnMissing, "there is no column bank_account_number"},
		{"three names, one of them no payout's", "Reference,Name,Foo,IFSC Code,Bar\n" + payout, codeColumnMissing, "there is no column"},
		{"payouts without a header", payout + payout, codeHeaderMissing, "none of the first 20 rows names the columns; row 1 looks like a payout already"},
		{"names that are misspelt", "Reff,Beneficiary Nmae,Acct,IFSC,Amt\n" + payout, codeHeaderMissing,
			`and "Amt" as amount; did you mean "Reff" for merchant_txn_ref_id, "Beneficiary Nmae" for vendor_name, "Acct" for bank_account_number?`},
		{"only titles", "November,salaries\nof the plant,\n", codeHeaderMissing, "none of the first 20 rows names the columns"},
		{"blank rows", strings.Repeat(",,,,\n", 25) + payout, codeHeaderMissing, "none of the first 20 rows names the columns"},
	} {
		out := checkText(t, testOptions(), &memory{}, tc.text)
		i := slices.IndexFunc(out.Findings, func(f ledger.Finding) bool { return f.Code == tc.code })
		if i < 0 || !strings.Contains(out.Findings[i].Message, tc.want) {
			t.Errorf("%s: %+v", tc.name, out.Findings)
		}
	}
}

func TestACodeOfAPersonIsNoReferenceWithoutAPrefix(t *testing.T) {
	const text = "Emp Code,Name,Account Number,IFSC Code,Amount\nE1,Asha,50200012345678,HDFC0001234,10.00\n"
	o := testOptions()
	checkText(t, o, &memory{}, text).finding(t, codeReferenceOfPerson)
	o.RefPrefix = "NOV-"
	if out := checkText(t, o, &memory{}, text); slices.Contains(out.codes(), "1:merchant_txn_ref_id:"+codeReferenceOfPerson) {
		t.Errorf("with a prefix of the month: %q", out.codes())
	}
}
