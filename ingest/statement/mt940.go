package statement

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"payrun/ingest"
	"payrun/ledger"
)

// mt940Reader reads an MT940 (SWIFT, Customer Statement Message), with or without the blocks of its envelope.
type mt940Reader struct {
	parts
	now     *part    // the message that is being read; nil between messages
	account string   // its :25:
	taken   bool     // the message is of the account
	short   bool     // the reference of the last entry may be cut off
	more    string   // the rest of its :61:
	text    []string // the lines of its :86:
	closed  bool     // its :62a: was read
}

// field is one tag with its lines.
type field struct {
	tag   string // without its colons; "-" for the end of a message
	lines []string
	line  int
}

var (
	mt940Tag      = regexp.MustCompile(`^:(\d{2}[A-Z]?):`)
	mt940Balance  = regexp.MustCompile(`^([CD])(\d{6})([A-Z]{3})(\d{1,20}),(\d{0,2})$`)
	mt940Currency = regexp.MustCompile(`[A-Z]{3}$`)
	mt940Known    = regexp.MustCompile(`^(?:\{.*\{4:)?:(?:20|25P?|28C?|60[FM]|61|62[FM]|86):`)
	mt940Like     = regexp.MustCompile(`^(?: +:(?:20|25P?|28C?|60[FM]|61|62[FM]|86)|(?:60[FM]|61|62[FM]|86)):|^(?:20|25P?|28C?):\D`) // a field, had it its colon and no indent
)

// mt940Entry matches a :61:. Its groups are the value date, the entry date, the mark, the funds code, the
// amount and the references. Some banks pad the type with spaces.
var mt940Entry = regexp.MustCompile(`^(\d{6})(\d{4})?(RC|RD|C|D)([A-Z])?(\d{1,15}),(\d{0,2}) ?[A-Z][A-Z0-9 ]{3}(.*)$`)

// isMT940 detects the format by two lines that no other format has.
func isMT940(content []byte) bool {
	found := 0
	for line := range bytes.FieldsFuncSeq(content, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = bytes.TrimLeftFunc(line, func(r rune) bool { return r <= ' ' })
		if len(line) > 0 && (line[0] == ':' || line[0] == '{') && mt940Known.Match(line) {
			found++
		}
	}
	return found > 1
}

// referenceChars is how much of a reference :61: keeps. lineChars and subfieldChars are the longest line of
// :86: and the longest subfield of it; one of that length may end inside a word.
const (
	referenceChars = 16
	lineChars      = 65
	subfieldChars  = 27
)

func (f *File) readMT940(content []byte, o Options) error {
	text, err := mt940Text(content, o.Encoding)
	if err != nil {
		return err
	}
	fields, err := mt940Fields(text)
	if err != nil {
		return err
	}
	m := &mt940Reader{parts: parts{o: o}}
	for _, field := range fields {
		if err := m.take(field); err != nil {
			return err
		}
	}
	if err := m.end(len(strings.Split(text, "\n"))); err != nil {
		return err
	}
	return m.give(f)
}

// mt940Text returns the text with plain line ends.
func mt940Text(content []byte, encoding string) (string, error) {
	content = bytes.TrimPrefix(content, []byte("\xEF\xBB\xBF"))
	if !utf8.Valid(content) {
		if encoding == "" {
			at := ingest.ValidPrefix(content)
			f := ingest.NewFinding(CodeSyntax, 1+bytes.Count(content[:at], []byte("\n")), "a byte that is not UTF-8 (0x%02X)", content[at])
			f.Fix, f.Option = "Say that it is windows-1252, when that is what it is.", ledger.Option{Name: ledger.OptionEncoding, Value: "windows-1252"}
			return "", refusal{f}
		}
		content, _ = charmap.Windows1252.NewDecoder().Bytes(content) // every byte decodes
	}
	if at := bytes.IndexByte(content, 0); at >= 0 {
		return "", refuse(CodeSyntax, 1+bytes.Count(content[:at], []byte("\n")), "a NUL byte: the file is no text")
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(content), "\r\n", "\n"), "\r", "\n"), nil
}

// mt940Fields splits the text into its fields. Lines of the bank, controls and SWIFT blocks around a message are
// envelope. A message that begins in a block must end with the block.
func mt940Fields(text string) ([]field, error) {
	var all []field
	inside, block, blocks, closed, began := false, false, false, false, 0
	end := func(line int) {
		inside, block = false, false
		all = append(all, field{tag: "-", line: line})
	}
	for i, line := range strings.Split(text, "\n") {
		number := i + 1
		line = strings.TrimFunc(strings.TrimRight(line, " \t"), unicode.IsControl)
		if bare := strings.TrimLeft(line, " "); inside && (block || closed) && strings.HasPrefix(bare, "-}") {
			end(number)
			line = bare[len("-}"):]
		}
		if at := strings.Index(line, "{4:"); !inside && at >= 0 {
			inside, block, blocks, began, line = true, true, true, number, line[at+len("{4:"):]
		}
		tag := mt940Tag.FindStringSubmatch(line)
		last := len(all) > 0 && slices.Contains(mt940Last, all[len(all)-1].tag)
		switch {
		case line == "":
		case tag == nil && len(all) > 0 && (!inside || last) && mt940Like.MatchString(line):
			return nil, refuse(CodeSyntax, number, "the line is like a field of a statement, and does not begin with its colon")
		case !inside && (tag == nil || len(all) == 0 && tag[1] != "20"):
			if bare := strings.Trim(line, " $}-=*"); blocks && bare != "" && bare[0] != '{' {
				return nil, refuse(CodeSyntax, number, "there is text between the messages")
			}
			if tag != nil {
				return nil, refuse(CodeSyntax, number, "it is like an MT940, and :%s: comes before :20:, with which a statement begins", tag[1])
			}
		case tag != nil:
			inside, closed = true, tag[1] != "20" && (closed || tag[1] == "62F" || tag[1] == "62M")
			text, ends := line[len(tag[0]):], false
			if slices.Contains(mt940Last, tag[1]) {
				text, _, ends = strings.Cut(text, "-}")
			}
			if all = append(all, field{tag[1], []string{text}, number}); ends {
				end(number)
			}
		case line == "-" && closed && (!block || last): // before the closing balance it is of a text
			end(number)
		case len(all) == 0 || all[len(all)-1].tag == "-":
			return nil, refuse(CodeSyntax, number, "the line belongs to no field")
		case !block && last: // a line of the bank
		default:
			f := &all[len(all)-1]
			f.lines = append(f.lines, line)
		}
	}
	if block {
		return nil, refuse(CodeIncomplete, began, "the message that begins here has no end: the file was cut off")
	}
	return all, nil
}

// mt940Last are fields of one line. A message may end after them.
var mt940Last = []string{"62F", "62M", "64", "65"}

// take reads the next field.
func (m *mt940Reader) take(f field) error {
	if f.tag == "20" {
		if err := m.end(f.line); err != nil {
			return err
		}
		m.now, m.account, m.taken, m.closed = &part{line: f.line}, "", true, false
		return nil
	}
	if m.now == nil {
		if f.tag == "-" {
			return nil
		}
		return refuse(CodeSyntax, f.line, ":%s: comes before :20:, with which a statement begins", f.tag)
	}
	if f.tag == "34F" || f.tag == "13D" {
		return refuse(CodeFormat, f.line, "it is an MT942, a report of single movements, and no statement")
	}
	if m.closed && slices.Contains([]string{"25", "25P", "60F", "60M", "61", "62F", "62M"}, f.tag) {
		return refuse(CodeSyntax, f.line, ":%s: comes after the closing balance", f.tag)
	}
	if !m.taken && f.tag != "-" { // another account's, in whatever currency
		m.closed = m.closed || f.tag == "62F" || f.tag == "62M"
		return nil
	}
	switch f.tag {
	case "-":
		return m.end(f.line)
	case "25", "25P":
		m.account = mt940Account(f.lines[0])
		m.taken = m.takes(m.account)
	case "60F", "60M":
		return m.opens(f)
	case "61":
		return m.entry(f)
	case "86":
		return m.remarks(f)
	case "62F", "62M":
		return m.closes(f)
	}
	return nil
}

// mt940Account returns the account number after the bank's code and before the currency:
// BANKINBB/0012345678INR. Some banks put points into it.
func mt940Account(text string) string {
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '/')+1:])
	return accountOf(strings.ReplaceAll(mt940Currency.ReplaceAllString(text, ""), ".", ""))
}

func (m *mt940Reader) opens(f field) error {
	if m.now.from != "" {
		return refuse(CodeSyntax, f.line, "a second opening balance")
	}
	value, day, err := mt940BalanceOf(f)
	m.now.opening, m.now.from, m.now.opens = value, day, f.tag == "60F"
	return err
}

func (m *mt940Reader) closes(f field) error {
	if m.now.from == "" {
		return refuse(CodeIncomplete, f.line, "there is no opening balance (:60F:) before the closing balance")
	}
	value, day, err := mt940BalanceOf(f)
	m.now.closing, m.now.to, m.now.closes, m.closed = value, day, f.tag == "62F", true
	if err != nil {
		return err
	}
	all := len(m.now.entries)
	m.now.entries = slices.DeleteFunc(m.now.entries, func(e ledger.StatementEntry) bool { return e.Amount == 0 })
	m.zero += all - len(m.now.entries)
	return totals(m.now.entries, m.now.opening, m.now.closing, f.line)
}

// end ends a message, which must be complete.
func (m *mt940Reader) end(line int) error {
	now := m.now
	if m.now = nil; now == nil {
		return nil
	}
	if !m.closed {
		return refuse(CodeIncomplete, line, "the statement that begins in line %d has no closing balance (:62F:)", now.line)
	}
	if m.account == "" {
		m.taken = m.takes("")
	}
	if m.taken {
		now.date()
		m.own = append(m.own, *now)
	}
	return nil
}

func mt940BalanceOf(f field) (ledger.Paise, string, error) {
	p := mt940Balance.FindStringSubmatch(strings.TrimSpace(strings.Join(f.lines, "")))
	if p == nil {
		return 0, "", refuse(CodeBalance, f.line, ":%s: is no balance", f.tag)
	}
	day, ok := mt940Day(p[2])
	value, fits := paiseOf(p[4], p[5])
	switch {
	case !ok:
		return 0, "", refuse(CodeDate, f.line, "%q is not a date", p[2])
	case p[3] != "INR":
		return 0, "", refuse(CodeCurrency, f.line, "a balance in %s", p[3])
	case !fits:
		return 0, "", refuse(CodeBalance, f.line, "the balance is beyond what an amount can be")
	case p[1] == "D":
		value = -value
	}
	return value, day, nil
}

// mt940Day reads YYMMDD.
func mt940Day(text string) (string, bool) {
	t, err := time.Parse("20060102", "20"+text)
	return t.Format(time.DateOnly), err == nil
}

// entry reads a :61:. D and C give the direction. RD and RC reverse such an entry, so the money moved the other
// way. The letter after them is the last letter of the currency: DR is a debit in rupees.
func (m *mt940Reader) entry(f field) error {
	if m.now.from == "" {
		return refuse(CodeSyntax, f.line, ":61: comes before the opening balance (:60F:)")
	}
	p := mt940Entry.FindStringSubmatch(f.lines[0])
	if p == nil {
		return refuse(CodeSyntax, f.line, ":61: is to have a value date (YYMMDD), an entry date (MMDD) or none, C, D, RC or RD, an amount with a comma, and a type of four characters; it has %q", clip(f.lines[0]))
	}
	var e ledger.StatementEntry
	value, ok := mt940Day(p[1])
	if !ok {
		return refuse(CodeDate, f.line, "the value date of :61:, %q, is not a date", p[1])
	}
	e.Value, e.Debit = value, p[3] == "D" || p[3] == "RC"
	if p[2] != "" {
		if e.Transacted, ok = entryDay(value, p[2]); !ok {
			return refuse(CodeDate, f.line, "the entry date of :61:, %q, is not a day of the year", p[2])
		}
	}
	if p[4] != "" && p[4] != "R" {
		return refuse(CodeCurrency, f.line, "the funds code %s of :61: is not that of the rupee", p[4])
	}
	if e.Amount, ok = paiseOf(p[5], p[6]); !ok {
		return refuse(CodeAmount, f.line, "the amount of :61: is beyond what an amount can be")
	}
	own, banks, _ := strings.Cut(p[7], "//")
	m.short = len(own) == referenceChars
	e.Reference, e.Remarks = namedBy([]string{own, banks}, f.lines[1:])
	m.more, m.text = e.Remarks, nil
	m.now.entries = append(m.now.entries, e)
	return nil
}

// entryDay returns the day of an entry, MMDD, in the year in which it is nearest to its value date.
func entryDay(value, monthDay string) (day string, found bool) {
	v, _ := time.Parse(time.DateOnly, value)
	var least time.Duration
	for year := v.Year() - 1; year <= v.Year()+1; year++ {
		t, err := time.Parse("20060102", strconv.Itoa(year)+monthDay)
		if d := t.Sub(v).Abs(); err == nil && (!found || d < least) {
			day, found, least = t.Format(time.DateOnly), true, d
		}
	}
	return day, found
}

// remarks reads a :86: of the entry before it, which may have several. Before the first entry and after the
// closing balance it belongs to the whole statement and is ignored.
func (m *mt940Reader) remarks(f field) error {
	if m.closed || len(m.now.entries) == 0 {
		return nil
	}
	m.text = append(m.text, f.lines...)
	text := joinedText(m.text)
	e := &m.now.entries[len(m.now.entries)-1]
	if m.short { // rare, and the search compiles an expression each time
		e.Reference = cmp.Or(wholeOf(e.Reference, text), e.Reference)
	}
	e.Remarks = joined(text, m.more)
	return nil
}

// subfields match how some banks divide :86:: a transaction code, then fields such as ?20 to ?29, whose text
// continues from one to the next.
var (
	subfields = regexp.MustCompile(`^\d{0,3}\?\d\d`)
	subfield  = regexp.MustCompile(`\?\d\d`)
)

// joinedText joins the lines of a :86: as they were before the bank split them: a full line or subfield may end
// inside a word.
func joinedText(lines []string) string {
	var text strings.Builder
	divided := subfields.MatchString(lines[0])
	for i, line := range lines {
		if i > 0 && !divided && utf8.RuneCountInString(lines[i-1]) != lineChars {
			text.WriteByte(' ')
		}
		text.WriteString(line)
	}
	if !divided {
		return text.String()
	}
	whole := text.String()
	text.Reset()
	marks := append(subfield.FindAllStringIndex(whole, -1), []int{len(whole), len(whole)})
	text.WriteString(whole[:marks[0][0]])
	full := false
	for i, mark := range marks[:len(marks)-1] {
		part, name := whole[mark[1]:marks[i+1][0]], whole[mark[0]+1:mark[1]]
		if !full || name <= "20" || name > "29" {
			text.WriteByte(' ')
		}
		text.WriteString(part)
		full = utf8.RuneCountInString(part) >= subfieldChars
	}
	return text.String()
}

// wholeOf finds the one word of the text that begins with a reference, at the start of the text or after a
// mark; "" if there is none or more than one. A word has letters, digits and the marks of the reference.
func wholeOf(reference, text string) string {
	inWord := `[0-9A-Za-z]|[^\x00-\x7f]`
	for _, mark := range reference {
		inWord += "|" + regexp.QuoteMeta(string(mark))
	}
	words := regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(` + regexp.QuoteMeta(reference) + `(?:` + inWord + `)*)`)
	found := ""
	for _, m := range words.FindAllStringSubmatch(text, -1) {
		if found != "" && found != m[1] {
			return ""
		}
		found = m[1]
	}
	return found
}
