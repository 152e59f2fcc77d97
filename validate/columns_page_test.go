package validate

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/columns.md anew")

const columnsPage = "../docs/columns.md"

const columnsPageHead = `# Column names

What the columns of a payout sheet may be called. Each column has one name of its own, which is the interface's, and many that people and programs
use. Headers are compared without regard to case, spaces, punctuation, ` + "`*`" + ` and a unit such as ` + "`(INR)`" + `; ` + "`No`, `No.` and `#`" + ` are one. This page is
written from the program's own table by a test (` + "`go test ./validate -update`" + `), and every name on it is tried.

- Order does not matter. Columns that are not known are kept and come back in the result sheet.
- The header may stand in any of the first 20 rows, with titles above it.
- Two columns that are read as the same one refuse the sheet, and so does a name that only looks like a known one.
- A name that is not here is told with ` + "`--map`" + `: ` + "`--map \"amount=Take Away\"`" + `. The left side may be any name on this page: ` + "`--map \"Net Pay=Take Away\"`" + `.
- For every sheet, also for ` + "`payrun nightly`" + `, it is told in ` + "`payrun.toml`" + `, see below.
- Required are a reference, an amount, and the payee: name, account number and IFSC, or ` + "`open_beneficiary_id`" + ` where the debit account is a RIB account.

## Names of your own

` + "```toml" + `
[columns]                                   # for every sheet that has the header; others ignore it
amount = "Net Disbursal"

[columns.salary]                            # for a sheet whose header has all of these
merchant_txn_ref_id = "Emp Code"
amount              = "Take Away"
` + "```" + `

What ` + "`--map`" + ` says goes first, then the profiles ` + "`[columns.NAME]`" + ` whose columns the sheet has all, then ` + "`[columns]`" + `. Where two profiles fit and do not agree, the
sheet is refused until ` + "`--map`" + ` says which header is meant. A header that ` + "`--map`" + ` names and the sheet does not have is an error of the command (exit 2).

## Kept for sheets with the same header

What ` + "`--map`" + ` says can be kept: ` + "`payrun load nov.csv --map \"amount=In Hand\" --keep-columns`" + `, or at the desk, by Columns that were kept. From then on ` + "`check`, `load`, `run`, `nightly`" + ` and
the desk read every sheet with this header so, and say who kept it when. It is an event of the audit trail of the sheet's load, by whoever loads it; a later word
about the header replaces it, and what ` + "`--map`" + ` then says is added to what was kept.

- The header is this one when it has the same names in the same order, compared as above, without the columns ` + "`payrun_…`" + ` at the end of a sheet that payrun gave back. Titles above it do not matter.
- A header that has all of the kept columns and is another one, with a column more or in another order, is refused where it would be read otherwise, until ` + "`--map`" + ` says
  which column is meant: last month's amount is not quietly read from elsewhere. So is one that has but one of them, where that is the reference, the amount or of the payee. It is asked of
  every header that anything is kept for, and ` + "`payrun.toml`" + ` does not settle it.
- ` + "`--map`" + ` goes before what was kept. A profile of ` + "`payrun.toml`" + ` that fits and does not agree with it refuses the sheet, as two profiles do; ` + "`[columns]`" + ` goes after both.
- ` + "`--keep-columns=false`" + ` reads one sheet without what was kept, and its load forgets it. What was loaded is read for ever as it was loaded: rows
  of it that come back corrected are read as it was, whatever is kept by then, but for a column that ` + "`--map`" + ` names.
- A prefix of references is of one month, and is not kept; nor is a header with a name of more than 300 bytes, nor a choice of a column ` + "`payrun_…`" + ` at its end.

## A register without references

A salary register tells people apart by a code, and pays the same people every month. Emp Code is read as the reference where no other header is one; ` + "`--ref-prefix NOV26-`" + `
puts the month before every code, and the reference of E17 is NOV26-E17. Without it next month's sheet is refused, for its references were used. Under the next prefix the same register is another sheet; payrun warns of it and names the first load, because it
may be the same payment again. Each tab of a workbook is a sheet of its own, too: ` + "`--sheet-name Vendors`" + ` after ` + "`--sheet-name Salaries`" + `.

## What is not the amount

- A header that names another currency, by any sign or code but ₹, Rs and INR, or a unit (` + "`%`" + `, lakh, crore, K, '000, million, paise and the like) is never the amount, also
  where ` + "`--map`" + ` says so: the numbers below it are not rupees.
- A note above the table, a title that ends in it, the tab's name or a header above empty cells that states another currency or a unit refuses the sheet: Rs. in Lakhs, ₹'000,
  All amounts in USD.
- Beside a column Currency, CCY, Curr, Payout Currency or Transfer Currency each row must be in INR, ₹, Rs or say nothing. A column Unit or Figures must not say lakh, crore or the like,
  and one such as Doc. Curr, Invoice Currency or FX not the code of another currency.
- Another column of amounts refuses the sheet until ` + "`--map`" + ` says which one is paid, where in some row it differs from the amount and is of its size (a fifth to twice of it), or has
  none where its header says that it is paid: Approved, Revised, Balance. So does a column of what is taken off: Advance, Discount, Recovery. Not refused: what is left of the
  amount and adds up to it (gross less deductions, value and GST), what is left of a Net Pay, a rate and a quantity, and codes and counts.
- In a CSV that commas separate, an amount of one to three digits beside a cell that begins with two or three digits refuses its row: 12,500 without quotes is 12 and 500. Beside a
  column of codes or counts (Bill No, Days) it is a warning. A line that is in quotes throughout is read as it is, and so is one whose next column ` + "`--map`" + ` names.
- Amount or Amount (INR) beside columns that say net, payable, TDS, deduction or less is refused until ` + "`--map`" + ` says which of them is paid.
- Where gross, TDS and net are there, and nothing else that is taken off or added, a row in which gross less TDS is not net gets a warning.
- Paise in a column of their own, beside the rupees, refuse the sheet.

` + "`payrun check`" + ` and ` + "`payrun load`" + ` show what each column was read as, and which were not read.

## What has to agree

Some columns are not read, and a row is held against them all the same:

- A confirmation of the account number (Confirm Account No, Re-enter Account Number) must be the account number, or the row is refused.
- Another column that says account or IFSC, or holds the same as the one that is read in some rows, and differs from it in others, refuses the sheet until ` + "`--map`" + ` says which one is paid: New Account Number, Corrected IFSC.
- A column whose values are all names, ids or numbers of configured debit accounts is read as ` + "`bank_account_id`" + `. Where only some are, the sheet is refused until ` + "`--map`" + ` says what it is.
- A column that says Cr in some rows only, a Credit Note, Debit Note or Purchase Return anywhere, and a Refund beside invoices refuse the sheet. A Dr/Cr column of one kind says nothing.
- A day of payment after today refuses the row: Payment Date, Value Dt, Cheque Date, To be paid on or a plain Date, and not Due Date or Invoice Date.
- A bank's name beside an IFSC of another bank is a warning, for the large banks.
- A status, a hold or a question that says no (Status: Hold, Pay?: No, ✗), a remark or comment that says hold, duplicate or already paid, an approval that is empty where others say
  yes, and a UTR that is filled in, are warnings: payrun pays the row all the same.
- Cash, Cheque or DD as the mode refuses the row; Bank Transfer, Online and the like are a warning.

Not seen: a small amount that is taken off under a word that is not known, right of the amount; a percentage to pay as a word; codes of another program, such as the payment block of
SAP; a unit one row below its label; the colours of a table style. Look at the columns that are not read.

A header that says the same in two languages, such as नाम (Name), is understood. One that is spread over two rows is refused: every name belongs into one row.

## What goes first

Where there is not money for all, ` + "`payrun initiate`" + ` goes by the order of the sheet, or by a column Priority: 1 first, to 9999, also written P1; or urgent, high, medium,
low. Numbers and words have no order among each other, so a column has one or the other; what is not clear is a warning, and goes last, as does an empty cell. A batch
is as urgent as the most urgent of its payouts, and batches are packed as they are without the column. A batch whose money is not there waits and holds nothing
back: those behind it that fit still go, whatever their priority. Name the batches that are to go where that is not wanted. It orders the batches of one sheet, is sent to nobody, and changes
neither an id nor what counts as the same content.

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

Two templates are asked about:

- A text template of Union Bank of India has the IFSC of the account that pays as Payee IFSC Code, beside Receiver IFSC Code. Either could be the payee's, so the sheet is
  refused until ` + "`--map \"ifsc=Receiver IFSC Code\"`" + ` tells which is meant.
- Payout Amount beside Fund Account Id, Fund Account Type or RazorpayX Account Number is refused: RazorpayX's template exists with amounts in
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
		if err := os.WriteFile(columnsPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(columnsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != page.String() {
		t.Errorf("%s is not what the table says; go test ./validate -update writes it anew", columnsPage)
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

// Every name on the page means the column under which it stands, alone and
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
