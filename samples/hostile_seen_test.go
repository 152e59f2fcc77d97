package samples_test

import (
	"fmt"
	"strings"
	"testing"

	"payrun/validate"
)

const stylesFile, themePart = "xl/styles.xml", "xl/theme/theme1.xml"

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
	return []hostileGroup{hostileTwins(), hostileMarks(), hostileUnseen(), hostileShown(), hostileShownTexts(), hostileNarrations(), hostileRounded(), hostileUnits()}
}

func hostileTwins() hostileGroup {
	twice := six().but(func(s *sheet) {
		s.payouts[4].account, s.payouts[4].ifsc, s.payouts[4].amount = s.payouts[2].account, s.payouts[2].ifsc, s.payouts[2].amount
	})
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
	row := func(columns string) workbook { return styled(dressed("General", "<strike/>"), columns, "5") }
	bordered := func(attrs string) workbook {
		return inRow(looking("General", "<b/>", noFill), "ABCDEFG").
			edit(stylesFile, `<border/></borders>`, `<border/><border `+attrs+`><left/><right/><top/><bottom/><diagonal style="thin"/></border></borders>`).
			edit(stylesFile, `<xf numFmtId="170" fontId="1" fillId="1"`, `<xf numFmtId="170" fontId="1" fillId="1" borderId="1"`)
	}
	return hostileGroup{"Struck out, raised, lowered and hidden", []hostile{
		in("E4", "amount", "an old amount struck out before the new one", "struck-amount.xlsx", "cell_struck_out", run(strike, "1000")+run("", "500")),
		in("E4", "amount", "paise written small", "raised-amount.xlsx", "cell_raised_or_lowered", run("", "12500")+run(raise, "50")),
		in("C4", "bank_account_number", "a footnote on an account number", "raised-account.xlsx", "cell_raised_or_lowered", run("", "0050200333333")+run(raise, "1")),
		in("D4", "ifsc", "an IFSC with a lowered letter", "lowered-ifsc.xlsx", "cell_raised_or_lowered", run("", "TSTB000033")+run(lower, "3")),
		in("A4", "merchant_txn_ref_id", "a reference of which a part is struck out", "struck-reference.xlsx", "cell_struck_out", run("", "DEC25/C")+run(strike, "old")),
		{what: "a name of which a part is struck out", sheet: "struck-name.xlsx", want: reads(6, 1, "4 vendor_name text_struck_or_raised"),
			make: written(six().parts().cell("B4", `<c r="B4" t="inlineStr"><is>`+run(strike, "Deccan ")+run("", "Cold Storage LLP")+`</is></c>`))},
		{what: "a space struck out, which is not visible", sheet: "struck-space.xlsx", want: reads(6, 1),
			make: written(six().parts().cell("E4", `<c r="E4" t="inlineStr"><is>`+run("", "18250.50")+`<r>`+strike+`<t xml:space="preserve"> </t></r></is></c>`))},
		{what: "a row struck out, as people cancel", sheet: "struck-row.xlsx", make: written(row("ABCDEFG")), want: refusesRows(5, "4 - row_struck_out")},
		{what: "a row crossed out with diagonal borders", sheet: "struck-borders.xlsx", make: written(bordered(`diagonalUp="1" diagonalDown="1"`)), want: refusesRows(5, "4 - row_struck_out")},
		{what: "a diagonal that the border does not draw", sheet: "border-undrawn.xlsx", make: written(bordered(`diagonalUp="0"`)), want: readsAsPlain()},
		{what: "an amount struck out by the cell's font", sheet: "struck-number.xlsx", make: written(row("E")), want: refusesRows(5, "4 amount cell_struck_out")},
		{what: "the column of the amounts hidden", sheet: "hidden-amount.xlsx", want: readsAsPlain("1 amount column_hidden"),
			make: written(six().parts().tab(`<sheetData>`, `<cols><col min="5" max="5" width="9" hidden="1"/></cols><sheetData>`))},
		{what: "the column of the accounts without width", sheet: "flat-account.xlsx", want: readsAsPlain("1 bank_account_number column_hidden"),
			make: written(six().parts().tab(`<sheetData>`, `<cols><col min="2" max="2" width="9"/><col min="3" max="3" width="0" customWidth="1"/></cols><sheetData>`))},
		{what: "the column of the amounts a fifth of a character wide", sheet: "narrow-amount.xlsx", want: readsAsPlain("1 amount column_hidden"),
			make: written(six().parts().tab(`<sheetData>`, `<cols><col min="5" max="5" width="0.2" customWidth="1"/></cols><sheetData>`))},
		{what: "a narrow column that no one can read", sheet: "narrow-gap.xlsx", want: readsAsPlain(),
			make: written(six().parts().tab(`<sheetData>`, `<cols><col min="8" max="8" width="0.2" customWidth="1"/></cols><sheetData>`))},
		{what: "a row 4.5 points high", sheet: "low-row-unseen.xlsx", want: refusesFile("4 - hidden_rows"),
			make: written(six().parts().tab(`<row r="4">`, `<row r="4" ht="4.5" customHeight="1">`))},
	}}
}

// looking gives the plain sheet as a workbook with a style more: 4 with a number format,
// a font and a fill.
func looking(format, font, fill string) workbook {
	return dressed(format, font).
		edit(stylesFile, `</fill></fills>`, `</fill><fill>`+fill+`</fill></fills>`).
		edit(stylesFile, `<xf numFmtId="170" xfId="0"`, `<xf numFmtId="170" fontId="1" fillId="1" xfId="0"`)
}

// inRow gives the cells of row 4 that style.
func inRow(w workbook, columns string) workbook { return styled(w, columns, "4") }

func styled(w workbook, columns, style string) workbook {
	for _, c := range columns {
		name := string(c) + "4"
		was := map[bool]string{true: "2", false: "1"}[c == 'E']
		w = w.tab(`<c r="`+name+`" s="`+was+`"`, `<c r="`+name+`" s="`+style+`"`)
	}
	return w
}

const (
	white, blue, black = `<color rgb="FFFFFFFF"/>`, `<patternFill patternType="solid"><fgColor rgb="FF1F4E78"/><bgColor indexed="64"/></patternFill>`, `<patternFill patternType="solid"><fgColor theme="1"/></patternFill>`
	noFill             = `<patternFill patternType="none"/>`
)

// solid is the fill of one colour.
func solid(colour string) string {
	return `<patternFill patternType="solid"><fgColor ` + colour + `/><bgColor indexed="64"/></patternFill>`
}

// inks are colours of letters and of what is behind them, "" for none.
type inks struct{ what, ink, paper string }

// apart are those that a person tells apart.
var apart = []inks{
	{"white on a blue of the theme", `theme="0"`, `theme="4"`}, {"white on orange", `rgb="FFFFFFFF"`, `rgb="FFFFC000"`},
	{"grey", `rgb="FF808080"`, ""}, {"light grey", `rgb="FFBFBFBF"`, ""}, {"a quarter darker than white", `theme="0" tint="-0.249977111117893"`, ""},
	{"green", `rgb="FF00FF00"`, ""}, {"red on a grey that is as bright", `rgb="FFFF0000"`, `rgb="FF808080"`},
	{"a place that no palette has", `indexed="70"`, `indexed="70"`}, {"a theme that has no such place", `theme="12"`, ""},
}

// sameInks are those that no one tells apart.
var sameInks = []inks{
	{"a blue of the theme on the same, by its name", `theme="4"`, `rgb="FF4472C4"`}, {"red of the palette on red", `indexed="10"`, `rgb="FFFF0000"`},
	{"yellow on nearly the same", `rgb="FFFFFF00"`, `rgb="FFFFFF01"`}, {"white on a light yellow", `rgb="FFFFFFFF"`, `rgb="FFFFFFCC"`},
	{"white on a light blue of the theme", `theme="0"`, `theme="4" tint="0.79998168889431442"`}, {"very light grey", `rgb="FFEEEEEE"`, ""},
	{"light yellow", `rgb="FFFFFF99"`, ""}, {"15% darker than white", `theme="0" tint="-0.14999847407452621"`, ""}, {"black on nearly black", `rgb="FF000000"`, `rgb="FF1F1F1F"`},
	{"the background of the system", `indexed="65"`, ""}, {"black on the text of the system", `rgb="FF000000"`, `indexed="64"`},
}

// coloured gives the plain sheet with row 4 in these colours.
func (c inks) coloured() workbook {
	fill := noFill
	if c.paper != "" {
		fill = solid(c.paper)
	}
	return inRow(looking("General", `<color `+c.ink+`/>`, fill), "ABCDEFG")
}

// themed adds a theme whose first accent is the colour.
func (w workbook) themed(accent string) workbook {
	place := func(name, colour string) string { return "<a:" + name + ">" + colour + "</a:" + name + ">" }
	return w.related("theme", strings.TrimPrefix(themePart, "xl/"), xmlHead+`<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Own"><a:themeElements><a:clrScheme name="Own">`+
		place("dk1", `<a:sysClr val="windowText" lastClr="000000"/>`)+place("lt1", `<a:sysClr val="window" lastClr="FFFFFF"/>`)+place("accent1", `<a:srgbClr val="`+accent+`"/>`)+
		`</a:clrScheme></a:themeElements></a:theme>`)
}

func hostileUnseen() hostileGroup {
	amount := func(what, sheet, format, font, fill string) hostile {
		return hostile{what: what, sheet: sheet, make: written(inRow(looking(format, font, fill), "E")), want: refusesRows(5, "4 amount cell_unseen")}
	}
	runs := func(what, sheet, font string) hostile {
		return hostile{what: what, sheet: sheet, want: refusesRows(5, "4 amount cell_unseen").saying("invisible"),
			make: written(six().parts().cell("E4", `<c r="E4" s="1" t="inlineStr"><is><r><t>4800</t></r><r><rPr>`+font+`</rPr><t>0</t></r></is></c>`))}
	}
	seen := func(what, sheet, columns, format, font, fill string) hostile {
		return hostile{what: what, sheet: sheet, make: written(inRow(looking(format, font, fill), columns)), want: readsAsPlain()}
	}
	lacking := six().parts().themed("1F4E78")
	delete(lacking, themePart)
	group := hostileGroup{"Invisible letters", []hostile{
		runs("a white digit behind an amount", "unseen-digit.xlsx", `<color theme="0"/>`),
		runs("a digit of one point", "unseen-small.xlsx", `<sz val="1"/>`),
		{what: "a shared text with white letters, in a reference", sheet: "unseen-shared.xlsx", want: refusesRows(5, "4 merchant_txn_ref_id cell_unseen"),
			make: written(six().sharing().edit(textsPart, `<si><t xml:space="preserve">DEC25/C</t></si>`, `<si><r><rPr><color indexed="64"/></rPr><t>DEC25/C</t></r><r><rPr>`+white+`</rPr><t>-2</t></r></si>`))},
		{what: "a name in white", sheet: "unseen-name.xlsx", make: written(inRow(looking("@", white, noFill), "B")), want: refusesRows(5, "4 vendor_name cell_unseen")},
		{what: "a row in white", sheet: "unseen-row.xlsx", make: written(inRow(looking("General", white, noFill), "ABCDEFG")), want: refusesRows(5, "4 - cell_unseen")},
		{what: "a row in black on black", sheet: "unseen-black.xlsx", make: written(inRow(looking("General", `<color theme="1"/>`, black), "ABCDEFG")), want: refusesRows(5, "4 - cell_unseen")},
		amount("an amount in the colour of its cell", "unseen-blue.xlsx", "0.00", `<color rgb="FF1F4E78"/>`, blue),
		amount("an amount in white by its number format", "unseen-format.xlsx", "[White]0.00", "<b/>", noFill),
		amount("an amount of two points", "unseen-points.xlsx", "0.00", `<sz val="2"/>`, noFill),
		{what: "a remark hidden by its number format", sheet: "unseen-remark.xlsx", make: written(inRow(looking(";;;", "<b/>", noFill), "F")), want: refusesRows(5, "4 remarks cell_unseen")},
		{what: "an account hidden by its number format", sheet: "unseen-account.xlsx", make: written(inRow(looking(";;;", "<b/>", noFill), "C")), want: refusesRows(5, "4 bank_account_number cell_unseen")},
		seen("white on blue", "seen-white-on-blue.xlsx", "ABCDEFG", "General", white, blue),
		seen("small letters that can be read", "seen-small.xlsx", "ABCDEFG", "General", `<sz val="6"/>`, noFill),
		seen("a white font under a number format in red", "seen-format-red.xlsx", "E", "[Red]0.00", white, noFill),
		seen("black on white, both named", "seen-black-on-white.xlsx", "ABCDEFG", "General", `<color rgb="FF000000"/>`, `<patternFill patternType="solid"><fgColor theme="0"/></patternFill>`),
		seen("white on two colours", "seen-pattern.xlsx", "ABCDEFG", "General", white, `<patternFill patternType="gray125"/>`),
		seen("green by the number format", "seen-format-green.xlsx", "E", "[Green]0.00", "<b/>", noFill),
		amount("yellow by the number format", "unseen-format-yellow.xlsx", "[Yellow]0.00", "<b/>", noFill),
		amount("yellow by its number in a number format", "unseen-format-colour.xlsx", "[Color6]0.00", "<b/>", noFill),
		seen("white on a fill that names no colour", "seen-fill-unnamed.xlsx", "ABCDEFG", "General", white, `<patternFill patternType="solid"/>`),
		{what: "the white of the workbook's own theme", sheet: "unseen-own-white.xlsx", want: refusesRows(5, "4 - cell_unseen"), make: written(inks{"", `theme="0"`, ""}.coloured().themed("1F4E78"))},
		{what: "a blue of the workbook's own theme on the same", sheet: "unseen-own-theme.xlsx", want: refusesRows(5, "4 - cell_unseen"),
			make: written(inks{"", `theme="4"`, `rgb="FF1F4E78"`}.coloured().themed("1F4E78"))},
		{what: "a blue of Office, where the workbook's own theme has red", sheet: "seen-own-theme.xlsx", want: readsAsPlain(),
			make: written(inks{"", `theme="4"`, `rgb="FF4472C4"`}.coloured().themed("C00000"))},
		{what: "a theme that the workbook names and does not have", sheet: "theme-missing.xlsx", make: written(lacking), want: readsAsPlain()},
		{what: "a theme that is cut off", sheet: "theme-cut.xlsx", make: written(six().parts().themed("1F4E78").edit(themePart, `</a:theme>`, ``)), want: refusesFile("0 - workbook_xml_malformed").saying("theme1.xml is cut off")},
		{what: "white of the workbook's own palette", sheet: "unseen-own-palette.xlsx", want: refusesRows(5, "4 - cell_unseen"),
			make: written(inks{"", `indexed="0"`, ""}.coloured().edit(stylesFile, `</styleSheet>`, `<colors><indexedColors><rgbColor rgb="00FFFFFF"/></indexedColors></colors></styleSheet>`))},
	}}
	for i, c := range sameInks {
		group.cases = append(group.cases, hostile{what: "letters: " + c.what, sheet: fmt.Sprintf("unseen-colour-%d.xlsx", i+1), make: written(c.coloured()), want: refusesRows(5, "4 - cell_unseen")})
	}
	for i, c := range apart {
		group.cases = append(group.cases, hostile{what: "letters: " + c.what, sheet: fmt.Sprintf("seen-colour-%d.xlsx", i+1), make: written(c.coloured()), want: readsAsPlain()})
	}
	return group
}

// hostileShownTexts are texts to which the number format of their cell adds: the fourth
// section of a format is for texts.
func hostileShownTexts() hostileGroup {
	refused := func(what, sheet, cell, column, format, text, says string) hostile {
		return hostile{what: what, sheet: sheet, want: refusesRows(5, "4 "+column+" cell_shows_something_else").saying(says),
			make: written(dressed(format, "").cell(cell, `<c r="`+cell+`" s="4" t="str"><v>`+text+`</v></c>`))}
	}
	read := func(what, sheet, columns, format string) hostile {
		return hostile{what: what, sheet: sheet, make: written(inRow(dressed(format, ""), columns)), want: readsAsPlain()}
	}
	sent := func(what, sheet, cell, format, text string) hostile {
		return hostile{what: what, sheet: sheet, want: readsAsPlain(), make: written(dressed(format, "").cell(cell, `<c r="`+cell+`" s="4" t="str"><v>`+text+`</v></c>`))}
	}
	return hostileGroup{"What the format of a text shows", []hostile{
		refused("lakhs behind an amount", "text-lakh.xlsx", "E4", "amount", `0;0;0;@" lakh"`, "4800", `"4800 lakh"`),
		refused("a minus before it", "text-minus.xlsx", "E4", "amount", `\-@`, "4800", `"-4800"`),
		refused("digits before an account number", "text-account.xlsx", "C4", "bank_account_number", `"91"@`, "0050200333333", "besides"),
		refused("another text in the place of an IFSC", "text-ifsc.xlsx", "D4", "ifsc", `0;0;0;"TSTB0000444"`, "TSTB0000333", `"TSTB0000444"`),
		refused("a fill that no one can tell from digits", "text-fill.xlsx", "E4", "amount", `0;0;0;*0@`, "4800", "something else"),
		sent("the beginning of a reference, which is sent as it shows", "text-reference.xlsx", "A4", `"DEC25/"@`, "C"),
		sent("the beginning of a remark", "text-remark.xlsx", "F4", `0;0;0;"December advance, "@`, "lot 3"),
		sent("the end of a name", "text-name.xlsx", "B4", `@" LLP"`, "Deccan Cold Storage"),
		read("texts as they are, with gaps and a colour", "text-plain.xlsx", "ABCDFG", `_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);[Blue]_(@_)`),
		read("a format without a part for texts", "text-none.xlsx", "ABCDFG", `#,##0.00" lakh"`),
	}}
}

// hostileNarrations are remarks that the spreadsheet program took for a date or a number:
// what a person sees is known and is sent.
func hostileNarrations() hostileGroup {
	shown := func(what, sheet, format, value string) hostile {
		return hostile{what: what, sheet: sheet, want: reads(6, 1), make: written(dressed(format, "").cell("F4", `<c r="F4" s="4"><v>`+value+`</v></c>`))}
	}
	return hostileGroup{"Remarks that became a date or a number", []hostile{
		shown("Nov-26, which became a date", "remark-date.xlsx", "mmm-yy", "46327"),
		shown("a day by its name", "remark-day.xlsx", "d mmm yyyy", "45992"),
		shown("0012, which became 12", "remark-zeros.xlsx", "0000", "12"),
		{what: "a date that each computer shows in its own way", sheet: "remark-locale.xlsx", want: refusesRows(5, "4 remarks cell_date"),
			make: written(six().parts().cell("F4", `<c r="F4" s="3"><v>45992</v></c>`))},
	}}
}

// hostileRounded are numbers of which digits are lost, or hidden by rounding.
func hostileRounded() hostileGroup {
	return hostileGroup{"Rounded numbers and other ways to write", []hostile{
		{what: "an amount that shows two decimals and holds four", sheet: "amount-shows-two.xlsx", want: refusesRows(5, "4 amount amount_decimals").saying("shows 1456.78, and holds 1456.7808; use ROUND"),
			make: written(dressed("0.00", "").cell("E4", `<c r="E4" s="4"><v>1456.7808</v></c>`))},
		{what: "a third of a hundred, shown with two decimals", sheet: "amount-third.xlsx", want: refusesRows(5, "4 amount amount_inexact").saying("shows 33.33, and holds 33.3333333333333357; use ROUND"),
			make: written(dressed("0.00", "").cell("E4", `<c r="E4" s="4"><v>33.3333333333333357</v></c>`))},
		{what: "a reference that became a rounded number", sheet: "reference-rounded.csv", make: replaced("DEC25/C", "6.32513E+11"), want: refusesRows(5, "4 merchant_txn_ref_id reference_scientific")},
		{what: "a reference that is a code with an E", sheet: "reference-code.csv", make: replaced("DEC25/C", "6E10"), want: reads(6, 1)},
		{what: "4800.-, which is not negative", sheet: "amount-dash.csv", make: replaced(`"18,250.50"`, "4800.-"), want: refusesRows(5, "4 amount amount_unreadable")},
		{what: "a name struck out with characters", sheet: "struck-letters.csv", make: replaced("Doab", "D\u0336o\u0336a\u0336b\u0336"), want: reads(6, 1, "6 vendor_name text_struck_or_raised")},
		{what: "a reference struck out with characters", sheet: "struck-letters-reference.csv", make: replaced("DEC25/C", "DEC25/C\u0336"), want: refusesRows(5, "4 merchant_txn_ref_id cell_struck_out")},
		{what: "Ctrl-Z at the end, as DOS writes it", sheet: "ctrl-z.csv", make: rewritten(func(s string) string { return s + "\x1a" }), want: readsAsPlain()},
		{what: "columns kept apart by ^", sheet: "separator-caret.csv", make: rewritten(separatedBy("^")), want: refusesFile("0 - header_missing").saying("names the columns")},
		{what: "columns kept apart by ~", sheet: "separator-tilde.csv", make: rewritten(separatedBy("~")), want: refusesFile("0 - header_missing").saying("names the columns")},
		{what: "columns at fixed places of the line", sheet: "fixed-width.csv", make: rewritten(separatedBy("   ")), want: refusesFile("0 - header_missing").saying("names the columns")},
	}}
}

func separatedBy(separator string) func(csv string) string {
	return func(csv string) string {
		var out strings.Builder
		for _, line := range six().rows() {
			out.WriteString(strings.ReplaceAll(strings.Join(line, separator), ",", "") + "\r\n")
		}
		return out.String()
	}
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
		{what: "a reference with a comma between its digits", sheet: "format-reference.xlsx", want: refusesRows(5, "4 merchant_txn_ref_id cell_shows_something_else").saying(`"1,200"`),
			make: written(dressed("#,##0", "").cell("A4", `<c r="A4" s="4"><v>1200</v></c>`))},
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
		mapped(unit("the same, mapped as the amount", "header-lakhs.csv", "Amount (in Lakhs)", "lakhs"), "Amount (in Lakhs)"),
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
		{what: "Amount with TDS and Net", sheet: "amount-tds-net.csv", make: tds, want: refusesFile("1 amount amount_gross_or_net").saying(`"Net" (G)`)},
		{what: "Amount with an exchange rate and the rupees", sheet: "amount-exchange-rate.csv", want: refusesFile("1 amount amount_gross_or_net").saying(`"INR Value" (G)`),
			make: columned("Amount,Exchange Rate,INR Value", func(amount string) string { return amount + ",83.50,83500.00" })},
		mapped(hostile{what: "the same, with the paid one mapped", sheet: "amount-tds-net.csv", make: tds, want: readsAsPlain()}, "Net"),
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
