package ingest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// painReader reads a pain.001 message as rows: a header with the interface's
// names, then one row a CdtTrfTxInf, the n-th of the file being row n+1. It goes
// down the message once, holds one payout at a time, and refuses every element
// that painRules does not know. encoding/xml reads the tokens; what it lets pass
// (document types, repeated attributes, tokens of any size) is refused here.
type painReader struct {
	dec     *xml.Decoder
	in      *painInput
	limits  Limits
	version string
	rules   map[string]painRule

	row    int  // last row given
	inPart bool // inside of a PmtInf
	done   bool
	seen   map[string]bool // elements of the parts that are open, which may stand there once
	group  painTally       // of the message
	part   painTally       // of the PmtInf
	ofPart [painColumns]string
	cells  [painColumns]string
	given  []string

	unread []string // paths that were passed over, in the order they came
}

const painDepth = 32 // levels below an element that is passed over

// painRoot looks for the root element of a message in the head of a file. It
// gives the namespace, and reports whether the root is a Document of ISO 20022.
func painRoot(head []byte) (space string, doctype, ok bool) {
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, bomUTF8)))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the reader itself refuses it
	for {
		tok, err := dec.Token()
		if err != nil {
			return "", doctype, false
		}
		switch tok := tok.(type) {
		case xml.Directive:
			doctype = true
		case xml.StartElement:
			return tok.Name.Space, doctype, tok.Name.Local == "Document" && strings.HasPrefix(tok.Name.Space, painURN)
		}
	}
}

// detectPain separates the pain.001 versions that payrun reads from every other message.
func detectPain(head []byte, name string) (isPain bool, err error) {
	if b := bytes.TrimLeft(bytes.TrimPrefix(head, bomUTF8), xmlSpaces); len(b) == 0 || b[0] != '<' {
		return false, nil
	}
	space, doctype, ok := painRoot(head)
	message := strings.TrimPrefix(space, painURN)
	switch {
	case !ok:
		return false, nil
	case doctype:
		return false, defect(CodePainForbidden, 0, "%s has a document type (DOCTYPE)", name)
	case message == painV03, message == painV09:
		return true, nil
	case strings.HasPrefix(message, "pain.001."):
		return false, defect(CodePainVersion, 0, "%s is a %s; %s and %s are read", name, clip([]byte(message)), painV03, painV09)
	}
	return false, defect(CodeFormatUnknown, 0, "%s is a message %s, and not a pain.001, which asks for payouts", name, clip([]byte(message))).
		fixedBy("Give the pain.001 (customer credit transfer initiation) that the program exports.", noOption)
}

func newPainReader(f *file, o Options) (*painReader, error) {
	in := &painInput{src: f, most: o.Limits.XMLToken, buf: make([]byte, 64<<10), line: 1}
	p := &painReader{in: in, limits: o.Limits, seen: map[string]bool{}}
	if err := in.skipMark(); err != nil {
		return nil, err
	}
	p.dec = xml.NewDecoder(in)
	return p, p.start()
}

// start reads down to the first PmtInf.
func (p *painReader) start() error {
	root, err := p.open("", "Document")
	if err != nil {
		return err
	}
	p.version = strings.TrimPrefix(root.Name.Space, painURN)
	if p.version != painV03 && p.version != painV09 { // detect saw another one
		return p.malformed("", "its root is of another namespace")
	}
	p.rules = painRules(p.version)
	if _, err := p.open(root.Name.Space, "CstmrCdtTrfInitn"); err != nil {
		return err
	}
	e, err := p.child("")
	if err != nil {
		return err
	}
	if e == nil || e.Name.Local != "GrpHdr" {
		return p.malformed("", "it has no GrpHdr at its beginning")
	}
	p.part = painTally{path: "GrpHdr"} // its NbOfTxs and CtrlSum are of the message
	if err := p.element("GrpHdr", *e); err != nil {
		return err
	}
	p.group = p.part
	if p.group.count == "" {
		return p.malformed("GrpHdr/NbOfTxs", "it is missing, and says how many payouts there are")
	}
	return nil
}

// next gives the header, then payout after payout.
func (p *painReader) next() (Row, error) {
	if p.row == 0 {
		p.row = 1
		return Row{Number: 1, Cells: painHeader[:], Line: p.in.line}, nil
	}
	for !p.done {
		row, err := p.step()
		if row != nil || err != nil {
			if err != nil {
				return Row{}, err
			}
			return *row, nil
		}
	}
	return Row{}, io.EOF
}

// step reads one element of the message or of the PmtInf that is open, and gives
// the row where it is a payout.
func (p *painReader) step() (*Row, error) {
	if !p.inPart {
		e, err := p.child("")
		switch {
		case err != nil:
			return nil, err
		case e == nil:
			return nil, p.finish()
		case e.Name.Local != "PmtInf":
			return nil, p.element(e.Name.Local, *e)
		}
		p.inPart, p.part, p.ofPart = true, painTally{path: "PmtInf", line: p.in.line}, [painColumns]string{}
		return nil, p.plain("PmtInf", *e)
	}
	e, err := p.child("PmtInf")
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, p.endPart()
	case e.Name.Local == "CdtTrfTxInf":
		return p.payout(*e)
	case p.part.counted > 0:
		return nil, p.malformed("PmtInf/"+clip([]byte(e.Name.Local)), "it follows a CdtTrfTxInf, where nothing else is allowed")
	}
	return nil, p.element("PmtInf/"+e.Name.Local, *e)
}

// payout reads one CdtTrfTxInf.
func (p *painReader) payout(e xml.StartElement) (*Row, error) {
	const path = "PmtInf/CdtTrfTxInf"
	line := p.in.line
	if err := p.beforePayout(); err != nil {
		return nil, err
	}
	p.cells = p.ofPart
	if err := p.element(path, e); err != nil {
		return nil, err
	}
	p.forget(path + "/")
	if p.cells[painRef] == "" {
		return nil, p.malformedAt(line, painPaths[painRef], "it is missing")
	}
	if p.cells[painAmount] == "" {
		return nil, p.malformedAt(line, painPaths[painAmount], "it is missing")
	}
	if !p.part.add(p.cells[painAmount]) || !p.group.add(p.cells[painAmount]) {
		return nil, p.malformedAt(line, painPaths[painAmount], "it is not a decimal number")
	}
	bytes := 0
	for _, cell := range p.cells {
		bytes += len(cell)
	}
	if bytes > p.limits.RowBytes {
		return nil, defect(CodeRowTooLong, p.row+1, "the payout has more than %d bytes", p.limits.RowBytes)
	}
	p.row++
	p.given = append(p.given[:0], p.cells[:]...)
	return &Row{Number: p.row, Cells: p.given, Line: line}, nil
}

// beforePayout holds the PmtInf to what it must have said by now.
func (p *painReader) beforePayout() error {
	if p.part.counted > 0 {
		return nil
	}
	for path, said := range map[string]bool{
		"PmtInf/PmtMtd":      p.seen["PmtInf/PmtMtd"],
		painPaths[painDebit]: p.ofPart[painDebit] != "",
		painPaths[painDate]:  p.ofPart[painDate] != "",
	} {
		if !said {
			return p.malformed(path, "it is missing before the first CdtTrfTxInf")
		}
	}
	return nil
}

func (p *painReader) endPart() error {
	p.inPart = false
	p.forget("PmtInf/")
	if p.part.counted == 0 {
		return p.malformedAt(p.part.line, "PmtInf", "it has no CdtTrfTxInf")
	}
	return p.agrees(&p.part)
}

// finish reads what is behind the payouts: the end of the message.
func (p *painReader) finish() error {
	p.done = true
	e, err := p.child("") // of Document
	switch {
	case err != nil:
		return err
	case e != nil:
		return p.malformed("", "it has an element behind CstmrCdtTrfInitn")
	}
	for {
		tok, err := p.token()
		switch tok := tok.(type) {
		case nil:
			if errors.Is(err, io.EOF) {
				return p.agrees(&p.group)
			}
			return err
		case xml.CharData:
			if !isXMLSpace(tok) {
				return p.malformed("", "it has text behind its end")
			}
		case xml.StartElement:
			return p.malformed("", "it has an element behind its end")
		}
	}
}

// agrees holds what a part says of itself against what is in it.
func (p *painReader) agrees(t *painTally) error {
	if t.count != "" && t.count != strconv.Itoa(t.counted) {
		return p.located(defect(CodePainControl, 0, "it says %s, and there are %d payouts", t.count, t.counted), t.countLine, t.path+"/NbOfTxs")
	}
	if t.sum != "" && !t.sumAgrees() {
		return p.located(defect(CodePainControl, 0, "it says %s, and the amounts add up to %s", t.sum, t.summed()), t.sumLine, t.path+"/CtrlSum")
	}
	return nil
}

// element reads the element that just started, by its rule.
func (p *painReader) element(path string, e xml.StartElement) error {
	rule, ok := p.rules[path]
	switch {
	case !ok:
		return p.located(defect(CodePainElement, 0, "the element is none that %s has there, or none that payrun knows", p.version), p.in.line, path)
	case p.seen[path] && !rule.many:
		return p.malformed(path, "it is there twice")
	}
	p.seen[path] = true
	switch rule.use {
	case painPass:
		if !slices.Contains(p.unread, path) {
			p.unread = append(p.unread, path)
		}
		return p.skip()
	case painRefuse:
		return p.located(defect(CodePainElement, 0, "%s, which no payout here can say", rule.why), p.in.line, path)
	}
	if path != painPaths[painAmount] {
		if err := p.plain(path, e); err != nil {
			return err
		}
	}
	if rule.use == painOpen {
		return p.inside(path)
	}
	line := p.in.line
	text, err := p.text(path)
	if err != nil {
		return err
	}
	return p.leaf(rule, path, text, line, e)
}

// leaf takes the text of an element by its rule.
func (p *painReader) leaf(rule painRule, path, text string, line int, e xml.StartElement) error {
	switch rule.use {
	case painCount:
		if p.part.countLine = line; !p.part.readCount(text) {
			return p.malformedAt(line, path, "it is not a number of payouts")
		}
	case painSum:
		if p.part.sumLine = line; !p.part.readSum(text) {
			return p.malformedAt(line, path, "it is not a decimal number")
		}
	case painMust:
		if text == "" || !strings.Contains(rule.words, " "+text+" ") {
			return p.located(defect(CodePainElement, 0, "it says %.40q and not %s: no payout here can say it", text,
				strings.Join(strings.Fields(rule.words), " or ")), line, path)
		}
	case painRead:
		return p.read(rule.column, path, text, line, e)
	}
	return nil
}

// read puts the text of an element into its column.
func (p *painReader) read(c painColumn, path, text string, line int, e xml.StartElement) error {
	cells := &p.cells
	if !strings.HasPrefix(path, inPayout) {
		cells = &p.ofPart
	}
	switch {
	case text == "":
		return p.malformedAt(line, path, "it is empty")
	case len(text) > p.limits.CellChars: // each character has at least a byte
		return defect(CodeCellTooLong, p.row+1, "%s has more than %d characters", path, p.limits.CellChars)
	case c == painRemarks && cells[c] != "":
		text = cells[c] + "\n" + text // another line of the same remark
	case c == painType && cells[c] != "" && (cells == &p.ofPart || p.ofPart[c] != ""):
		return p.malformedAt(line, path, "the transaction type is in another PmtTpInf too, or twice in this one")
	case c == painDate && !isDay(text):
		return p.malformedAt(line, path, "it is not a date such as 2026-01-31")
	case c == painAmount:
		currency, err := p.currency(e, line)
		if err != nil {
			return err
		}
		cells[painCurrency] = currency
	}
	cells[c] = text
	return nil
}

// currency reads the one attribute that is read.
func (p *painReader) currency(e xml.StartElement, line int) (string, error) {
	if len(e.Attr) != 1 || e.Attr[0].Name != (xml.Name{Local: "Ccy"}) || !isCurrencyCode(e.Attr[0].Value) {
		return "", p.malformedAt(line, painPaths[painAmount], "it must have one attribute, Ccy, of three capitals")
	}
	return e.Attr[0].Value, nil
}

func isCurrencyCode(s string) bool {
	return len(s) == 3 && !strings.ContainsFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// isDay knows 2026-01-31, and the same with a time zone, as XML Schema's date.
func isDay(s string) bool {
	if len(s) < len(time.DateOnly) {
		return false
	}
	if _, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)]); err != nil {
		return false
	}
	zone := s[len(time.DateOnly):]
	return zone == "" || zone == "Z" || len(zone) == 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':' && isDigits([]byte(zone[1:3]+zone[4:]))
}

// forget makes room for the next part of the same kind.
func (p *painReader) forget(prefix string) {
	for path := range p.seen {
		if strings.HasPrefix(path, prefix) {
			delete(p.seen, path)
		}
	}
}

func (p *painReader) malformed(path, what string) *Defect {
	return p.malformedAt(p.in.line, path, what)
}

func (p *painReader) malformedAt(line int, path, what string) *Defect {
	return p.located(defect(CodePainMalformed, 0, "%s", what), line, path)
}

// located says where in the message a defect is.
func (p *painReader) located(d *Defect, line int, path string) *Defect {
	d.Line, d.Path = line, clipPath(path)
	return d
}

// clipPath shortens a path whose last name is unknown.
func clipPath(path string) string {
	const most = 120
	return path[:min(len(path), most)]
}
