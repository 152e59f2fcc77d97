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
func hostileSeen() []hostileGroup { return []hostileGroup{hostileShown(), hostileUnits()} }

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
