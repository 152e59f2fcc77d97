package ledger

// Rail is how money moves between banks in India. The interface does not say which transaction
// type is which. If a person configures it, its limits are known.
type Rail string

const (
	RailNEFT Rail = "neft"
	RailRTGS Rail = "rtgs"
	RailIMPS Rail = "imps"
)

// RailNamed returns the rail of that name, "" if there is none.
func RailNamed(name string) Rail {
	switch r := Rail(name); r {
	case RailNEFT, RailRTGS, RailIMPS:
		return r
	}
	return ""
}

// Limits returns the minimum and maximum of one payout, in paise; 0 if the rail has no such
// limit. They are those of the Reserve Bank of India and of NPCI; a bank may have narrower
// ones.
func (r Rail) Limits() (least, most Paise) {
	switch r {
	case RailRTGS:
		return 2_00_000_00, 0
	case RailIMPS:
		return 0, 5_00_000_00
	}
	return 0, 0
}
