package ledger

// Rail is how money moves between banks in India. The interface does not tell
// which transaction type is which; where somebody says so, its limits are known.
type Rail string

const (
	RailNEFT Rail = "neft"
	RailRTGS Rail = "rtgs"
	RailIMPS Rail = "imps"
)

// RailNamed gives the rail of that name, "" where there is none.
func RailNamed(name string) Rail {
	switch r := Rail(name); r {
	case RailNEFT, RailRTGS, RailIMPS:
		return r
	}
	return ""
}

// Limits gives the least and the most that one payout may be, in paise; 0 where
// the rail has no such limit. They are those of the Reserve Bank of India and of
// NPCI; a bank may have narrower ones.
func (r Rail) Limits() (least, most Paise) {
	switch r {
	case RailRTGS:
		return 2_00_000_00, 0
	case RailIMPS:
		return 0, 5_00_000_00
	}
	return 0, 0
}
