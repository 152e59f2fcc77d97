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

	"payrun/ledger"
)

// mt940Reader reads an MT940 (SWIFT, Customer Statement Message), with the
// blocks of its envelope or bare.
type mt940Reader struct {
	parts
	now     *part    // being read; nil between messages
	account string   // its :25:
	taken   bool     // it is of the account
	short   bool     // the reference of the entry before may be cut
	more    string   // what else its :61: says
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
	mt940Known    = regexp.MustCompile(`^:(?:20|25P?|28C?|60[FM]|61|62[FM]|86):`)
)

// mt940Parts are the parts of a :61: in their order.
var mt940Parts = [...]struct {
	name string
	re   *regexp.Regexp
}{
	{"value date (YYMMDD)", regexp.MustCompile(`^\d{6}`)},
	{"entry date (MMDD)", regexp.MustCompile(`^(?:\d{4})?`)},
	{"mark (C, D, RC or RD)", regexp.MustCompile(`^(?:RC|RD|C|D)`)},
	{"funds code", regexp.MustCompile(`^[A-Z]?`)},
	{"amount (digits, a comma and at most two decimals)", regexp.MustCompile(`^\d{1,15},\d{0,2}`)},
	{"type (a letter and three letters or digits)", regexp.MustCompile(`^ ?[A-Z][A-Z0-9 ]{3}`)}, // some banks fill it up with spaces
}

// isMT940 knows the format by its lines: two of them are of no other.
func isMT940(content []byte) bool {
	found := 0
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		line = bytes.TrimLeftFunc(line, func(r rune) bool { return r <= ' ' })
		if at := bytes.Index(line, []byte("{4:")); at >= 0 && line[0] == '{' {
			line = line[at+len("{4:"):]
		}
		if len(line) > 0 && line[0] == ':' && mt940Known.Match(line) {
			if found++; found == 2 {
				return true
			}
		}
	}
	return false
}

// referenceChars is how much of a reference :61: keeps, and lineChars how long a
// line of :86:, or a subfield of it, can be, so that one that is as long may end
// inside a word.
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

// mt940Text gives the text with plain line ends.
func mt940Text(content []byte, encoding string) (string, error) {
	content = bytes.TrimPrefix(content, []byte("\xEF\xBB\xBF"))
	if !utf8.Valid(content) {
		if encoding == "" {
			at := 0
			for at < len(content) {
				r, size := utf8.DecodeRune(content[at:])
				if r == utf8.RuneError && size == 1 {
					break
				}
				at += size
			}
			f := finding(CodeSyntax, 1+bytes.Count(content[:at], []byte("\n")), "a byte that is not UTF-8 (0x%02X)", content[at])
			f.Fix, f.Option = "Say that it is windows-1252, when that is what it is.", ledger.Option{Name: ledger.OptionEncoding, Value: "windows-1252"}
			return "", refusal{f}
		}
		content, _ = charmap.Windows1252.NewDecoder().Bytes(content) // every byte is something
	}
	if at := bytes.IndexByte(content, 0); at >= 0 {
		return "", refuse(CodeSyntax, 1+bytes.Count(content[:at], []byte("\n")), "a NUL byte: the file is no text")
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(content), "\r\n", "\n"), "\r", "\n"), nil
}

// mt940Fields splits the text into its fields. What is around a message is envelope:
// lines of the bank, controls and the blocks of SWIFT. A message in a block must also
// end as one.
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
		if inside && strings.HasPrefix(line, "-}") {
			end(number)
			line = line[len("-}"):]
		}
		if at := strings.Index(line, "{4:"); !inside && at >= 0 {
			inside, block, blocks, began, line = true, true, true, number, line[at+len("{4:"):]
		}
		tag := mt940Tag.FindStringSubmatch(line)
		switch {
		case line == "":
		case !inside && (tag == nil || len(all) == 0 && tag[1] != "20"):
			if blocks && !strings.HasPrefix(line, "{") && line != "$" {
				return nil, refuse(CodeSyntax, number, "there is text between the messages")
			}
			if tag != nil {
				return nil, refuse(CodeSyntax, number, "it is like an MT940, and :%s: comes before :20:, with which a statement begins", tag[1])
			}
		case tag != nil:
			inside, closed = true, tag[1] != "20" && (closed || tag[1] == "62F" || tag[1] == "62M")
			all = append(all, field{tag[1], []string{line[len(tag[0]):]}, number})
		case line == "-" && !block && closed: // before the closing balance it is of a text
			end(number)
		case len(all) == 0 || all[len(all)-1].tag == "-":
			return nil, refuse(CodeSyntax, number, "the line belongs to no field")
		case !block && slices.Contains(mt940Last, all[len(all)-1].tag):
			end(number)
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

// mt940Last are the fields of one line behind which a message may end.
var mt940Last = []string{"62F", "62M", "64", "65"}

// take takes the next field.
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

// mt940Account is the account number behind the bank's code and before the
// currency: BANKINBB/0012345678INR. Some banks put points into it.
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

// end ends a message, which must be whole.
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
		m.own = append(m.own, *now)
	}
	return nil
}

func mt940BalanceOf(f field) (ledger.Paise, string, error) {
	text := strings.TrimSpace(strings.Join(f.lines, ""))
	p := mt940Balance.FindStringSubmatch(text)
	if p == nil {
		return 0, "", refuse(CodeBalance, f.line, ":%s: is no balance", f.tag)
	}
	day, ok := mt940Day(p[2])
	value, err := ledger.ParsePaise(p[4] + "." + (p[5] + "00")[:2])
	switch {
	case !ok:
		return 0, "", refuse(CodeDate, f.line, "%q is not a date", p[2])
	case p[3] != "INR":
		return 0, "", refuse(CodeCurrency, f.line, "a balance in %s", p[3])
	case err != nil:
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

// entry reads a :61:. D and C say what moved, RD and RC what a reversal of such
// an entry moved: back. What follows them is the last letter of the currency:
// DR is a debit in rupees.
func (m *mt940Reader) entry(f field) error {
	if m.now.from == "" {
		return refuse(CodeSyntax, f.line, ":61: comes before the opening balance (:60F:)")
	}
	var p [len(mt940Parts)]string
	rest := f.lines[0]
	for i, part := range mt940Parts {
		at := part.re.FindStringIndex(rest)
		if at == nil {
			return refuse(CodeSyntax, f.line, ":61: has no %s where it has %q", part.name, clip(rest))
		}
		p[i], rest = rest[:at[1]], rest[at[1]:]
	}
	var e ledger.StatementEntry
	value, ok := mt940Day(p[0])
	if !ok {
		return refuse(CodeDate, f.line, "the value date of :61:, %q, is not a date", p[0])
	}
	e.Transacted, e.Debit = value, p[2] == "D" || p[2] == "RC"
	if p[1] != "" {
		if e.Transacted, ok = entryDay(value, p[1]); !ok {
			return refuse(CodeDate, f.line, "the entry date of :61:, %q, is not a day of the year", p[1])
		}
		e.Value = value
	}
	if p[3] != "" && p[3] != "R" {
		return refuse(CodeCurrency, f.line, "the funds code %s of :61: is not that of the rupee", p[3])
	}
	whole, fraction, _ := strings.Cut(p[4], ",")
	var err error
	if e.Amount, err = ledger.ParsePaise(whole + "." + (fraction + "00")[:2]); err != nil {
		return refuse(CodeAmount, f.line, "the amount of :61: is beyond what an amount can be")
	}
	own, banks, _ := strings.Cut(rest, "//")
	m.short = len(own) == referenceChars
	e.Reference, e.Remarks = namedBy([]string{own, banks}, f.lines[1:])
	m.more, m.text = e.Remarks, nil
	m.now.entries = append(m.now.entries, e)
	return nil
}

// entryDay is the day of an entry, MMDD, in the year in which it is nearest to
// its value date.
func entryDay(value, monthDay string) (string, bool) {
	v, _ := time.Parse(time.DateOnly, value)
	best, found := "", false
	var least time.Duration
	for year := v.Year() - 1; year <= v.Year()+1; year++ {
		t, err := time.Parse("20060102", strconv.Itoa(year)+monthDay)
		if err != nil {
			continue
		}
		if d := t.Sub(v).Abs(); !found || d < least {
			best, least, found = t.Format(time.DateOnly), d, true
		}
	}
	return best, found
}

// remarks reads a :86:, of the entry before it, which may have several. Before the
// first entry and after the closing balance it is of the whole, and of no entry.
func (m *mt940Reader) remarks(f field) error {
	if m.closed || len(m.now.entries) == 0 {
		return nil
	}
	m.text = append(m.text, f.lines...)
	text := joinedText(m.text)
	e := &m.now.entries[len(m.now.entries)-1]
	if m.short { // few are: the search takes an expression of its own
		e.Reference = cmp.Or(wholeOf(e.Reference, text), e.Reference)
	}
	e.Remarks = joined(text, m.more)
	return nil
}

// subfields are how some banks divide :86:: a code of the transaction, then ?20 to ?29 with a text
// that continues from one to the next, among others.
var (
	subfields = regexp.MustCompile(`^\d{0,3}\?\d\d`)
	subfield  = regexp.MustCompile(`\?\d\d`)
)

// joinedText puts the lines of a :86: together as they were before they were divided:
// a line, or a subfield, that is full may end inside a word.
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

// wholeOf finds the one word of the text that begins with a reference, at its start or behind a
// mark; "" where there is none, or more than one. A word has letters, digits and the marks of
// the reference.
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
