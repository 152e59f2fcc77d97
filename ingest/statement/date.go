package statement

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"

	"payrun/ingest/visible"
)

// date is a date as written. If it is three numbers, the order of day and month is known only after all dates
// of the file are read.
type date struct {
	year, month, day int
	iso              bool   // year first, as ingest gives date cells
	numbers          bool   // day/month/year in numbers: the order of day and month is open
	clock            string // " HH:MM:SS", or "" if there is no time
}

var (
	isoDate   = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$`)
	plainDate = regexp.MustCompile(`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})$`)
	namedDate = regexp.MustCompile(`^(\d{1,2})[- /.]*([A-Za-z]{3,9})\.?[- /.,']*(\d{4}|\d{2})$`)
	clockTime = regexp.MustCompile(`^(.*?\d)(?:T|[ ,]\s*)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:\s*([AaPp])\.?[Mm]\.?)?$`)
)

// parseDate reads a date and the time after it, if any: ISO, day first in numbers (two-digit years are 20yy),
// or 21 Nov 2026.
func parseDate(text string) (d date, ok bool) {
	text = visible.Trim(text)
	if m := clockTime.FindStringSubmatch(text); m != nil {
		if d.clock, ok = clockOf(m[2], m[3], m[4], m[5]); !ok {
			return d, false
		}
		text = m[1]
	}
	if m := isoDate.FindStringSubmatch(text); m != nil {
		d.year, d.month, d.day, d.iso = number(m[1]), number(m[2]), number(m[3]), true
	} else if m := plainDate.FindStringSubmatch(text); m != nil {
		d.day, d.month, d.year, d.numbers = number(m[1]), number(m[2]), number(m[3]), true
	} else if m := namedDate.FindStringSubmatch(text); m != nil {
		d.day, d.month, d.year = number(m[1]), monthNamed(m[2]), number(m[3])
	} else {
		return d, false
	}
	if d.year < 100 {
		d.year += 2000
	}
	if d.numbers && d.day <= 12 && d.month > 12 { // month first; judge decides that for the file as a whole
		return d, exists(d.year, time.Month(d.day), d.month)
	}
	return d, exists(d.year, time.Month(d.month), d.day)
}

// valueBehind matches a date followed by the value date in brackets.
var valueBehind = regexp.MustCompile(`^(.*?\d)\s*\((.+)\)$`)

// parseDates reads a date and, if there is one, the value date in brackets after it: 20-Nov-26 (21-Nov-2026).
func parseDates(text string) (d date, value *date, ok bool) {
	m := valueBehind.FindStringSubmatch(text)
	if m == nil {
		d, ok = parseDate(text)
		return d, nil, ok
	}
	d, ok = parseDate(m[1])
	v, also := parseDate(m[2])
	return d, &v, ok && also
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the expressions above match only digits
	return n
}

func monthNamed(name string) int {
	for m := time.January; m <= time.December; m++ {
		full := strings.ToLower(m.String())
		if name = strings.ToLower(name); name == full || name == full[:3] || m == time.September && name == "sept" {
			return int(m)
		}
	}
	return 0
}

// exists reports whether the day exists and is in this century.
func exists(year int, month time.Month, day int) bool {
	t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return year >= 2000 && year < 2100 && t.Month() == month && t.Day() == day && t.Year() == year
}

func clockOf(hour, minute, second, half string) (string, bool) {
	layout, text := time.TimeOnly, hour+":"+minute+":"+cmp.Or(second, "00")
	if half != "" {
		layout, text = "3:04:05PM", text+strings.ToUpper(half)+"M"
	}
	t, err := time.Parse(layout, text)
	return t.Format(" " + time.TimeOnly), err == nil && (half == "" || number(hour) > 0)
}

// String returns YYYY-MM-DD, with the time if there is one.
func (d date) String() string {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) + d.clock
}

// mayBeSwapped reports whether day and month can be exchanged to give another valid date.
func (d date) mayBeSwapped() bool { return d.day <= 12 && d.month <= 12 && d.day != d.month }

// dayOrMonth learns from the dates of a file whether day or month comes first.
type dayOrMonth struct {
	dayFirst, monthFirst, unclear int  // the first row that shows day first, month first, or neither
	saysDay, saysMonth            bool // the header has a format: dd/mm/yyyy, mm/dd/yyyy
	kinds                         [columnCount]dateKinds
}

// dateKinds are the first rows of a column with a date in numbers (text), and with a date cell or a date with
// its year first, if its day and month may be exchanged (cell).
type dateKinds struct{ text, cell int }

func (o *dayOrMonth) header(l *layout) {
	for _, c := range dateColumns {
		if l.has(c) {
			dayFirst, known := visible.DayFirst(l.names[l.one(c)])
			o.saysDay, o.saysMonth = o.saysDay || known && dayFirst, o.saysMonth || known && !dayFirst
		}
	}
}

func (o *dayOrMonth) learn(d date, c column, row int) {
	first := func(at *int) {
		if *at == 0 {
			*at = row
		}
	}
	switch {
	case d.iso && d.mayBeSwapped():
		first(&o.kinds[c].cell)
	case d.numbers:
		first(&o.kinds[c].text)
	}
	switch {
	case !d.numbers || d.day == d.month:
	case d.day > 12:
		first(&o.dayFirst)
	case d.month > 12:
		first(&o.monthFirst)
	default:
		first(&o.unclear)
	}
}

// judge returns an error unless every date can be read. The month comes first if the header says so and nothing
// contradicts it. option is --day-first.
func (o *dayOrMonth) judge(option bool) (monthFirst bool, err error) {
	for _, c := range dateColumns {
		if k := o.kinds[c]; k.text > 0 && k.cell > 0 {
			return false, refuse(CodeDates, k.cell, "the column has a date with its year first, as date cells have, and in row %d a date as text: a spreadsheet program may have exchanged day and month", k.text)
		}
	}
	says := o.saysMonth && !o.saysDay
	switch {
	case says && (option || o.dayFirst != 0):
		return false, refuse(CodeDate, o.dayFirst, "the header says that the month comes first, and the date or --day-first that the day does")
	case says:
		return true, nil
	case o.monthFirst != 0:
		return false, refuse(CodeDate, o.monthFirst, "the date has the month first; statements are read with the day first, or in a format that names the month")
	case o.unclear != 0 && o.dayFirst == 0 && !option && !(o.saysDay && !o.saysMonth):
		return false, refuse(CodeDayOrMonth, o.unclear, "no date of the file shows whether the day or the month comes first")
	}
	return false, nil
}
