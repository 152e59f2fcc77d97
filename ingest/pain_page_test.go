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

var update = flag.Bool("update", false, "write docs/pain-001.md anew")

const painPage = "../docs/pain-001.md"

const painPageHead = `# pain.001

A program that pays from its own books (SAP, Oracle, a treasury system) writes a customer credit transfer initiation of ISO 20022. payrun reads
pain.001.001.03 and pain.001.001.09 as a sheet, told by what is in the file, never by its name: ` + "`payrun check payments.xml`" + `. It goes
through check, load, run, reports and result like any other sheet. This page is written from the program's own table by a test
(` + "`go test ./ingest -update`" + `).

- **Row.** Every CdtTrfTxInf is a payout. The n-th of the file is row n+1, as in the sheet that payrun gives back, whose first row is the header. A finding
  names the line of the file where the payout begins, or where a fault of the file itself stands, and the element.
- **Debit account.** Each PmtInf names its own in DbtrAcct. It is known by the ` + "`account_number`" + ` of an account in payrun.toml, and by nothing else.
- **Reference.** EndToEndId, which must be one: NOTPROVIDED is refused. ` + "`--ref-prefix`" + ` goes before it.
- **Amount.** InstdAmt in INR with at most two decimals. NbOfTxs and CtrlSum of the message and of each PmtInf must agree with its payouts, bad ones too.
- **Day.** payrun pays when it is told to, and cannot say to the bank that a payout waits. A ReqdExctnDt after today (in the timezone of payrun.toml) refuses its
  payouts; one that is past is a warning, once for each day, because the file may have gone to the bank by another way on that day.
- **IFSC.** It is read from ClrSysMmbId/MmbId. A BIC is not one, and nothing is guessed from it.
- **What is refused.** An element that changes who gets what, when or how, and that no payout here can say, refuses the file with its line; so does every
  element that is not on this page, a document type, an entity, an instruction, another namespace, another encoding than UTF-8.
- **What is not read.** An element that only informs is passed over, and shown under "not read".
- **What is given back.** The result and the rows left out are workbooks in the columns of the template, with the currency and the requested day beside them. Such a
  workbook is a sheet like any other: once corrected it is loaded without the day being looked at again.

## Elements

Below CstmrCdtTrfInitn; an element of one version only has it beside its name.

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
	if *update {
		if err := os.WriteFile(painPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(painPage)
	if err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the table says (%v); go test ./ingest -update writes it anew", painPage, err)
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
