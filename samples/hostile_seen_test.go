package samples_test

import (
	"strings"
	"testing"

	"payrun/validate"
)

const stylesFile = "xl/styles.xml"

// dressed gives the plain sheet as a workbook with two styles more: 4 with a
// number format, 5 with a font.
func dressed(format, font string) workbook {
	return six().parts().
		edit(stylesFile, `</numFmts>`, `<numFmt numFmtId="170" formatCode="`+escaped(format)+`"/></numFmts>`).
		edit(stylesFile, `</font></fonts>`, `</font><font>`+font+`</font></fonts>`).
		edit(stylesFile, `</cellXfs>`, `<xf numFmtId="170" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" xfId="0" applyFont="1"/></cellXfs>`)
}

// columned writes the plain sheet as CSV with the amount's column as others, of
// which each row has cells as the function writes the amount.
func columned(header string, cells func(amount string) string) func(t *testing.T) []byte {
	return rewritten(func(s string) string {
		lines := strings.SplitAfter(strings.Replace(s, ",amount,", ","+header+",", 1), "\n")
		for i, p := range six().payouts {
			amount := p.amount.Indian()
			quoted := amount
			if strings.Contains(amount, ",") {
				quoted = `"` + amount + `"`
			}
			lines[i+1] = strings.Replace(lines[i+1], ","+quoted+",", ","+cells(p.amount.String())+",", 1)
		}
		return strings.Join(lines, "")
	})
}

// hostileSeen is where a person sees something else than there is, or where
// what is there says that it is not the amount.
func hostileSeen() []hostileGroup {
	return []hostileGroup{hostileTwins(), hostileMarks(), hostileShown(), hostileUnits()}
}

func hostileTwins() hostileGroup {
	twice := func(t *testing.T) []byte {
		s := six()
		s.payouts[4].account, s.payouts[4].ifsc, s.payouts[4].amount = s.payouts[2].account, s.payouts[2].ifsc, s.payouts[2].amount
		return s.csv(t)
	}
	return hostileGroup{"The same payout twice", []hostile{
		{what: "one account and amount under two references", sheet: "payee-twice.csv", make: twice, want: reads(6, 1, "6 vendor_name payee_other_name", "6 amount payee_listed_twice").saying("row 4 ")},
		{what: "the same with --strict", sheet: "payee-twice.csv", flags: "--strict", make: twice, set: func(o *validate.Options) { o.Strict = true },
			want: refusesRows(5, "6 vendor_name payee_other_name", "6 amount payee_listed_twice")},
	}}
}

func hostileMarks() hostileGroup {
	const strike, raise, lower = `<rPr><strike/></rPr>`, `<rPr><vertAlign val="superscript"/></rPr>`, `<rPr><vertAlign val="subscript"/></rPr>`
	run := func(font, text string) string { return "<r>" + font + "<t>" + text + "</t></r>" }
	in := func(cell, column, what, sheet, code, runs string) hostile {
		return hostile{what: what, sheet: sheet, want: refusesRows(5, "4 "+column+" "+code),
			make: written(six().parts().cell(cell, `<c r="`+cell+`" t="inlineStr"><is>`+runs+`</is></c>`))}
	}
	struck := dressed("General", "<strike/>")
	row := func(cells string) workbook {
		w := struck
		for _, c := range cells {
			name := string(c) + "4"
			w = w.tab(`<c r="`+name+`" s="`+map[bool]string{true: "2", false: "1"}[c == 'E']+`"`, `<c r="`+name+`" s="5"`)
		}
		return w
	}
	return hostileGroup{"Struck out, raised, lowered and hidden", []hostile{
		in("E4", "amount", "an old amount struck out before the new one", "struck-amount.xlsx", "cell_struck_out", run(strike, "1000")+run("", "500")),
		in("E4", "amount", "paise written small", "raised-amount.xlsx", "cell_raised_or_lowered", run("", "12500")+run(raise, "50")),
		in("C4", "bank_account_number", "a footnote on an account number", "raised-account.xlsx", "cell_raised_or_lowered", run("", "0050200333333")+run(raise, "1")),
		in("D4", "ifsc", "an IFSC with a lowered letter", "lowered-ifsc.xlsx", "cell_raised_or_lowered", run("", "TSTB000033")+run(lower, "3")),
		in("A4", "merchant_txn_ref_id", "a reference of which a part is struck out", "struck-reference.xlsx", "cell_struck_out", run("", "DEC25/C")+run(strike, "old")),
		{what: "a name of which a part is struck out", sheet: "struck-name.xlsx", want: reads(6, 1, "4 vendor_name text_struck_or_raised"),
			make: written(six().parts().cell("B4", `<c r="B4" t="inlineStr"><is>`+run(strike, "Deccan ")+run("", "Cold Storage LLP")+`</is></c>`))},
		{what: "a space struck out, which nobody sees", sheet: "struck-space.xlsx", want: reads(6, 1),
			make: written(six().parts().cell("E4", `<c r="E4" t="inlineStr"><is>`+run("", "18250.50")+`<r>`+strike+`<t xml:space="preserve"> </t></r></is></c>`))},
		{what: "a row struck out, as people cancel", sheet: "struck-row.xlsx", make: written(row("ABCDEFG")), want: refusesRows(5, "4 - row_struck_out")},
		{what: "an amount struck out by the cell's font", sheet: "struck-number.xlsx", make: written(row("E")), want: refusesRows(5, "4 amount cell_struck_out")},
		{what: "the column of the amounts hidden", sheet: "hidden-amount.xlsx", want: readsAsPlain("1 amount column_hidden"),
			make: written(six().parts().tab(`<sheetData>`, `<cols><col min="5" max="5" width="9" hidden="1"/></cols><sheetData>`))},
		{what: "the column of the accounts without width", sheet: "flat-account.xlsx", want: readsAsPlain("1 bank_account_number column_hidden"),
			make: written(six().parts().tab(`<sheetData>`, `<cols><col min="2" max="2" width="9"/><col min="3" max="3" width="0" customWidth="1"/></cols><sheetData>`))},
	}}
}

func hostileShown() hostileGroup {
	shown := func(what, sheet, format, number, says string) hostile {
		return hostile{what: what, sheet: sheet, want: refusesRows(5, "4 amount cell_shows_something_else").saying(says),
			make: written(dressed(format, "").cell("E4", `<c r="E4" s="4"><v>`+number+`</v></c>`))}
	}
	read := func(what, sheet, format string) hostile {
		return hostile{what: what, sheet: sheet, want: readsAsPlain(), make: written(dressed(format, "").cell("E4", `<c r="E4" s="4"><v>18250.5</v></c>`))}
	}
	return hostileGroup{"What the format of an amount shows", []hostile{
		read("the rupee, before the number", "format-rupee.xlsx", `[$₹-4009]\ #,##0.00`),
		read("Rs. before it and /- behind it", "format-rs.xlsx", `"Rs. "#,##0.00"/-"`),
		read("lakhs and crores grouped by hand", "format-lakh.xlsx", indianFormat),
		read("gaps and a dash for zero, as accountants have it", "format-accounts.xlsx", `_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)`),
		shown("dollars", "format-dollar.xlsx", `[$$-409]#,##0.00`, "18250.5", `"$18,250.50"`),
		shown("euros", "format-euro.xlsx", `#,##0.00\ [$€-407]`, "18250.5", `"18,250.50 €"`),
		shown("brackets around what is not negative", "format-brackets.xlsx", `(#,##0.00)`, "18250.5", `"(18,250.50)"`),
		shown("a minus before what is not negative", "format-minus.xlsx", `[Red]\-#,##0.00`, "18250.5", `"-18,250.50"`),
		shown("a dash for every number", "format-dash.xlsx", `"-"`, "18250.5", `"-"`),
		shown("nothing", "format-nothing.xlsx", `;;;`, "18250.5", "shows nothing"),
		shown("words", "format-words.xlsx", `"शून्य"`, "18250.5", "शून्य"),
		shown("thousands", "format-thousands.xlsx", `#,##0.00,`, "18250500", `"18,250.50"`),
		shown("lakhs, by their name", "format-lakhs.xlsx", `0.00" Lakh"`, "18250.5", "Lakh"),
		shown("a percentage", "format-percent.xlsx", `0.00%`, "182.5", `"18250.00%"`),
		shown("no paise, which are there", "format-rounded.xlsx", `#,##0`, "18250.5", `"18,251"`),
		shown("a point that is not the decimal point", "format-point.xlsx", `0\.00`, "1825050", "something else"),
		{what: "dollars, of a formula", sheet: "format-formula.xlsx", want: refusesRows(5, "4 amount cell_shows_something_else").saying("$"),
			make: written(dressed(`"$"0.00`, "").cell("E4", `<c r="E4" s="4"><f>18000+250.5</f><v>18250.5</v></c>`))},
	}}
}

func hostileUnits() hostileGroup {
	plainly := func(amount string) string { return amount }
	unit := func(what, sheet, header, says string) hostile {
		return hostile{what: what, sheet: sheet, make: columned(header, plainly), want: refusesFile("1 amount amount_other_unit").saying(says)}
	}
	mapped := func(h hostile, header string) hostile {
		h.flags, h.set = `--map "amount=`+header+`"`, func(o *validate.Options) { o.Map = map[string]string{"amount": header} }
		return h
	}
	readAs := func(what, sheet, header string, cells func(string) string) hostile {
		return hostile{what: what, sheet: sheet, make: columned(header, cells), want: readsAsPlain()}
	}
	tds := columned("Amount,TDS,Net", func(amount string) string { return amount + ",0.00," + amount })
	return hostileGroup{"Currencies, units and other amounts", []hostile{
		readAs("the rupee in the header", "header-rupee.csv", "Amount (₹)", plainly),
		unit("another currency in the header, by its sign", "header-dollar.csv", "Amount ($)", `"$"`),
		unit("another currency, by its code", "header-aed.csv", "Amount AED", "AED"),
		unit("lakhs in the header", "header-lakhs.csv", "Amount (in Lakhs)", "lakhs"),
		mapped(unit("the same, told to be the amount", "header-lakhs.csv", "Amount (in Lakhs)", "lakhs"), "Amount (in Lakhs)"),
		unit("thousands in the header", "header-thousands.csv", "Amount (INR '000)", "000"),
		unit("per cent in the header", "header-percent.csv", "Amount %", "%"),
		{what: "a currency in each row, one of them dollars", sheet: "currency-row.csv", want: refusesRows(5, "4 amount amount_not_rupees").saying("USD"),
			make: columned("amount,Currency", func(amount string) string {
				if amount == "18250.50" {
					return amount + ",USD"
				}
				return amount + ",INR"
			})},
		readAs("a currency in each row: INR, or nothing", "currency-inr.csv", "amount,CCY", func(amount string) string { return amount + "," + strings.Repeat("inr", len(amount)%2) }),
		{what: "Amount beside TDS and Net", sheet: "amount-tds-net.csv", make: tds, want: refusesFile("1 amount amount_gross_or_net").saying(`"Net" (G)`)},
		mapped(hostile{what: "the same, told which is paid", sheet: "amount-tds-net.csv", make: tds, want: readsAsPlain()}, "Net"),
		mapped(hostile{what: "gross less TDS that is not net", sheet: "amount-not-net.csv", want: reads(6, 1, "4 amount amount_not_net"),
			make: columned("Gross Amount,TDS,Net Amount", func(amount string) string {
				if amount == "18250.50" {
					return "20000.00,1000.00," + amount
				}
				return amount + ",," + amount
			})}, "Net Amount"),
		{what: "paise in a column of their own", sheet: "amount-paise-apart.csv", want: refusesFile("1 amount amount_paise_apart").saying("Ps."),
			make: columned("Rs.,Ps.", func(amount string) string { return strings.Replace(amount, ".", ",", 1) })},
	}}
}
