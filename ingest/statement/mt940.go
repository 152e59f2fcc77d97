package statement

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"payrun/ledger"
)

// mt940Reader reads an MT940 (SWIFT, Customer Statement Message), with the
// blocks of its envelope or bare.
type mt940Reader struct {
	parts
	now     *part  // being read; nil between messages
	account string // its :25:
	taken   bool   // it is of the account
	told    bool   // the entry before has its :86:
	short   bool   // its reference may be cut
	closed  bool   // its :62a: was read
}

// field is one tag with its lines.
type field struct {
	tag   string // without its colons; "-" for the end of a message
	lines []string
	line  int
}

var (
	mt940Tag      = regexp.MustCompile(`^:(\d{2}[A-Z]?):`)
	mt940Balance  = regexp.MustCompile(`^([CD])(\d{6})([A-Z]{3})(\d{1,15}),(\d{0,2})$`)
	mt940Currency = regexp.MustCompile(`[A-Z]{3}$`)
	mt940Entry    = regexp.MustCompile(`^(\d{6})(\d{4})?(RC|RD|C|D)([A-Z])?(\d{1,15}),(\d{0,2})([A-Z][A-Z0-9]{3})(.*)$`)
)

// referenceChars is how much of a reference :61: keeps, and lineChars how long a
// line of :86: can be, so that one that is as long may end inside a word.
const (
	referenceChars = 16
	lineChars      = 65
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

// mt940Fields splits the text into its fields. In blocks, each message must
// also end as one.
func mt940Fields(text string) ([]field, error) {
	var all []field
	blocks := strings.HasPrefix(strings.TrimLeft(text, " \n"), "{")
	inside := !blocks
	last := 0
	for i, line := range strings.Split(text, "\n") {
		number := i + 1
		line = strings.TrimRight(line, " \t")
		if blocks && inside && strings.HasPrefix(line, "-}") {
			inside, line = false, line[len("-}"):]
			all = append(all, field{tag: "-", line: number})
		}
		if !inside {
			at := strings.Index(line, "{4:")
			if at < 0 {
				if line != "" && !strings.HasPrefix(line, "{") && line != "$" {
					return nil, refuse(CodeSyntax, number, "there is text between the messages")
				}
				continue
			}
			inside, last, line = true, number, line[at+len("{4:"):]
		}
		tag := mt940Tag.FindStringSubmatch(line)
		switch {
		case line == "":
		case line == "-" && !blocks:
			all = append(all, field{tag: "-", line: number})
		case tag != nil:
			all = append(all, field{tag[1], []string{line[len(tag[0]):]}, number})
		case len(all) == 0 || all[len(all)-1].tag == "-":
			return nil, refuse(CodeSyntax, number, "the line belongs to no field")
		default:
			f := &all[len(all)-1]
			f.lines = append(f.lines, line)
		}
	}
	if blocks && inside {
		return nil, refuse(CodeIncomplete, last, "the message that begins here has no end: the file was cut off")
	}
	return all, nil
}

// take takes the next field.
func (m *mt940Reader) take(f field) error {
	if f.tag == "20" {
		if err := m.end(f.line); err != nil {
			return err
		}
		m.now, m.account, m.taken, m.closed, m.told = &part{line: f.line}, "", true, false, true
		return nil
	}
	if m.now == nil {
		if f.tag == "-" {
			return nil
		}
		return refuse(CodeSyntax, f.line, ":%s: stands before :20:, with which a statement begins", f.tag)
	}
	if m.closed && slices.Contains([]string{"25", "60F", "60M", "61", "62F", "62M"}, f.tag) {
		return refuse(CodeSyntax, f.line, ":%s: stands behind the closing balance", f.tag)
	}
	if !m.taken && f.tag != "-" { // another account's, in whatever currency
		m.closed = m.closed || f.tag == "62F" || f.tag == "62M"
		return nil
	}
	switch f.tag {
	case "-":
		return m.end(f.line)
	case "25":
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
// currency: BANKINBB/0012345678INR.
func mt940Account(text string) string {
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '/')+1:])
	return accountNumber(mt940Currency.ReplaceAllString(text, ""))
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
	p := mt940Entry.FindStringSubmatch(f.lines[0])
	if p == nil || m.now.from == "" {
		return refuse(CodeSyntax, f.line, ":61: is no entry below an opening balance")
	}
	var e ledger.StatementEntry
	value, ok := mt940Day(p[1])
	if !ok {
		return refuse(CodeDate, f.line, "%q is not a date", p[1])
	}
	e.Transacted, e.Debit = value, p[3] == "D" || p[3] == "RC"
	if p[2] != "" {
		if e.Transacted, ok = entryDay(value, p[2]); !ok {
			return refuse(CodeDate, f.line, "%q is not a day of the year", p[2])
		}
		e.Value = value
	}
	if p[4] != "" && p[4] != "R" {
		return refuse(CodeCurrency, f.line, "the funds code %s is not that of the rupee", p[4])
	}
	var err error
	if e.Amount, err = ledger.ParsePaise(p[5] + "." + (p[6] + "00")[:2]); err != nil {
		return refuse(CodeAmount, f.line, "the amount is beyond what an amount can be")
	}
	own, banks, _ := strings.Cut(p[8], "//")
	m.short = len(own) == referenceChars
	e.Reference, e.Remarks = namedBy([]string{own, banks}, f.lines[1:])
	m.told = false
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
		t, err := time.Parse("20060102", v.AddDate(year-v.Year(), 0, 0).Format("2006")+monthDay)
		if err != nil {
			continue
		}
		if d := t.Sub(v).Abs(); !found || d < least {
			best, least, found = t.Format(time.DateOnly), d, true
		}
	}
	return best, found
}

// remarks reads a :86:, of the entry before it or, behind the closing balance,
// of the whole.
func (m *mt940Reader) remarks(f field) error {
	if m.closed {
		return nil
	}
	if m.told {
		return refuse(CodeSyntax, f.line, ":86: stands behind no entry")
	}
	m.told = true
	var text strings.Builder
	for i, line := range f.lines {
		if i > 0 && utf8.RuneCountInString(f.lines[i-1]) != lineChars {
			text.WriteByte(' ')
		}
		text.WriteString(line)
	}
	e := &m.now.entries[len(m.now.entries)-1]
	if whole := wholeOf(e.Reference, text.String()); m.short && whole != "" {
		e.Reference = whole
	}
	e.Remarks = joined(text.String(), e.Remarks)
	return nil
}

// wholeOf finds the one word of the text that begins with a reference and goes
// on; "" where there is none, or more than one.
func wholeOf(reference, text string) string {
	found := ""
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '/' || r == ',' || r == ';' || r == ':' || r == '?' }) {
		if len(word) <= len(reference) || !strings.EqualFold(word[:len(reference)], reference) {
			continue
		}
		if found != "" && found != word {
			return ""
		}
		found = word
	}
	return found
}
