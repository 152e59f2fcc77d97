package validate

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write samples/column-names.md")

const columnsPage = "../samples/column-names.md"

const columnsPageHead = `# Column names

The headers that payrun knows, for each column of a payout sheet ([sheets.md](../docs/sheets.md) has the rules). Each column has one name of its own, which is
the interface's, and many that people and programs use. Case, spaces, punctuation, ` + "`*`" + ` and a unit such as ` + "`(INR)`" + ` do not matter; ` + "`No`, `No.` and `#`" + ` are the same.
A test writes this page from the program's own table (` + "`go test ./validate -update`" + `) and tries every name on it.

For another header use ` + "`--map \"amount=Take Away\"`" + `. The left side may be any name on this page: ` + "`--map \"Net Pay=Take Away\"`" + `.

## Where the names come from

The words are those of the templates that people upload elsewhere: the bulk NEFT and RTGS templates of HDFC Bank (ENet), ICICI Bank (CIB), Axis Bank,
State Bank of India (CINB), Kotak Mahindra Bank, Yes Bank, IDFC First Bank, Punjab National Bank and Union Bank of India; the payout templates of RazorpayX,
Cashfree, Paytm, PayU, Open and Zoho; salary registers and Tally exports, as far as they are public. No bank vouches for this list: banks change their templates, and a
template can differ between two customers of one bank. The header decides, never the name of the bank.

`

const columnsPageEnd = `
## Left out on purpose

A name is read only when it can mean nothing else on a payout sheet. These are not, and need ` + "`--map`" + ` where they are meant:

| name | why |
|---|---|
| Invoice No | it repeats over part payments; a reference must not |
| Account, खाता | whose? |
| Notes, Comments, टिप्पणी | meant for colleagues, not for the payee |
| Beneficiary Code | the bank's own code, not the service's ` + "`open_beneficiary_id`" + ` |
| Product Code | the bank's, not a transaction type |
| Gross, Total, कुल राशि | not what is paid |

A missing column is answered with "did you mean" only where nothing in the header says otherwise: lakhs, paise, another currency, gross, TDS or a date is
never offered as the amount, nor a first name as the name.

payrun asks about two templates:

- A text template of Union Bank of India has the IFSC of the paying account as Payee IFSC Code, and also Receiver IFSC Code. Either could be the payee's, so the sheet is
  refused until ` + "`--map \"ifsc=Receiver IFSC Code\"`" + ` tells which is meant.
- Payout Amount and Fund Account Id, Fund Account Type or RazorpayX Account Number is refused: RazorpayX's template exists with amounts in
  rupees and with amounts in paise, and nothing in the sheet tells which. Payout Amount (in Rupees) is read; ` + "`--map \"amount=Payout Amount\"`" + ` says that they are rupees.
`

func TestTheColumnsPageIsWhatTheTableSays(t *testing.T) {
	var page strings.Builder
	page.WriteString(columnsPageHead)
	writeTemplates(&page)
	for c, words := range columnWords {
		fmt.Fprintf(&page, "\n## `%s`\n\n%s\n\n%s.\n", columnNames[c], templateWords[c].what, strings.Join(words, ", "))
	}
	page.WriteString("\n## Where nothing else is\n\nThese are read only on a sheet that has no other name for the column; of several, the first.\n\n")
	for _, c := range []column{colName, colReference} {
		var lone []string
		for _, l := range loneWords {
			if l.of == c {
				lone = append(lone, l.word)
			}
		}
		fmt.Fprintf(&page, "- `%s`: %s.\n", columnNames[c], strings.Join(lone, ", "))
	}
	page.WriteString(columnsPageEnd)
	if *update {
		must(t, os.WriteFile(columnsPage, []byte(page.String()), 0o644))
		return
	}
	got, err := os.ReadFile(columnsPage)
	must(t, err)
	if string(got) != page.String() {
		t.Errorf("%s is not what the table says; go test ./validate -update writes it again", columnsPage)
	}
}

// writeTemplates shows how the columns of whole templates are read.
func writeTemplates(page *strings.Builder) {
	page.WriteString("Whole templates, as they are read; columns that payrun does not know are in brackets:\n\n| from | columns |\n|---|---|\n")
	for _, tpl := range peoplesTemplates {
		headers, want := strings.Split(tpl.header, "|"), strings.Split(tpl.want, "|")
		for i, header := range headers {
			if headers[i] = header + " → `" + want[i] + "`"; want[i] == "" {
				headers[i] = "(" + header + ")"
			}
		}
		fmt.Fprintf(page, "| %s | %s |\n", tpl.from, strings.Join(headers, ", "))
	}
}

// Every name on the page means the column above it, alone and
// however it is written.
func TestEveryNameOnTheColumnsPageIsRead(t *testing.T) {
	v := words(t, nil)
	for c, all := range columnWords {
		for _, word := range append([]string{columnNames[c]}, all...) {
			for _, written := range []string{word, strings.ToUpper(word) + " *", " " + strings.ReplaceAll(word, " ", "_") + ".", strings.ReplaceAll(word, " ", "")} {
				if got := read(v, written); got[0] != columnNames[c] {
					t.Errorf("%q is read as %q, want %s", written, got[0], columnNames[c])
				}
			}
		}
	}
}

func TestNoNameStandsTwiceOnTheColumnsPage(t *testing.T) {
	seen := map[string]string{}
	for c, all := range columnWords {
		for _, word := range append([]string{columnNames[c]}, all...) {
			if other, twice := seen[word]; twice {
				t.Errorf("%q stands under %s and under %s", word, other, columnNames[c])
			}
			seen[word] = columnNames[c]
		}
	}
}

func TestNamesLeftOutOnPurposeAreNotRead(t *testing.T) {
	v := words(t, nil)
	for _, name := range []string{"Invoice No", "Account", "Notes", "Comments", "Beneficiary Code", "Product Code", "Gross", "Total", "खाता", "टिप्पणी", "कुल राशि"} {
		if got := read(v, name); !slices.Equal(got, []string{""}) {
			t.Errorf("%q is read as %s", name, got[0])
		}
		if !strings.Contains(columnsPageEnd, name) {
			t.Errorf("the page does not say that %q is left out", name)
		}
	}
}

// The headers that docs/sheets.md gives as examples are read as it says.
func TestTheHeadersOfTheSheetsPageAreRead(t *testing.T) {
	text, err := os.ReadFile("../docs/sheets.md")
	must(t, err)
	v, tried := words(t, nil), 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		name := strings.Trim(cells[0], "| `")
		if !strings.HasPrefix(line, "| `") || len(cells) != 3 || !slices.Contains(Columns(), name) {
			continue
		}
		for header := range strings.SplitSeq(cells[1], ", ") {
			tried++
			if got := read(v, header); got[0] != name {
				t.Errorf("%q is read as %q, the page says %s", header, got[0], name)
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d headers found on the page", tried)
	}
}
