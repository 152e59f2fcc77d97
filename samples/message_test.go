package samples_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/samples"
)

// debtorNumbers are the numbers of the sandbox's accounts, as payrun.toml has them.
var debtorNumbers = map[string]string{"pb3": "50200003000009", "pb1": "50200001000003"}

// messageOfSix has the payouts of six: the first four from pb3, the others from pb1, all on
// one day that is past. The other messages are this one with pieces replaced.
const messageOfSix = "pain-001-03.xml"

// edited replaces pieces of the message, wherever they are.
func edited(pairs ...string) func(*testing.T) []byte {
	return func(t *testing.T) []byte {
		text, err := samples.FS.ReadFile(messageOfSix)
		check(t, err)
		for i := 0; i < len(pairs); i += 2 {
			if !bytes.Contains(text, []byte(pairs[i])) {
				t.Fatalf("%q is not there", pairs[i])
			}
		}
		return []byte(strings.NewReplacer(pairs...).Replace(string(text)))
	}
}

func TestTheMessageHasThePayoutsOfSix(t *testing.T) {
	ids := map[string]string{}
	for _, a := range accounts() {
		ids[a.Name] = a.BankAccountID
	}
	want := look(t, hostilePath("plain.csv"), given{}).payouts
	for i := range want {
		want[i].BankAccountID = ids[[]string{"pb3", "pb1"}[i/4]]
	}
	if d := cmp.Diff(want, look(t, messageOfSix, given{}).payouts); d != "" {
		t.Errorf("payouts (-six +message):\n%s", d)
	}
}

// past is the warning that every sample of a message has: its day is past.
var past = finding{Row: 2, Code: "execution_date_past"}

func goodMessages() []sample {
	all := expectedOutcome{Rows: 6, Total: six().sum(), Accepted: tally(0, 1, 2, 3, 4, 5), OTPs: 2, Findings: []finding{past}}
	return []sample{
		{messageOfSix, edited(), all},
		{"pain-001-09.xml", edited("pain.001.001.03", "pain.001.001.09", "<ReqdExctnDt>2025-11-27<", "<ReqdExctnDt><Dt>2025-11-27</Dt><"), all},
	}
}

func brokenMessages() []sample {
	ofRow := func(i int, column, code string) expectedOutcome {
		e := refusedRow(i, column, code)
		e.OTPs, e.Findings = 2, append([]finding{past}, e.Findings...)
		return e
	}
	ofFile := func(n int, code string) expectedOutcome {
		e := refusedAfter(n, 0, code)
		if e.OTPs = 1; n == 0 {
			e.OTPs = 0
		} else {
			e.Findings = append(e.Findings, past)
		}
		return e
	}
	total := "<CtrlSum>" + six().sum().String() + "</CtrlSum>"
	ahead := expectedOutcome{Exit: 10, Rows: 6, Total: six().sum(), Rejected: tally(0, 1, 2, 3, 4, 5)}
	for i := range six().payouts {
		ahead.Findings = append(ahead.Findings, finding{Row: 2 + i, Code: "execution_date_ahead"})
	}
	sumDiffers := ofFile(6, "pain_control_differs")
	sumDiffers.OTPs = 2
	return []sample{
		{"pain-001-currency.xml", edited(`Ccy="INR">125000`, `Ccy="USD">125000`), ofRow(1, "amount", "amount_not_rupees")},
		{"pain-001-no-reference.xml", edited("<EndToEndId>DEC25/C", "<EndToEndId>NOTPROVIDED"), ofRow(2, "merchant_txn_ref_id", "reference_missing")},
		{"pain-001-debtor-unknown.xml", edited("<Id>50200001000003", "<Id>50200001000004"), func() expectedOutcome {
			e := ofRow(4, "bank_account_id", "debit_account_unknown")
			e.Findings = append(e.Findings, finding{Row: 7, Column: "bank_account_id", Code: "debit_account_unknown"})
			e.Accepted, e.Rejected, e.OTPs = tally(0, 1, 2, 3), tally(4, 5), 1
			return e
		}()},
		{"pain-001-later-day.xml", edited("<ReqdExctnDt>2025-11-27<", "<ReqdExctnDt>2999-12-31<"), ahead},
		{"pain-001-control-sum.xml", edited(total, "<CtrlSum>299999.99</CtrlSum>"), sumDiffers},
		{"pain-001-structured.xml", edited("<Ustrd>December advance, lot 2</Ustrd>", "<Strd><RfrdDocInf><Nb>INV-2</Nb></RfrdDocInf></Strd>"), ofFile(1, "pain_element_refused")},
		{"pain-001-doctype.xml", edited("<Document ", "<!DOCTYPE Document [<!ENTITY a \"9\">]>\n<Document "), ofFile(0, "pain_forbidden")},
	}
}
