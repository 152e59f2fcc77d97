package validate

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// keptBy is what the trail tells after someone kept columns for a header, with | between
// its names.
func keptBy(t testing.TB, actor, header string, columns map[string]string) ledger.ColumnsTrail {
	t.Helper()
	var trail ledger.ColumnsTrail
	alsoKept(t, &trail, actor, header, columns)
	return trail
}

// alsoKept is what someone kept after all that the trail tells.
func alsoKept(t testing.TB, trail *ledger.ColumnsTrail, actor, header string, columns map[string]string) {
	t.Helper()
	follows(t, trail, actor, words(t, nil).read(1, strings.Split(header, "|")).sum, columns)
}

func keptFor(t testing.TB, actor, sum string, columns map[string]string) (trail ledger.ColumnsTrail) {
	t.Helper()
	follows(t, &trail, actor, sum, columns)
	return trail
}

func follows(t testing.TB, trail *ledger.ColumnsTrail, actor, sum string, columns map[string]string) {
	t.Helper()
	e, _ := trail.Decide(ledger.KeptColumns{Header: sum, Columns: columns, SheetID: "sh1", Actor: actor, At: time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC)})
	e.Seq = int64(len(trail.Newest()) + 1)
	must(t, trail.Replay(e))
}

const keptHeader = "Reference|Payee|Account No|IFSC|Amount|In Hand|Why"

func TestColumnsAreReadAsTheyWereKept(t *testing.T) {
	inHand := map[string]string{"amount": "In Hand"}
	no, yes := false, true
	for name, c := range map[string]struct {
		header string
		o      Options
		amount string // the header it is read from; "" where the sheet is refused
		code   string
		as     bool // it is said to be read as kept
	}{
		"the same header":                    {keptHeader, Options{}, "In Hand", "", true},
		"written otherwise":                  {"REFERENCE|Payee *|Account No.|ifsc|Amount (INR)|in_hand| Why ", Options{}, "in_hand", "", true},
		"given back":                         {keptHeader + "|payrun_reason|payrun_fix|payrun_sheet|payrun_row", Options{Origin: &ledger.Sheet{}}, "In Hand", "", true},
		"a result sheet":                     {keptHeader + "|payrun_status|PAYRUN_UTR", Options{}, "In Hand", "", true},
		"a column more":                      {keptHeader + "|Loan", Options{}, "", codeKeptNearly, false},
		"a column more, of signs":            {keptHeader + "|***", Options{}, "", codeKeptNearly, false},
		"one of payrun's in the middle":      {"Reference|payrun_fix|Payee|Account No|IFSC|Amount|In Hand|Why", Options{}, "", codeKeptNearly, false},
		"an empty one in the middle":         {"Reference||Payee|Account No|IFSC|Amount|In Hand|Why", Options{}, "", codeKeptNearly, false},
		"another order":                      {"Reference|Payee|Account No|IFSC|In Hand|Amount|Why", Options{}, "", codeKeptNearly, false},
		"a column less":                      {"Reference|Payee|Account No|IFSC|Amount|In Hand", Options{}, "", codeKeptNearly, false},
		"that column less":                   {"Reference|Payee|Account No|IFSC|Amount|Why", Options{}, "Amount", "", false},
		"nearly, and read alike":             {"Reference|Payee|Account No|IFSC|In Hand", Options{Columns: inHand}, "In Hand", "", false},
		"nearly, and the map says":           {keptHeader + "|Loan", Options{Choices: Choices{Map: map[string]string{"amount": "Amount"}}}, "Amount", "", false},
		"nearly, and always":                 {keptHeader + "|Loan", Options{Columns: map[string]string{"amount": "Amount"}}, "", codeKeptNearly, false},
		"nearly, and a profile":              {keptHeader + "|Loan", Options{Profiles: []Profile{{"loan", map[string]string{"amount": "Amount"}}}}, "", codeKeptNearly, false},
		"nearly, and a profile takes it":     {keptHeader + "|Loan", Options{Profiles: []Profile{{"loan", map[string]string{"remarks": "In Hand"}}}}, "", codeKeptNearly, false},
		"nearly, and the map takes it":       {keptHeader + "|Loan", Options{Choices: Choices{Map: map[string]string{"remarks": "In Hand"}}}, "Amount", "", false},
		"nearly, and read without":           {keptHeader + "|Loan", Options{Choices: Choices{KeepColumns: &no}}, "Amount", "", false},
		"the map goes first":                 {keptHeader, Options{Choices: Choices{Map: map[string]string{"amount": "Amount"}}}, "Amount", "", false},
		"the map of another column":          {keptHeader, Options{Choices: Choices{Map: map[string]string{"remarks": "Why"}}}, "In Hand", "", true},
		"the map takes its header":           {keptHeader, Options{Choices: Choices{Map: map[string]string{"remarks": "In Hand"}}}, "Amount", "", false},
		"read without":                       {keptHeader, Options{Choices: Choices{KeepColumns: &no}}, "Amount", "", false},
		"a profile that agrees":              {keptHeader, Options{Profiles: []Profile{{"salary", inHand}}}, "In Hand", "", true},
		"a profile of another column":        {keptHeader, Options{Profiles: []Profile{{"salary", map[string]string{"remarks": "Why"}}}}, "In Hand", "", true},
		"a profile that does not agree":      {keptHeader, Options{Profiles: []Profile{{"salary", map[string]string{"amount": "Amount"}}}}, "", codeKeptDiffers, true},
		"a profile with its header":          {keptHeader, Options{Profiles: []Profile{{"salary", map[string]string{"remarks": "In Hand"}}}}, "", codeKeptDiffers, true},
		"a profile, and read without":        {keptHeader, Options{Choices: Choices{KeepColumns: &no}, Profiles: []Profile{{"salary", map[string]string{"amount": "Amount"}}}}, "Amount", "", false},
		"a profile, and the map settles it":  {keptHeader, Options{Choices: Choices{Map: map[string]string{"amount": "Amount"}}, Profiles: []Profile{{"salary", map[string]string{"amount": "Amount"}}}}, "Amount", "", false},
		"a profile of sheets with more":      {keptHeader, Options{Profiles: []Profile{{"salary", map[string]string{"amount": "Amount", "remarks": "Loan"}}}}, "In Hand", "", true},
		"always, which is for any header":    {keptHeader, Options{Columns: map[string]string{"amount": "Amount"}}, "In Hand", "", true},
		"kept again, with what was kept":     {keptHeader, Options{Choices: Choices{KeepColumns: &yes, Map: map[string]string{"remarks": "Why"}}}, "In Hand", "", true},
		"a row above it with the same words": {"In Hand|Why||||||\n" + keptHeader, Options{}, "In Hand", "", true},
	} {
		o := c.o
		o.Accounts, o.Kept = testAccounts, keptBy(t, "asha", keptHeader, inHand)
		text := strings.ReplaceAll(c.header, "|", ",") + "\nE1,Asha Traders,50200012345678,HDFC0001234" + strings.Repeat(",1", max(0, strings.Count(c.header[strings.LastIndex(c.header, "\n")+1:], "|")-3)) + "\n"
		out := checkText(t, o, nil, text)
		amount, refused := "", ""
		for _, r := range out.Read {
			if r.Column == "amount" {
				amount = r.Header
			}
		}
		for _, f := range out.Findings {
			if f.Code == codeKeptDiffers || f.Code == codeKeptNearly {
				refused = f.Code
				if f.Severity != ledger.SeverityError || f.Option != readWithoutKept || !strings.Contains(f.Message, "asha saved on 12 Nov 2026") {
					t.Errorf("%s: %+v", name, f)
				}
			}
		}
		if refused != c.code || c.code == "" && amount != c.amount || c.code != "" && out.Sheet.Accepted.Count > 0 {
			t.Errorf("%s: the amount is read from %q, refused for %q; want %q, %q", name, amount, refused, c.amount, c.code)
		}
		if out.AsKept != c.as || out.AsKept && (out.Kept.Actor != "asha" || c.code == "" && out.Columns["amount"] != "In Hand") {
			t.Errorf("%s: as kept is %t, by %+v, columns %v", name, out.AsKept, out.Kept, out.Columns)
		}
		if want := map[string]string{"amount": "In Hand", "remarks": "Why"}; o.keeps() != maps.Equal(out.Keep, want) {
			t.Errorf("%s: keeps %v", name, out.Keep)
		}
	}
}

// What is kept for one header is not hidden by what someone keeps later for another
// one whose columns the sheet has, too.
func TestANewerChoiceDoesNotHideAnOlderOne(t *testing.T) {
	o := testOptions()
	o.Kept = keptBy(t, "asha", keptHeader, map[string]string{"amount": "In Hand"})
	alsoKept(t, &o.Kept, "ravi", "Reference|Payee|Account No|IFSC|Amount|Bonus", map[string]string{"amount": "Amount"})
	sheet := strings.ReplaceAll(keptHeader, "|", ",") + ",Loan\n" + good("E1", "5,5,x,1")
	out := checkText(t, o, nil, sheet)
	if len(out.Findings) != 1 || out.Findings[0].Code != codeKeptNearly || !strings.Contains(out.Findings[0].Message, "asha saved on") {
		t.Errorf("%+v", out.Findings)
	}
	alsoKept(t, &o.Kept, "mira", keptHeader+"|Rent", map[string]string{"amount": "In Hand"})
	if out := checkText(t, o, nil, sheet); len(out.Findings) != 1 || !strings.Contains(out.Findings[0].Message, "mira saved on") {
		t.Errorf("of one column it is said once, of the newest: %+v", out.Findings)
	}
	o.Map = map[string]string{"amount": "In Hand"}
	if out := checkText(t, o, nil, sheet); out.Refused() {
		t.Errorf("the map settles it: %v", out.codes())
	}
}

// Another column that goes away changes nothing of where a payout's own columns are read.
func TestARenamedRemarkDoesNotMoveTheAmount(t *testing.T) {
	o := testOptions()
	o.Kept = keptBy(t, "asha", keptHeader, map[string]string{"amount": "In Hand", "remarks": "Why"})
	const header = "Reference,Payee,Account No,IFSC,Amount,"
	for names, refused := range map[string]string{
		"In Hand,Reason": "amount",
		"Net,Why":        "", // the amount that was kept is not there, and nothing else needs that remark
		"Net,Reason":     "",
		"In Hand,Why,No": "remarks amount",
	} {
		out := checkText(t, o, nil, header+names+"\n"+good("E1", "5,5"+strings.Repeat(",x", strings.Count(names, ","))))
		var columns []string
		for _, f := range out.Findings {
			if f.Code == codeKeptNearly {
				columns = append(columns, f.Column)
			}
		}
		slices.Sort(columns)
		want := strings.Fields(refused)
		slices.Sort(want)
		if !slices.Equal(columns, want) {
			t.Errorf("%s: %q is refused, want %q: %+v", names, columns, want, out.Findings)
		}
	}
}

// A sheet of which only the kept columns are understood is known for what it is.
func TestAHeaderThatNearlyIsTheKeptOneIsFound(t *testing.T) {
	o := testOptions()
	columns := map[string]string{"merchant_txn_ref_id": "Kennung", "vendor_name": "Wer", "bank_account_number": "Wohin", "ifsc": "Zweig", "amount": "Wieviel"}
	o.Kept = keptBy(t, "asha", "Kennung|Wer|Wohin|Zweig|Wieviel", columns)
	if out := checkText(t, o, nil, "Kennung,Wer,Wohin,Zweig,Wieviel\n"+good("E1", "5")); out.Refused() || !out.AsKept {
		t.Errorf("%v", out.codes())
	}
	out := checkText(t, o, nil, "Kennung,Wer,Wohin,Zweig,Wieviel,Warum\n"+good("E1", "5,x"))
	if len(out.Findings) != len(columns) || out.Findings[0].Code != codeKeptNearly || out.Sheet.Rows != 0 {
		t.Errorf("%v", out.codes())
	}
}

func TestWhatCannotBeKept(t *testing.T) {
	yes := true
	long := strings.Repeat("x", 32_000)
	for name, c := range map[string]struct{ header, message string }{
		"nothing is chosen": {"Reference,Payee,Account No,IFSC,Amount", "no column is chosen that could be saved"},
		"payrun's own":      {"Reference,Payee,Account No,IFSC,Net,payrun_net", `the column "payrun_net" cannot be saved for amount: payrun adds such columns after those of a sheet, and they are not part of its header`},
		"a long name":       {"Reference,Payee,Account No,IFSC,Net," + strings.Repeat(long+",", 40), "columns cannot be saved for a header with a name of more than 300 bytes"},
	} {
		o := testOptions()
		o.KeepColumns = &yes
		if name != "nothing is chosen" {
			o.Map = map[string]string{"amount": "Net"}
		}
		if name == "payrun's own" {
			o.Map = map[string]string{"amount": "payrun_net"}
		}
		_, err := Check(context.Background(), writeFile(t, "sheet.csv", c.header+"\n"+good("E1", "5")), o, nil, func([]Accepted) error { return nil })
		u, ok := errors.AsType[*UsageError](err)
		if !ok || u.Option != (ledger.Option{Name: ledger.OptionKeepColumns, Value: "true"}) || u.Why != c.message {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A column that payrun puts behind a person's own is no part of the header. What was
// kept of one refuses the sheets that have it not, and is forgotten as anything is.
func TestAColumnOfPayrunThatWasKeptOnceCanBeForgotten(t *testing.T) {
	o, no := testOptions(), false
	o.Kept = keptBy(t, "asha", keptHeader, map[string]string{"remarks": "payrun_note"})
	sheet := strings.ReplaceAll(keptHeader, "|", ",") + "\n" + good("E1", "5,5,x")
	out := checkText(t, o, nil, sheet)
	if len(out.Findings) != 1 || out.Findings[0].Code != codeKeptNearly || !strings.Contains(out.Findings[0].Message, `names the column "payrun_note" for remarks, which is not there`) {
		t.Errorf("%+v", out.Findings)
	}
	o.Map = map[string]string{"remarks": "Why"}
	if out := checkText(t, o, nil, sheet); out.Refused() {
		t.Errorf("the map settles it: %v", out.codes())
	}
	o.Map, o.KeepColumns = nil, &no
	if out := checkText(t, o, nil, sheet); out.Refused() || out.Kept == nil || !out.WithoutKept {
		t.Errorf("it is to be forgotten: %v, %+v", out.codes(), out.Kept)
	}
	o.Kept = keptBy(t, "asha", keptHeader, map[string]string{"remarks": "Because"}) // no sheet had it
	if out := checkText(t, o, nil, sheet); out.Refused() || !out.WithoutKept {
		t.Errorf("it is to be forgotten: %v, %+v", out.codes(), out.Kept)
	}
}

// What the ledger tells is not guessed where no sheet can have been read so.
func TestKeptColumnsThatCannotBeAreDamage(t *testing.T) {
	sum := words(t, nil).read(1, strings.Split(keptHeader, "|")).sum
	for name, columns := range map[string]map[string]string{
		"a column that is none":          {"sum": "In Hand"},
		"two headers that are one":       {"amount": "In Hand", "remarks": "in hand"},
		"columns that are not in it":     {"amount": "Gross"},
		"a name of nothing but signs":    {"amount": "***"},
		"columns of which one is not it": {"amount": "In Hand", "remarks": "Because"},
	} {
		o := testOptions()
		o.Kept = keptFor(t, "asha", sum, columns)
		_, err := Check(context.Background(), writeFile(t, "sheet.csv", strings.ReplaceAll(keptHeader, "|", ",")+"\n"+good("E1", "5,5,x")), o, nil, func([]Accepted) error { return nil })
		if !errors.Is(err, ledger.ErrLedgerDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Who keeps the usual column for the amount says so of the sheets that have it: another
// sheet is read in silence where its amount is that column as well, and asks where it would
// be another one. A word for that sheet, with --map, settles it.
func TestAnAmountThatIsKeptIsNotReadFromElsewhere(t *testing.T) {
	o := testOptions()
	o.Kept = keptBy(t, "asha", keptHeader, map[string]string{"amount": "Amount"})
	const row, to = "E1,Asha Traders,50200012345678,HDFC0001234", "Reference,Payee,Account No,IFSC,"
	for names, c := range map[string]struct {
		read     map[string]string // --map
		from     string            // "" where the sheet is refused
		profiled bool
	}{
		"Amount":                {from: "Amount"},
		"Amount,Invoice Date":   {from: "Amount"},
		"Net Pay":               {from: "Net Pay"},
		"Amount,Payable":        {profiled: true},
		"Amount,Payable,a word": {read: map[string]string{"amount": "Payable"}, from: "Payable", profiled: true},
	} {
		o := o
		if o.Map = c.read; c.profiled {
			o.Profiles = []Profile{{"register", map[string]string{"amount": "Payable"}}}
		}
		out := checkText(t, o, nil, to+names+"\n"+row+strings.Repeat(",5", 1+strings.Count(names, ","))+"\n")
		from, asked := "", false
		for _, r := range out.Read {
			if r.Column == "amount" {
				from = r.Header
			}
		}
		for _, f := range out.Findings {
			asked = asked || f.Code == codeKeptNearly
		}
		if asked != (c.from == "") || !asked && from != c.from {
			t.Errorf("%s: read from %q, asked %t: %v", names, from, asked, out.codes())
		}
	}
}
