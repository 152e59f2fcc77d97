package ledger

import "testing"

func TestAFindingNamesItsPlaceAsPeopleSeeIt(t *testing.T) {
	for want, f := range map[string]Finding{
		"":               {Column: "amount"},
		"row 3":          {Row: 3},
		"row 3, amount":  {Row: 3, Column: "amount"},
		"E3, Net Amount": {Row: 3, Column: "amount", Cell: "E3", Header: "Net Amount"},
		"H3":             {Row: 3, Cell: "H3"}, // outside the table: its column has no name
	} {
		if got := f.Place(); got != want {
			t.Errorf("%+v is at %q, not %q", f, got, want)
		}
	}
}
