package ledger

// ReadOptions is how a sheet was read where its bytes leave a choice. Whoever
// opens the same bytes again in the same way sees the same rows.
type ReadOptions struct {
	Encoding   string            // "" for UTF-8, or what the BOM says
	HiddenRows string            // error, skip or include
	Columns    map[string]string // canonical name → header in the sheet, as --map named them
}
