package desk

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// found are the references of the payouts on a page, in their order.
func (p page) found() (refs []string) {
	for _, m := range regexp.MustCompile(`data-payout="([^"]+)"`).FindAllStringSubmatch(p.body, -1) {
		refs = append(refs, m[1])
	}
	return refs
}

// Payouts are found by whatever a person has of them, filtered, sorted and summed up, and a
// file has exactly what is shown.
func TestAnythingIsFound(t *testing.T) {
	h := build(t)
	h.at = h.at.AddDate(0, 0, -10)
	h.loadRows("OCT/1,Asha Traders,123456786729,HDFC0001234,123456.00,pb3", "OCT/2,=cmd()|Ravi,223456789012,HDFC0001234,50.00,pb3")
	october := h.batches()[0].SheetID
	h.at = h.at.AddDate(0, 0, 10)
	h.loadRows("NOV/1,Asha Traders,123456786729,HDFC0001234,70.00,pb4", "NOV/2,Mina Rao,323456789012,HDFC0001234,123456.00,pb4")
	b := h.adminWho("view")
	account := map[string]string{}
	for _, a := range h.set.Accounts {
		account[a.Name] = a.BankAccountID
	}
	for query, want := range map[string]string{
		"": "NOV/2 NOV/1 OCT/2 OCT/1", "sort=oldest": "OCT/1 OCT/2 NOV/1 NOV/2", "sort=largest": "NOV/2 OCT/1 NOV/1 OCT/2", "sort=smallest": "OCT/2 NOV/1 NOV/2 OCT/1", "sort=payee": "OCT/2 NOV/1 OCT/1 NOV/2",
		"q=oct": "OCT/2 OCT/1", "q=oct/1": "OCT/1", "q=asha": "NOV/1 OCT/1", "q=6729": "NOV/1 OCT/1", "q=123456.00": "NOV/2 OCT/1", "q=" + url.QueryEscape("₹1,23,456"): "NOV/2 OCT/1", "q=70": "NOV/1",
		"sheet=" + october: "OCT/2 OCT/1", "account=" + account["pb4"]: "NOV/2 NOV/1", "state=planned": "NOV/2 NOV/1 OCT/2 OCT/1", "state=success": "", "state=failed,planned&q=asha&account=" + account["pb3"]: "OCT/1",
		"from=" + h.at.In(h.set.Timezone.At).Format(time.DateOnly): "NOV/2 NOV/1", "until=" + h.at.AddDate(0, 0, -1).In(h.set.Timezone.At).Format(time.DateOnly): "OCT/2 OCT/1", "from=2099-01-01": "", "from=x&sort=x&page=x": "NOV/2 NOV/1 OCT/2 OCT/1",
	} {
		p := b.get("/payouts?" + query)
		got := strings.Join(p.found(), " ")
		if p.StatusCode != 200 || got != want {
			t.Errorf("%s: %s: %q and not %q", query, p.Status, got, want)
		}
		if n := len(p.found()); n > 0 && !strings.Contains(p.body, fmt.Sprintf("%s · <data", ledger.CountedPayouts(n))) {
			t.Errorf("%s: the page does not say how many", query)
		}
		file := b.get("/payouts.csv?" + query)
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\ufeff"))).ReadAll()
		var refs []string
		for _, row := range rows[min(1, len(rows)):] {
			refs = append(refs, row[0])
		}
		if err != nil || strings.Join(refs, " ") != want || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment;") {
			t.Errorf("%s: the file has %q; %v", query, refs, err)
		}
	}
	is(t, b.get("/payouts?q=123456"), 200, `2 payouts · <data value="246912.00">₹2,46,912.00</data>`)
	is(t, b.get("/payouts.csv"), 200, "XXXXXXXX6729", "'=cmd()|Ravi")
	isNot(t, b.get("/payouts.csv"), "123456786729")
	book := need(excelize.OpenReader(bytes.NewReader([]byte(b.get("/payouts.xlsx?q=asha").body))))(t)
	rows := need(book.GetRows("Payouts"))(t)
	if len(rows) != 3 || rows[1][0] != "NOV/1" || rows[1][2] != "XXXXXXXX6729" {
		t.Errorf("the workbook has %q", rows)
	}
}

// More than one page has numbers, and an address of its own.
func TestPagesOfPayoutsHaveNumbers(t *testing.T) {
	h := build(t)
	h.loadText("nov.csv", manyRows(2*payoutRows+5, func(i int) string {
		return fmt.Sprintf("INV-%03d,Asha Verma,%d,HDFC0001234,%d.00,pb3\n", i, 501000000000+i, i+1)
	}), app.SheetOptions{})
	b := h.adminWho("view")
	for _, from := range []string{"/payouts?", "/payouts?q=asha&", "/payouts?sort=oldest&", "/payouts?sort=largest&"} {
		var all []string
		for page := 1; page <= 3; page++ {
			p := b.get(from + fmt.Sprint("page=", page))
			is(t, p, 200, `aria-current="page">`+fmt.Sprint(page)+"</a>", "205 payouts")
			all = append(all, p.found()...)
		}
		slices.Sort(all)
		same(t, from+" on all pages", len(slices.Compact(all)), 2*payoutRows+5)
	}
	is(t, b.get("/payouts?page=3"), 200, "201 to 205 of 205", "INV-000")
	leads(t, b.get("/payouts?page=4"), 303, "/payouts?page=3")
}

// Account numbers in full come only by POST, for who decides, with a proof, and are on record.
func TestPayoutsInFullAreOnRecord(t *testing.T) {
	h := build(t, "INV/1", "INV/2").twoPeople()
	is(t, h.as("asha").get("/payouts"), 200, `action="/payouts/full"`) // who may approve
	looks := h.invite("vera", "view", "load")
	isNot(t, looks.get("/payouts"), "/payouts/full")
	is(t, looks.decide("/payouts/full"), 403, "approve or pay")
	b := h.as("ravi")
	n := len(h.events())
	p := b.decide("/payouts/full", "q", "inv/1", "format", "csv")
	is(t, p, 200, "INV/1", ",123456789012,")
	isNot(t, p, "INV/2")
	h.recorded(n, ledger.EventNumbersGiven)
	eventSays(t, h.last(), " by ravi\n", "1 payout\n")
	h.at = h.at.Add(6 * time.Minute)
	is(t, b.decide("/payouts/full"), 403)
	isNot(t, b.decide("/payouts/full"), "123456789012")
}

// A payee's page has their accounts over time and what was paid there, whatever others of
// another name got at the same account; review, search and payout lead to it.
func TestAPayeeHasAPage(t *testing.T) {
	h := build(t)
	h.at = h.at.AddDate(0, 0, -20)
	h.loadRows("OCT/1,Asha  TRADERS,123456786729,HDFC0001234,100.00,pb3", "OCT/2,Other Name,123456786729,HDFC0001234,50.00,pb3")
	h.at = h.at.AddDate(0, 0, 20)
	h.loadRows("NOV/1,Asha Traders,777756785678,HDFC0001234,70.00,pb3")
	h.twoPeople()
	b := h.as("meera")
	var paths []string
	for _, page := range []string{"/payouts?q=nov/1", "/payouts?ref=NOV/1", "/sheets/" + h.batches()[1].SheetID} {
		paths = append(paths, b.get(page).part(t, `href="(/payees/n[0-9a-f]{16})">Asha Traders`))
	}
	if len(slices.Compact(paths)) != 1 {
		t.Fatal(paths)
	}
	p := b.get(paths[0])
	is(t, p, 200, "<h1>Asha Traders</h1>", "XXXXXXXX6729 HDFC0001234", "XXXXXXXX5678 HDFC0001234", `2 payouts · <data value="170.00">`, "2 Not sent yet", `href="/payouts?ref=OCT%2F1"`)
	isNot(t, p, "OCT/2", "123456786729")
	if strings.Index(p.body, "5678") > strings.Index(p.body, "6729") {
		t.Error("the latest account is not the first")
	}
	for _, path := range []string{"/payees/n0000000000000001", "/payees/x", "/payees/nzzzzzzzzzzzzzzzz"} {
		is(t, b.get(path), 404)
	}
}
