package ledger

// ReadOptions is how a sheet was read where its bytes leave a choice. Whoever
// opens the same bytes again in the same way sees the same rows.
type ReadOptions struct {
	Encoding   string            `json:"encoding"`    // "" for UTF-8, or what the BOM says
	HiddenRows string            `json:"hidden_rows"` // error, skip or include
	Columns    map[string]string `json:"columns"`     // canonical name → header in the sheet, as --map named them
}
