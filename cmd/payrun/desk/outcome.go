package desk

import (
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// segment is a part of a bar that is a thousand wide.
type segment struct {
	Class    string
	X, Width int
}

const (
	barWidth     = 1000
	leastSegment = 14 // so that one payout of many is seen
	between      = 4
)

// segments are the bar of a sheet: each part by its number of payouts.
func segments(parts []app.SheetPart) (list []segment) {
	all, room := 0, barWidth
	for _, p := range parts {
		all += p.Count
		room -= leastSegment
	}
	x := 0
	for i, p := range parts {
		width := leastSegment + max(0, room)*p.Count/all
		if i == len(parts)-1 {
			width = barWidth - x + between
		}
		list = append(list, segment{p.Class, x, width - between})
		x += width
	}
	return list
}

// sheetLine is a line of a list of sheets: the state of one, and what it needs.
type sheetLine struct {
	app.SheetStanding
	Ask  app.SheetAsk
	Mine bool   // the viewer is next
	Link string // where they do what is asked for
	Do   string // what the button says; "" for none
	Main bool   // it is the first of their tasks
}

// Then is what comes after what is asked for here.
func (l sheetLine) Then() string {
	switch l.Ask.Kind {
	case ledger.ToBeApproved:
		return "then it is sent"
	case ledger.ToBeInitiated:
		return "then the bank sends the OTP"
	case ledger.SentBack:
		return "withdraw it and correct the sheet"
	}
	return ""
}

// linesOf are the lines of sheets for a person: their tasks, the gravest first, and the others,
// first those that are not done.
func linesOf(all []app.SheetStanding, me ledger.Person) (mine, others []sheetLine) {
	for _, st := range all {
		if line := lineOf(st, me); line.Mine {
			mine = append(mine, line)
		} else {
			others = append(others, line)
		}
	}
	slices.SortStableFunc(mine, func(a, b sheetLine) int { return a.Ask.Kind.Rank() - b.Ask.Kind.Rank() })
	done := func(l sheetLine) int {
		if l.Ask.Kind == ledger.NeedsNothing {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(others, func(a, b sheetLine) int { return done(a) - done(b) })
	if len(mine) > 0 {
		mine[0].Main = true
	}
	return mine, others
}

// lineOf is the line of a sheet for a person.
func lineOf(st app.SheetStanding, me ledger.Person) sheetLine {
	line := sheetLine{SheetStanding: st, Ask: st.First(), Link: "/sheets/" + st.ID}
	ask, mine := st.For(me.Name)
	if !mine {
		return line
	}
	line.Ask, line.Mine, line.Do = ask, true, "Open"
	switch ask.Kind {
	case ledger.ToBeApproved:
		line.Do = "Review and approve"
	case ledger.ToBeInitiated:
		line.Do = "Review and send"
	case ledger.OTPWaiting, ledger.OTPLate:
		line.Do, line.Link = "Enter OTP", "/otp/"+ask.Batches[0].ID
	case ledger.QueuedBehindOTP:
		line.Do, line.Link = "Request next OTP", "/otp?account="+ask.Batches[0].BankAccountID
	case ledger.PayoutNotPaid, ledger.PayoutCameBack:
		line.Do, line.Link = "Correct or retry", line.Link+"#next"
	case ledger.SentBack:
		line.Do = "See why"
	default:
		if len(ask.Batches) == 1 {
			line.Link = "/batches/" + ask.Batches[0].ID
		} else {
			line.Link = "/attention#" + string(ask.Kind)
		}
	}
	return line
}
