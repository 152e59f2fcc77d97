package desk

import (
	"errors"
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// What a person chooses of a sheet before it is loaded.

// Bad rows are left out only when that is said, and come back with reason and fix, to
// be corrected and brought again.
func TestBadRowsAreLeftOutAndComeBack(t *testing.T) {
	h, b := withLoader(t)
	path := b.waits("nov.csv", strings.Replace(sheetOf("INV/1", "INV/2", "INV/2", "INV/4"), "HDFC0001234,100.00,pb3\n", "HDFCO001234,100.00,pb3\n", 1))
	is(t, b.get(path), 200, "<span>4 rows</span>", "<span>1 payout</span>", "<span>3 rows</span>", "₹400.00", `href="?kind=ifsc_malformed#found"`, `class="error">HDFCO001234</td>`, "Leave out 3 rows", "Load 1 payout", "--skip-bad", "Its first rows <small>of 4 rows</small>")
	form := b.loadForm(path)
	delete(form, "skip_bad")
	is(t, b.postAll(path+"/load", form), 422, "left out")
	same(t, "sheets", h.sheets(), 0)
	p := b.loads(path)
	is(t, p, 303)
	to := p.Header.Get("Location")
	is(t, b.get(to), 200, `action="`+to+`/rejected"`, "Left out: 3 rows of ₹300.00. Correct what is wrong, then")
	p = b.decide(to + "/rejected")
	is(t, p, 200, "INV/2", "HDFCO001234", "payrun_reason", "payrun_sheet", "row 2 of nov.csv: ifsc: ", "row 4 of nov.csv: merchant_txn_ref_id: ")
	attached(t, p, "nov.rejected.csv")
	is(t, h.invite("vera", "view").decide(to+"/rejected"), 403)
	h.nothingWaits("given out")
	again := strings.Replace(strings.Replace(p.body, "HDFCO001234", "HDFC0001234", 1), "INV/2", "INV/3", 1)
	is(t, b.loads(b.waits("nov.rejected.csv", again)), 303)
	is(t, b.decide(to+"/rejected"), 404, "No row of this sheet is left out")
	same(t, "files next to the ledger", len(need(filepath.Glob(filepath.Join(h.dir, "*rejected*")))(t)), 0)
}

// Warnings are ticked, each; of very many of a kind the kind.
func TestWarningsAreTicked(t *testing.T) {
	h, b := withLoader(t)
	twice := sheetOf("INV/1") + "INV/1b,Asha 0,123456789000,HDFC0001234,100.00,pb3\n" + "INV/1c,Asha 0,123456789000,HDFC0001234,100.00,pb3\n"
	path := b.waits("nov.csv", twice)
	form := b.loadForm(path)
	if len(form["seen"]) < 2 {
		t.Fatalf("there are %q to be seen", form["seen"])
	}
	all := form["seen"]
	for i := range all {
		form["seen"] = append(append([]string{}, all[:i]...), all[i+1:]...)
		is(t, b.postAll(path+"/load", form), 422, "Not every warning was ticked")
	}
	same(t, "sheets", h.sheets(), 0)
	is(t, b.loads(path), 303)
	path = b.waits("dec.csv", manyRows(40, func(i int) string { return fmt.Sprintf("DEC/%d,Asha 0,123456789000,HDFC0001234,200.00,pb3\n", i) }))
	if form := b.loadForm(path); len(form["seen"]) > 25 {
		t.Errorf("there are %d boxes to tick", len(form["seen"]))
	}
	is(t, b.loads(path), 303)
}

// What the columns are read as is shown and chosen, and is in the command.
func TestColumnsAreChosen(t *testing.T) {
	b := build(t).loader()
	path := b.waits("nov.csv", strings.NewReplacer("Amount", "What to pay", "Debit Account", "Branch").Replace(sheetOf("INV/1")))
	is(t, b.get(path), 200, "It cannot be loaded as it is", "column_missing", `<option value="amount=What to pay">`, "there is no column amount")
	is(t, b.post(path+"/check", "form", b.form(), "map", "amount=What to pay", "account", "pb4", "expect_count", "1", "hidden_rows", "skip", "numeric_accounts", "1"), 303)
	p := b.get(path)
	is(t, p, 200, `<option value="amount=What to pay" selected>Amount, as chosen`, "<span>1 payout</span>",
		html.EscapeString("payrun check nov.csv --account pb4 --hidden-rows skip --expect-count 1 --map \"amount=What to pay\" --numeric-accounts"))
	is(t, b.post(path+"/check", "form", b.form(), "map", "amount=No such"), 303)
	is(t, b.get(path), 422, "No such", "How it is read")
	is(t, b.post(path+"/check", "form", b.form(), "encoding", "ebcdic"), 303)
	is(t, b.get(path), 422, "Encoding, ebcdic: ")
	is(t, b.post(path+"/check", "form", b.form(), "expect_count", "many"), 422, "not a whole number")
	is(t, b.post(path+"/check", "form", b.form(), "map", "amount=What to pay", "account", "pb4"), 303)
	is(t, b.loads(path), 303)
}

// A sheet whose header is in words that no one knows comes to the choice of columns,
// with the first values of each, and is loaded as a person says.
func TestAHeaderInOtherWordsIsChosen(t *testing.T) {
	b := build(t).loader()
	for name, header := range map[string]string{"two.csv": "Kode,Payee,Konto,Clearing,Amount", "none.csv": "Kode,Nama,Konto,Clearing,Betrag"} {
		names := strings.Split(header, ",")
		path := b.waits(name, header+"\n"+name+"-1,Asha,123456789012,HDFC0001234,100.00\n")
		is(t, b.get(path), 200, "No header", `<option value="merchant_txn_ref_id=Kode">`, "Choose under Columns", "It cannot be loaded as it is", "HDFC0001234")
		isNot(t, b.get(path), "123456789012")
		form := url.Values{"form": {b.form()}}
		for i, field := range []string{"reference", "vendor_name", "bank_account_number", "ifsc", "amount"} {
			form.Add("map", field+"="+names[i])
		}
		is(t, b.postAll(path+"/check", form), 303)
		is(t, b.get(path), 200, "Load 1 payout, ₹100.00")
	}
}

// A workbook is brought whose tabs have words that are made to break pages: they are
// offered by name, and one of them is read.
func TestATabIsChosenByItsName(t *testing.T) {
	b := build(t).loader()
	evil := `"><script>'&`
	book := excelize.NewFile()
	for i, tab := range []string{"Sheet1", evil, "later"} {
		if i > 0 {
			need(book.NewSheet(tab))(t)
		}
		for at, row := range strings.Split(strings.TrimSpace(sheetOf(fmt.Sprintf("INV/%d", i+1))), "\n") {
			for column, cell := range strings.Split(row, ",") {
				name, err := excelize.CoordinatesToCellName(column+1, at+1)
				fine(t, errors.Join(err, book.SetCellStr(tab, name, cell)))
			}
		}
	}
	fine(t, book.SetSheetVisible("later", false))
	content := need(book.WriteToBuffer())(t)
	path := b.waits("tabs.xlsx", content.String())
	p := b.get(path)
	offered := `<option value="` + html.EscapeString(evil) + `"`
	is(t, p, 200, "Choose under How it is read: Tab.", `<select id="sheet_name"`, `<option value="Sheet1">Sheet1</option>`, offered+">")
	isNot(t, p, "<script>", `value="later"`, "not in this file")
	choose := func(tab string) page {
		is(t, b.postAll(path+"/check", url.Values{"form": {b.form()}, "sheet_name": {tab}}), 303)
		return b.get(path)
	}
	p = choose(evil)
	is(t, p, 200, offered+" selected>", "<span>1 payout</span>", "INV/2")
	isNot(t, p, "INV/1", "<script>")
	is(t, choose("SHEET1"), 200, `<option value="Sheet1" selected>`, "INV/1")
	is(t, choose("Nov"), 200, `<option value="Nov" selected>Nov (not in this file, or hidden)</option>`, "no tab")
	isNot(t, b.get(b.waits("one.csv", sheetOf("INV/4"))), `name="sheet_name"`)
}
