package ingest

import (
	"slices"
	"sync"

	"payrun/ledger"
)

// Explanation explains a code to the person who made the sheet.
type Explanation struct {
	Code     string
	Severity ledger.Severity
	Scope    Scope
	Title    string
	Why      string
	Fix      string
	Example  string        // an input that the code is found for; "" if an example would not help
	Option   ledger.Option // the option that the fix mentions
}

// Scope says what a finding of severity error refuses.
type Scope string

const (
	ScopeRow  Scope = "row"  // its row; --skip-bad can leave it out
	ScopeFile Scope = "file" // the sheet as a whole
)

const (
	fixSaveAs  = `Open it in the spreadsheet program and save a fresh copy: File > Save As > Excel Workbook (.xlsx).`
	fixPain    = `Export the file again from the program that made it, and do not edit it by hand.`
	fixCSVUTF8 = `Save it again as CSV UTF-8: File > Save As > CSV UTF-8 (Comma delimited).`
)

var noOption ledger.Option

// codes is the one table of all findings about a sheet, those of validate included.
var codes []Explanation

// NewCode adds an explanation to the table and returns its code. Call it only while the program starts.
func NewCode(e Explanation) string {
	codes = append(codes, e)
	return e.Code
}

// byCode is the table by code, built once.
var byCode = sync.OnceValue(func() map[string]Explanation {
	all := map[string]Explanation{}
	for _, e := range codes {
		all[e.Code] = e
	}
	return all
})

// Explained returns the explanation of a code, and whether there is one.
func Explained(code string) (Explanation, bool) {
	e, ok := byCode()[code]
	return e, ok
}

func explain(code, title, why, fix string, o ledger.Option) string {
	return NewCode(Explanation{code, ledger.SeverityError, ScopeFile, title, why, fix, "", o})
}

// The codes of faults that make a file unreadable.
var (
	CodeNotRegular      = explain("not_a_regular_file", "Not a regular file", "A link, a folder, a pipe or a device can change its content at any moment.", "Give the path of the sheet itself.", noOption)
	CodeFileChanged     = explain("file_changed", "The file changed while it was read", "payrun must pay exactly what it checked.", "Wait until the program that writes the sheet is done, close the sheet there, and try again.", noOption)
	CodeFileEmpty       = explain("file_empty", "The file is empty", "There is nothing to pay. A copy or download may have been cut off.", "Save or download the sheet again.", noOption)
	CodeFileTooLarge    = explain("file_too_large", "The file is larger than the limit", "Limits keep one sheet from taking the machine down.", "Split the sheet, or raise limits.sheet_bytes.", noOption)
	CodeFormatUnknown   = explain("format_not_supported", "Not a CSV, XLSX or pain.001 sheet", "Only these formats can be read exactly.", fixSaveAs+" If it is a PDF or a picture, ask its sender for the Excel or CSV file.", noOption)
	CodeOldXLS          = explain("format_old_xls", "Excel 97-2003 workbook (.xls)", "The old format cannot be read exactly.", fixSaveAs, noOption)
	CodeEncrypted       = explain("file_encrypted", "The file is protected by a password", "It cannot be read without the password.", `Remove the password and save: File > Info > Protect Workbook > Encrypt with Password, empty the box.`, noOption)
	CodeMacros          = explain("workbook_has_macros", "The workbook has macros", "A macro can change the sheet after it was checked.", `Save it without macros: File > Save As > Excel Workbook (.xlsx).`, noOption)
	CodeTooManyRows     = explain("too_many_rows", "More rows than the limit", "Limits keep one sheet from taking the machine down.", "Split the sheet, or raise limits.sheet_rows.", noOption)
	CodeTooManyColumns  = explain("too_many_columns", "More columns than the limit", "A cell far to the right is almost always a mistake.", "Delete the cells to the right of the table, or raise limits.sheet_columns.", noOption)
	CodeCellTooLong     = explain("cell_too_long", "A cell is longer than the limit", "No spreadsheet program allows more in a cell. A quote may be missing.", "Shorten the cell, and check that every quote is closed.", noOption)
	CodeRowTooLong      = explain("row_too_long", "A row is longer than the limit", "No table has such a row. In a CSV, line breaks or separators may be missing.", "Check this row, and shorten it.", noOption)
	CodeNUL             = explain("csv_nul_byte", "The file has NUL bytes", "It is not text, or its encoding is not marked.", fixCSVUTF8, noOption)
	CodeEncoding        = explain("csv_encoding", "Characters cannot be read", "Bytes that are not UTF-8 would give wrong names.", `Save it again as CSV UTF-8. If it is windows-1252, say so.`, ledger.Option{Name: ledger.OptionEncoding, Value: "windows-1252"})
	CodeQuoteUnclosed   = explain("csv_quote_unclosed", "A quote is opened and never closed", "Everything after it would be read as one cell.", `Close the quote, or remove it. A quote inside a quoted cell is written twice: "".`, noOption)
	CodeQuoteStray      = explain("csv_quote_stray", "A quote inside a cell that does not begin with one", "Programs read such a cell in different ways.", `Put the whole cell in quotes and write each quote inside it twice: "".`, noOption)
	CodeTextAfterQuote  = explain("csv_text_after_quote", "Text after a closing quote", "Programs read such a cell in different ways.", `Put a separator after the closing quote, or write a quote inside the cell twice: "".`, noOption)
	CodeWorkbookDamaged = explain("workbook_damaged", "The workbook is damaged", "Its zip file was cut off or altered.", "Download or copy it again. "+fixSaveAs, noOption)
	CodeXMLMalformed    = explain("workbook_xml_malformed", "The workbook's XML is damaged", "Rows could be missing without a trace.", fixSaveAs, noOption)
	CodeXMLForbidden    = explain("workbook_xml_forbidden", "The workbook's XML has parts that no workbook has", "Document types and entities are used to attack programs that read them.", fixSaveAs, noOption)
	CodeZipBomb         = explain("workbook_unpacks_too_large", "The workbook unpacks to more than the limit", "No payout sheet is packed like this.", fixSaveAs, noOption)
	CodeTooMuch         = explain("workbook_lists_too_much", "The workbook lists more than any workbook has", "payrun keeps tabs, cell formats and the like in memory while it reads the rows.", "Copy the payouts into a new workbook (paste as values) and save it.", noOption)
	CodePartRepeated    = explain("workbook_part_repeated", "The workbook has a part twice", "Programs differ in which one they show.", fixSaveAs, noOption)
	CodePartName        = explain("workbook_part_name", "The workbook has a part with an unsafe name", "Such names are used to write outside a folder.", fixSaveAs, noOption)
	CodePartMissing     = explain("workbook_part_missing", "A part of the workbook is missing", "The sheet cannot be read without it.", fixSaveAs, noOption)
	CodeRowOrder        = explain("xlsx_row_order", "Rows repeat or go backwards", "Programs differ in which rows they show.", fixSaveAs, noOption)
	CodeCellOrder       = explain("xlsx_cell_order", "Cells repeat, go backwards or are in another row", "Programs differ in which cells they show.", fixSaveAs, noOption)
	CodeCellMalformed   = explain("xlsx_cell_malformed", "A cell cannot be read", "Its type and its content do not match.", fixSaveAs, noOption)
	CodeSharedString    = explain("xlsx_shared_string", "A cell refers to a text that is not there", "The text of the cell is lost.", fixSaveAs, noOption)
	CodeSharedTooLarge  = explain("xlsx_shared_strings_too_large", "The workbook holds more text than the limit", "Limits keep one sheet from taking the machine down.", "Save the sheet as CSV UTF-8, or split it.", noOption)
	CodeMerged          = explain("merged_cells", "Merged cells over data", "Only the first of the merged cells holds the value. The others look filled but are empty.", "Select the sheet, Home > Merge & Center > Unmerge Cells, and fill every cell.", noOption)
	CodeHiddenRows      = explain("hidden_rows", "Hidden rows", "You cannot see them in the sheet, but they would be paid.", "Clear the filter and unhide the rows (select all, right-click a row number, Unhide; Row Height 15 for rows without height), or say whether to skip or include them.", ledger.Option{Name: ledger.OptionHiddenRows, Value: "skip|include"})
	CodeTabAbsent       = explain("tab_absent", "The workbook has no such tab", "None of its tabs has that name.", "Give one of the names listed.", ledger.Option{Name: ledger.OptionTab})
	CodeTabHidden       = explain("tab_hidden", "The tab is hidden", "You cannot see it in the workbook.", "Unhide the tab: right-click any tab, Unhide.", noOption)
	CodeTabNone         = explain("tab_without_header", "No tab has a known header", "Without a header, payrun cannot tell the columns apart.", "Put the column names into one of the first 20 rows (payrun template writes an example), or say which header is which column.", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"})
	CodePainVersion     = explain("pain_version", "Another version of pain.001", "The meaning of elements differs between versions, and payrun reads only the two it knows.", "Export the file as pain.001.001.03 or pain.001.001.09.", noOption)
	CodePainMalformed   = explain("pain_malformed", "The pain.001 does not follow its schema", "An element in the wrong place may mean something else to each program.", fixPain, noOption)
	CodePainForbidden   = explain("pain_forbidden", "The pain.001 has parts that no message has", "Document types, entities and instructions are used to attack programs, or to show each something else.", fixPain, noOption)
	CodePainElement     = explain("pain_element_refused", "An element of the pain.001 cannot be carried out", "It changes what is paid, to whom or how, and the interface cannot express that; or payrun does not know what it means.", "Export these payouts without it. If that is not possible, pay them at the bank.", noOption)
	CodePainControl     = explain("pain_control_differs", "The pain.001 does not agree with itself", "The file states another number or sum of payouts than it has: something is missing, or was changed by hand.", fixPain, noOption)
	CodeTabUnclear      = explain("tab_may_hold_payouts", "Another tab may hold payouts", "payrun does not know its header, but its rows look like payouts. They would not be paid.", "Choose the tab to read; the others are then not paid. To pay both, put their rows into one tab, below one header.", ledger.Option{Name: ledger.OptionTab})
	CodeTabSeveral      = explain("tab_ambiguous", "Several tabs hold payouts", "You have to say which of them to pay.", "Choose one of them, or save each tab as a file of its own.", ledger.Option{Name: ledger.OptionTab})
)

// Codes returns the table, for the page that explains codes.
func Codes() []Explanation { return slices.Clone(codes) }
