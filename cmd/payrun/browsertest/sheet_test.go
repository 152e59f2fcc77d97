//go:build unix

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestASheetIsBroughtByKeyboard brings a sheet that is wrong here and there, looks at
// what was found, ticks what is to be ticked, and loads the rest.
func TestASheetIsBroughtByKeyboard(t *testing.T) {
	h := open(t, quick)
	p := h.admin().invites("ravi", "load")
	p.open("/sheets/new")
	p.look("bring")
	cut := h.write("cut.xlsx", "PK\x03\x04 and no more")
	p.do(chromedp.SetUploadFiles(chromedp.CSS("#sheet"), []string{cut}))
	p.enter("Check it")
	p.sees("cut.xlsx cannot be read")
	p.look("bring-refused")

	rows := []string{"Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Department",
		"NOV/1,Asha Traders,501001234567,HDFC0001234,125000.00,Ops", "NOV/2,Bharat Steel,501001234568,HDFCO001234,98000.00,Ops",
		"NOV/3,Asha Traders,501001234567,HDFC0001234,125000.00,<b>Sales</b>"}
	sheet := h.write("november.csv", strings.Join(rows, "\n")+"\n")
	p.do(chromedp.SetUploadFiles(chromedp.CSS("#sheet"), []string{sheet}))
	p.enter("Check it")
	p.sees("Sheet november.csv", "With errors", "Not a valid IFSC", "<b>Sales</b>", "Not loaded yet")
	p.look("waiting")
	p.enter("Not a valid IFSC")
	p.sees("its fifth character")
	p.unfolds("How it is read")
	p.fills("Rows expected", "3")
	p.enter("Check again")
	p.sees("Sheet november.csv")
	p.look("waiting-chosen")
	p.ticks("Leave out 1 row")
	p.ticks("warning")
	p.enter("Load 2 payouts")
	p.sees("Loaded by ravi", "Download the rows left out")
	p.look("sheet-left-out")
}
