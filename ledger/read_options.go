package ledger

// ReadOptions says how a sheet was read, if its bytes allow several ways. The same bytes and the
// same options give the same rows.
type ReadOptions struct {
	Encoding   string            `json:"encoding"`    // "" for UTF-8, or the encoding of the BOM
	HiddenRows string            `json:"hidden_rows"` // "" or error, skip or include
	Columns    map[string]string `json:"columns"`     // canonical name → header in the sheet, as in --map
}
