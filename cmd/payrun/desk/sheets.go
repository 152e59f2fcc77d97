package desk

import (
	"net/http"
	"slices"
	"strconv"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// sheetRows is how many sheets one page shows.
const sheetRows = 100

func listSheets(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	now, err := d.app.Overview(r.Context(), d.call(s, "sheets"))
	if err != nil {
		return err
	}
	shown, before, next := partOf(r, now.Sheets, sheetRows)
	lines := ledger.ListOf(shown, func(st app.SheetStanding) sheetLine { return lineOf(st, s.person) })
	var waiting []app.Upload
	if s.person.Can(ledger.RoleLoad) {
		waiting = d.uploads.Of(s.person.Name)
	}
	data := dict("Lines", lines, "Before", before, "Next", next, "Waiting", waiting, "Discarded", r.URL.Query().Has("discarded"))
	return d.show(w, r, s, "sheets", view{Title: "Sheets", Live: true, Data: data})
}

// partOf returns the part of a list that a page shows, from the row that the address names with "after": how many
// rows are before it, and the row of the next part, 0 for none.
func partOf[T any](r *http.Request, list []T, rows int) (part []T, before, next int) {
	before, _ = strconv.Atoi(r.URL.Query().Get("after")) // else from the first on
	before = max(0, min(before, len(list)))
	if next = before + rows; next >= len(list) {
		return list[before:], before, 0
	}
	return list[before:next], before, next
}

// batchRows is how many batches of a sheet one page shows.
const batchRows = 200

// sheetData is what the page of a loaded sheet shows.
type sheetData struct {
	app.SheetStory
	Plan   []ledger.Batch // its batches, as many as one page shows
	Again  bool           // the viewer has just uploaded it again
	Before int            // how many are before these
	Next   int            // the offset of the next batches; 0 for none
	Job    *jobView
	Review *review
	Can    *steps // nil while a job runs: then the page has no forms

	Withdraw string        // what the viewer's withdrawal is bound to; "" if they may not withdraw it
	SentBack *ledger.Event // the newest event that sent it back; nil for none
}

func showSheet(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if isUpload(r.PathValue("id")) {
		return d.waitingSheet(w, r, s)
	}
	story, err := d.app.Sheet(r.Context(), d.call(s, "sheet"), r.PathValue("id"))
	if err != nil {
		return err
	}
	page := "/sheets/" + story.ID
	data := sheetData{SheetStory: story, Job: d.jobOf(w, r, page, story.Batches)}
	d.sessions.with(func() { data.Again, s.again = s.again == story.ID, "" })
	data.Plan, data.Before, data.Next = partOf(r, story.Batches, batchRows)
	if data.Review, err = d.reviewOf(r, s, page, ledger.Filter{SheetID: story.ID}, data.Job.busy()); err != nil {
		return err
	}
	for i := range story.Said {
		if story.Said[i].Kind == ledger.EventSentBack {
			data.SentBack = &story.Said[i]
		}
	}
	if !data.Job.busy() {
		data.Can = &steps{Page: page}
		if data.Review != nil && data.Review.Own == nil && s.person.Can(ledger.RoleApprove) {
			data.Review.Back, data.Review.SendingBack = data.LoadedBy, r.URL.Query().Has("send-back")
		}
		if data.Withdraw, err = d.withdrawal(r, s, &story, data.Review); err != nil {
			return err
		}
		if d.may(s.person, "retry") {
			if data.Can.Retry, err = d.app.Retryable(r.Context(), d.call(s, "retry"), story.ID); err != nil {
				return err
			}
		}
	}
	return d.show(w, r, s, "sheet", view{Title: ledger.Plain(story.Name), Live: true, Data: data})
}

// batchData is what the page of a batch shows.
type batchData struct {
	app.BatchStory
	Job      *jobView
	Review   *review
	Can      *steps
	Steps    []app.Hint
	Attempts []app.PayoutRow
	More     int // payouts that are not shown
}

// mostRows is how many payouts one page shows.
const mostRows = 500

func showBatch(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	story, err := d.app.Batch(r.Context(), d.call(s, "batch"), r.PathValue("id"))
	if err != nil {
		return err
	}
	data, page := batchData{BatchStory: story}, "/batches/"+story.Batch.ID
	data.Job = d.jobOf(w, r, page, []ledger.Batch{story.Batch})
	if data.Review, err = d.reviewOf(r, s, page, ledger.Filter{BatchID: story.Batch.ID}, data.Job.busy()); err != nil {
		return err
	}
	if !data.Job.busy() {
		can, err := d.app.Steps(r.Context(), d.call(s, "batch"), story.Batch.ID)
		if err != nil {
			return err
		}
		data.Can = d.offered(s.person, can)
	}
	data.Steps = app.Need{AttentionRow: story.Asks, Batches: []ledger.Batch{story.Batch}}.Steps()
	shown := story.Attempts[:min(mostRows, len(story.Attempts))]
	data.More = len(story.Attempts) - len(shown)
	data.Attempts = ledger.ListOf(shown, func(at ledger.Attempt) app.PayoutRow { return app.PayoutRow{Attempt: at, Asks: story.AsksOf(at)} })
	return d.show(w, r, s, "batch", view{Title: "Batch " + ledger.ShortID(story.Batch.ID), Live: true, Data: data})
}

// segment is a part of a bar.
type segment struct {
	Class    string
	X, Width int
}

const (
	barWidth     = 1000
	leastSegment = 14 // so that one payout among many is visible
	between      = 4
)

// segments returns the bar of a sheet: each part by its number of payouts.
func segments(parts []app.PayoutPart) (list []segment) {
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

// sheetLine is a line of a list of sheets: the state of a sheet, and what it needs.
type sheetLine struct {
	app.SheetStanding
	Ask  app.SheetAsk
	Mine bool   // it waits for the viewer
	Link string // where they do it
	Main bool   // the viewer's first task
}

// linesOf returns the lines of sheets for a person: their own tasks, most urgent first, and the others,
// unfinished ones first.
func linesOf(all []app.SheetStanding, me ledger.Person) (mine, others []sheetLine) {
	var done []sheetLine
	for _, st := range all {
		switch line := lineOf(st, me); {
		case line.Mine:
			mine = append(mine, line)
		case line.Ask.Kind == ledger.NeedsNothing:
			done = append(done, line)
		default:
			others = append(others, line)
		}
	}
	slices.SortStableFunc(mine, func(a, b sheetLine) int { return a.Ask.Kind.Rank() - b.Ask.Kind.Rank() })
	if len(mine) > 0 {
		mine[0].Main = true
	}
	return mine, append(others, done...)
}

// lineOf returns the line of a sheet for a person.
func lineOf(st app.SheetStanding, me ledger.Person) sheetLine {
	line := sheetLine{SheetStanding: st, Ask: st.First(), Link: "/sheets/" + st.ID}
	ask, mine := st.For(me.Name)
	if !mine {
		return line
	}
	line.Ask, line.Mine = ask, true
	switch first := ask.Batches[0]; {
	case ask.Kind == ledger.OTPWaiting || ask.Kind == ledger.OTPLate:
		line.Link = "/otp/" + first.ID
	case ask.Kind == ledger.QueuedBehindOTP:
		line.Link = otpsAt(first.BankAccountID)
	case ask.Kind == ledger.PayoutNotPaid || ask.Kind == ledger.PayoutCameBack:
		line.Link += "#next"
	case ask.Next.Do == "" && len(ask.Batches) == 1:
		line.Link = "/batches/" + first.ID
	case ask.Next.Do == "":
		line.Link = "/attention#" + string(ask.Kind)
	}
	return line
}

// withdrawal returns what a withdrawal of a sheet is bound to; "" if the viewer may not withdraw it.
// planned is the review of a viewer who may approve or pay; else nil.
func (d *desk) withdrawal(r *http.Request, s *session, story *app.SheetStory, planned *review) (plan string, err error) {
	if !s.person.Can(ledger.RoleLoad) || !story.Withdraws(visitorOf(r).look.People, s.person.Name) {
		return "", nil
	}
	if planned != nil {
		return planned.Plan, nil
	}
	look, err := d.app.Unreviewed(r.Context(), d.call(s, "sheet"), ledger.Filter{SheetID: story.ID})
	if err != nil || look == nil {
		return "", err
	}
	return look.Plan, nil
}

// sendBack records that an approver sends a sheet back, and why.
func sendBack(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	reason, wrong := reasonOf(r)
	if wrong != "" {
		return &refusal{Status: http.StatusUnprocessableEntity, What: wrong, Link: pageOf(r)}
	}
	req := app.SendBackRequest{ReviewedBatches: subjectOf(r).binding, Reason: reason}
	work, err := d.app.SendBack(r.Context(), d.decision(r, s, "approve"), req)
	if work != nil {
		err = nil // the sheet's page shows what it needs now
	}
	return d.decidedOr(w, r, pageOf(r), err)
}

// withdraw abandons a whole sheet, for the person who loaded it, before any of it is initiated.
func withdraw(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.abandon(w, r, s, "withdrawn by who loaded it")
}

// comment records a person's comment on a sheet.
func comment(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	err := d.app.Comment(r.Context(), d.call(s, "sheet"), r.PathValue("id"), one(r, "text"))
	return d.decidedOr(w, r, pageOf(r)+"#comments", err)
}
