//go:build unix

package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"
)

// TestWhatIsWrongIsCorrectedByKeyboard brings a sheet in words of its own, says what a
// column is, looks at what is wrong, and leaves it out; corrects that, and what the bank
// did not pay, each in the sheet that it is given.
func TestWhatIsWrongIsCorrectedByKeyboard(t *testing.T) {
	h := open(t, quick)
	ravi, asha := h.staff()
	rows := []string{"Reference,Employee Name,Account Number,IFSC Code,Take Away",
		"E17,Asha Verma,501001234567,HDFC0001234,18500.00", "E18,Ravi Kumar,501001234568,HDFCO001234,19250.00", "E19,Nisha Patel,501001234569,HDFC0001234,-5"}
	ravi.brings(h.write("register.csv", strings.Join(rows, "\n")+"\n"))
	ravi.sees("It cannot be loaded as it is", "there is no column amount")
	ravi.look("waiting-unknown-columns")

	// the columns: a wrong choice is seen in what is read of it, and corrected
	ravi.readsAs("Take Away", "beneficiary_nick")
	ravi.enter("Check again")
	ravi.sees("there is no column amount")
	ravi.readsAs("Take Away", "amount")
	ravi.enter("Check again")
	ravi.doesNotSee("there is no column amount")
	ravi.sees("Load 1 payout, ₹18,500.00")
	ravi.look("waiting-columns-chosen")

	// the grid: what is wrong is tinted, and looked at kind by kind
	tinted := `[...document.querySelectorAll(".grid td.error")].filter(e => getComputedStyle(e).backgroundColor !== getComputedStyle(e.parentElement.cells[1]).backgroundColor).map(e => e.innerText)`
	if got := ask[[]string](ravi, tinted); strings.Join(got[:2], " ") != "HDFCO001234 -5" {
		t.Errorf("tinted are %q", got)
	}
	ravi.enter("Not a valid IFSC")
	ravi.until(`document.activeElement !== null && location.hash === "#found"`, "is of one kind")
	ravi.sees("its fifth character")
	if got := ask[int](ravi, `document.querySelector(".grid").querySelectorAll("tbody tr:not(.why)").length`); got != 1 {
		t.Errorf("%d rows are of that kind", got)
	}
	ravi.ticks("Leave out 2 rows")
	ravi.enter("Load 1 payout")
	ravi.sees("Download the rows left out")

	// what was left out comes as a sheet; corrected, the rest of it is loaded
	ravi.downloads(func() { ravi.tabTo("Download the rows left out"); ravi.press("\r") }, "register.rejected.csv")
	text := h.read("register.rejected.csv")
	if !strings.Contains(text, "Take Away") || !strings.Contains(text, "HDFCO001234") {
		t.Fatalf("left out is\n%s", text)
	}
	ravi.brings(h.write("register.rejected.csv", strings.NewReplacer("HDFCO001234", "HDFC0001234", "-5", "19000.00").Replace(text)))
	ravi.enter("Load 2 payouts") // it is read as the first one was
	ravi.sees("Loaded by ravi")
	sheet := ask[string](ravi, "location.pathname")

	// the bank pays one of them, and not the other
	fine(t, h.bank.SetOutcomes(map[string]string{"E18": "failed"}))
	asha.pays(sheet)

	// which needs a person, who corrects it in the sheet that they are given
	ravi.open("/attention")
	ravi.sees("Failed or came back", "1 payout")
	ravi.enter("register.rejected.csv")
	ravi.sees("Plan again: 1 payout")
	ravi.downloads(func() { ravi.tabTo("Download 1 payout to correct"); ravi.press("\r") }, "*.xlsx")
	ravi.brings(h.corrects("*.xlsx", "501001234568", "501001239999"))
	ravi.sees("What it corrects", "XXXXXXXX9999") // it is recognised by itself
	ravi.doesNotSee("bank_account_number")
	ravi.look("waiting-corrects")
	ravi.ticks("warning") // the payee has another account
	ravi.enter("Load 1 payout")
	ravi.sees("Loaded by ravi")
	fine(t, h.bank.SetOutcomes(nil))
	asha.pays(sheet)
	asha.open("/attention")
	asha.sees("Not sent yet") // the first of them
	asha.doesNotSee("Failed or came back")
	h.submits(2)
	if paid := h.bank.State().Executed; paid.Count != 2 {
		t.Errorf("the bank paid %d payouts", paid.Count)
	}
}

// readsAs says by keys what the column of a header is read as.
func (p *person) readsAs(header, field string) {
	p.Helper()
	p.tabTo("Read " + header + " as")
	p.press(field) // as far as the words of one choice begin
}

// pays initiates the sheet's planned batches, enters their OTP, and waits until the bank
// has ended them; then they look at the sheet.
func (p *person) pays(sheet string) {
	p.Helper()
	p.open(sheet)
	p.enter("Initiate 1 batch")
	p.sees("Held for OTP")
	p.isDone()
	p.open("/otp")
	all := p.bank.State().Batches
	otp, _, _ := p.bank.OTP(all[len(all)-1].BatchID)
	p.types("OTP", otp)
	p.sees("Submitted")
	p.isDone()
	p.open("/")
	p.house.until(func() bool {
		p.bank.Settle()
		return p.bank.State().Open.Count == 0
	})
	p.until(`[...document.querySelectorAll('[data-label="In flight"] data')].every(e => e.value === "0.00")`, "shows nothing in flight")
	p.open(sheet)
}

// downloads does what has the browser keep a file, in the folder of the house, and waits
// until it is whole.
func (p *person) downloads(do func(), name string) {
	p.Helper()
	need(chromedp.CallBrowser(p.tab, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(p.tab).BrowserContextID, DownloadPath: p.dir}))(p)
	do()
	there := func() bool { // an empty file of the name is there before it is
		list := p.found(name)
		if len(list) == 0 {
			return false
		}
		info, err := os.Stat(list[0])
		return err == nil && info.Size() > 0
	}
	for late := time.Now().Add(patience); !there(); {
		if time.Now().After(late) {
			p.Fatalf("%s was not given; the page is\n%s", name, p.page())
		}
		p.until("true", "is there")
	}
}

// found are the files of the folder with a name like it.
func (h *house) found(name string) []string {
	h.Helper()
	return need(filepath.Glob(filepath.Join(h.dir, name)))(h)
}

// read is what is in a file of the folder.
func (h *house) read(name string) string {
	h.Helper()
	return string(need(os.ReadFile(h.found(name)[0]))(h))
}

// corrects changes a cell of a workbook in the folder, and returns where it lies.
func (h *house) corrects(name, was, is string) (path string) {
	h.Helper()
	path = h.found(name)[0]
	book := need(excelize.OpenFile(path))(h)
	defer book.Close()
	tab := book.GetSheetName(0)
	cells, err := book.SearchSheet(tab, was)
	if err != nil || len(cells) != 1 {
		h.Fatalf("%s is in %q: %v", was, cells, err)
	}
	fine(h, book.SetCellStr(tab, cells[0], is))
	fine(h, book.Save())
	return path
}
