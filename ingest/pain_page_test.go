package ingest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/pain-001.md")

const painPage = "../docs/pain-001.md"

const painPageHead = `# pain.001

For teams whose books (SAP, Oracle, a treasury system) write a customer credit transfer initiation
of ISO 20022.

` + "`" + `` + "`" + `` + "`" + `sh
payrun check payments.xml
` + "`" + `` + "`" + `` + "`" + `

payrun reads pain.001.001.03 and pain.001.001.09 as a sheet. It recognises the file by its content,
never by its name. Check, load, run, reports and results work as for any other sheet.

- **Row.** Every CdtTrfTxInf is a payout. The n-th is row n+1, as in the sheet that payrun returns.
  A finding names the line of the file and the element.
- **Debit account.** DbtrAcct of each PmtInf must be the ` + "`" + `account_number` + "`" + ` of an account in
  ` + "`" + `payrun.toml` + "`" + `.
- **Reference.** EndToEndId. NOTPROVIDED is refused. ` + "`" + `--ref-prefix` + "`" + ` goes in front of it.
- **Amount.** InstdAmt in INR with at most two decimals. NbOfTxs and CtrlSum of the message and of
  each PmtInf must agree with all its payouts, including wrong ones.
- **Day.** payrun cannot schedule a payout. A ReqdExctnDt after today refuses its payouts. One that
  is past is a warning, because the file may have gone to the bank by another way.
- **IFSC.** From ClrSysMmbId/MmbId, never from a BIC.
- **Refused.** An element that changes who gets what, when or how, and every element that is not on
  this page. A document type, an entity, an instruction, another namespace or encoding than UTF-8.
- **Not read.** An element that only informs. ` + "`" + `check` + "`" + ` lists it under "not read".
- **Returned.** Results and rejected rows are workbooks in the columns of the template, with
  currency and requested day. A corrected one is loaded without a check of the day.

## Elements

Below CstmrCdtTrfInitn. An element of one version only has that version behind its name.

<!-- elements:begin -->
| element | what is done with it |
|---|---|
`

// saysPage is what the page says of a rule; "" where others below it say it.
func (r painRule) saysPage() string {
	switch r.use {
	case painRead:
		return "read as `" + painHeader[r.column] + "`"
	case painMust:
		return "must be " + strings.Join(strings.Fields(r.words), " or ")
	case painCount:
		return "must be the number of its payouts"
	case painSum:
		return "must be the sum of its payouts"
	case painPass:
		return "not read"
	case painRefuse:
		return "refused: " + r.why
	}
	return ""
}

func TestThePageOfPain001SaysWhatTheTableSays(t *testing.T) {
	versions := map[string]map[string]painRule{}
	all := map[string]bool{}
	for _, v := range []string{painV03, painV09} {
		versions[v] = painRules(v)
		for path := range versions[v] {
			all[path] = true
		}
	}
	var b strings.Builder
	b.WriteString(painPageHead)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		old, isOld := versions[painV03][path]
		now, isNow := versions[painV09][path]
		says, only := old.saysPage(), ""
		switch {
		case !isOld || says == "":
			says, only = now.saysPage(), " (.09)"
		case !isNow || now.saysPage() == "":
			only = " (.03)"
		}
		if isOld && isNow && old == now {
			only = ""
		}
		if says != "" {
			fmt.Fprintf(&b, "| %s%s | %s |\n", path, only, says)
		}
	}
	b.WriteString("<!-- elements:end -->\n")
	if *update {
		if err := os.WriteFile(painPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(painPage)
	if err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the table says (%v); go test ./ingest -update writes it", painPage, err)
	}
}

// Every column has an element, and every element of a column is in the table.
func TestEveryColumnOfPain001IsAnElement(t *testing.T) {
	for _, v := range []string{painV03, painV09} {
		rules, read := painRules(v), map[painColumn]bool{painCurrency: true}
		for _, r := range rules {
			if r.use == painRead {
				read[r.column] = true
			}
		}
		for c := range painColumns {
			if !read[c] && !(c == painLEI && v == painV03) {
				t.Errorf("%s: nothing is read as %s", v, painHeader[c])
			}
		}
	}
}
