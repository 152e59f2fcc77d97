package ingest

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// painReader reads a pain.001 message as rows: a header with the interface's names, then one row for each
// CdtTrfTxInf, the n-th as row n+1. It reads the message in one pass, holds one payout at a time, and refuses
// every element that painRules does not list. encoding/xml reads the tokens; painReader refuses what
// encoding/xml accepts (document types, repeated attributes, tokens of any size).
type painReader struct {
	dec     *xml.Decoder
	in      *painInput
	limits  Limits
	version string
	rules   map[string]painRule

	open   []painElement // from the message as a whole, which has no element, down
	row    int           // number of the last row returned
	group  painTally     // of the message
	part   painTally     // of the current GrpHdr or PmtInf
	ofPart [painColumns]string
	cells  [painColumns]string
	given  []string

	unread []string // paths that were ignored, in order
}

// painElement is an element that is open.
type painElement struct {
	path string // below CstmrCdtTrfInitn
	rule painRule
	line int
	had  []string // the names of its child elements so far
	text []byte   // of an element with text only
}

func (e *painElement) isText() bool { return painOpen < e.rule.use && e.rule.use < painPass }

// painRoots are the elements around the whole message.
var painRoots = [...]string{"Document", "CstmrCdtTrfInitn"}

const painDepth = 32 // levels

// painRoot looks for the root element in the head of a file. It returns the namespace, and whether the root is
// a Document of ISO 20022.
func painRoot(head []byte) (space string, doctype, ok bool) {
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, bomUTF8)))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // painReader refuses it
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

// detectPain tells the pain.001 versions that payrun reads from all other messages.
func detectPain(head []byte, name string) (isPain bool, err error) {
	if !bytes.HasPrefix(Opening(head), []byte("<")) {
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

// newPainReader reads up to the end of GrpHdr.
func newPainReader(f *file, head []byte, o Options) (*painReader, error) {
	space, _, _ := painRoot(head)
	p := &painReader{in: newPainInput(f, o.Limits.XMLToken), limits: o.Limits, version: strings.TrimPrefix(space, painURN), open: []painElement{{}}}
	p.dec, p.rules = xml.NewDecoder(p.in), painRules(p.version)
	for p.group.count == "" {
		if _, err := p.step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// next returns the header, then one payout after another.
func (p *painReader) next() (Row, error) {
	if p.row == 0 {
		p.row = 1
		return Row{Number: 1, Cells: painHeader[:], Line: p.line()}, nil
	}
	for {
		row, err := p.step()
		if err != nil {
			return Row{}, err
		}
		if row != nil {
			return *row, nil
		}
	}
}

// step reads one token. If a payout ends with it, step returns the payout's row.
func (p *painReader) step() (*Row, error) {
	p.in.used = 0
	tok, err := p.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil, p.finish()
	}
	if err != nil {
		return nil, p.unreadable(err)
	}
	in := &p.open[len(p.open)-1]
	switch tok := tok.(type) {
	case xml.EndElement:
		p.open = p.open[:len(p.open)-1]
		return p.ended(in)
	case xml.CharData:
		return nil, p.text(in, tok)
	}
	if in.isText() { // a comment too: programs differ in how they join the text around it
		return nil, p.malformed(in.path, "it holds something else than text")
	}
	switch tok := tok.(type) {
	case xml.StartElement:
		return nil, p.started(in, tok)
	case xml.Directive:
		return nil, p.refuse(CodePainForbidden, p.line(), "", "it has a document type (DOCTYPE) or another declaration")
	case xml.ProcInst:
		if tok.Target != "xml" || len(p.open[0].had) > 0 {
			return nil, p.refuse(CodePainForbidden, p.line(), "", "it has an instruction for a program")
		}
	}
	return nil, nil // a comment is ignored
}

// text adds text to the element.
func (p *painReader) text(in *painElement, text []byte) error {
	switch {
	case in.isText():
		if in.text = append(in.text, text...); len(in.text) > p.in.most {
			return p.malformed(in.path, fmt.Sprintf("it has more than %d bytes", p.in.most))
		}
	case isXMLSpace(text), in.rule.use == painPass:
	case len(p.open) == 1 && len(in.had) > 0:
		return p.malformed("", "it has text behind its end")
	default:
		return p.malformed(in.path, "it has text between its elements")
	}
	return nil
}

// started opens an element inside another, by its rule.
func (p *painReader) started(in *painElement, e xml.StartElement) error {
	if err := p.attributes(e); err != nil {
		return err
	}
	is := painElement{path: strings.TrimPrefix(in.path+"/"+e.Name.Local, "/"), line: p.line()}
	var err error
	switch depth := len(p.open) - 1; {
	case depth == painDepth:
		err = p.malformed("", fmt.Sprintf("its elements are nested more than %d levels deep", painDepth))
	case in.rule.use == painPass:
		is = painElement{rule: in.rule}
	case depth < len(painRoots):
		is, err = painElement{}, p.root(in, e, painRoots[depth])
	default:
		err = p.element(in, &is, e)
	}
	p.open = append(p.open, is)
	return err
}

// root checks an element that must hold the whole message.
func (p *painReader) root(in *painElement, e xml.StartElement, local string) error {
	switch {
	case len(in.had) > 0:
		return p.malformed("", "it has an element behind "+local)
	case e.Name.Local != local || e.Name.Space != painURN+p.version:
		return p.malformed("", "it has no "+local+" where it belongs")
	}
	in.had = append(in.had, local)
	return p.plain("", e)
}

// element checks an element of the message against its rule, and reads its tag.
func (p *painReader) element(in, is *painElement, e xml.StartElement) error {
	rule, known := p.rules[is.path]
	again := slices.Contains(in.had, e.Name.Local)
	switch {
	case e.Name.Space != painURN+p.version:
		return p.refuse(CodePainElement, is.line, is.path, "it has an element of another namespace")
	case in.path == "" && len(in.had) == 0 && is.path != "GrpHdr":
		return p.malformed("", "it has no GrpHdr at its beginning")
	case in.path == "PmtInf" && p.part.counted > 0 && is.path != painPayout:
		return p.malformed(is.path, "it follows a CdtTrfTxInf, where nothing else is allowed")
	case !known:
		return p.refuse(CodePainElement, is.line, is.path, "payrun cannot carry out what the element asks for, or %s has no such element there", p.version)
	case again && !rule.many:
		return p.malformed(is.path, "it is there twice")
	}
	if is.rule = rule; !again {
		in.had = append(in.had, e.Name.Local)
	}
	switch {
	case rule.use == painPass:
		if !slices.Contains(p.unread, is.path) {
			p.unread = append(p.unread, is.path)
		}
		return nil
	case is.path == painPaths[painAmount]:
		return p.currency(e)
	case is.path == "GrpHdr", is.path == "PmtInf":
		p.part, p.ofPart = painTally{path: is.path}, [painColumns]string{}
	case is.path == painPayout:
		if err := p.beforePayout(in); err != nil {
			return err
		}
		p.cells = p.ofPart
	}
	return p.plain(is.path, e)
}

// beforePayout checks that the PmtInf already has what its payouts need.
func (p *painReader) beforePayout(part *painElement) error {
	missing := ""
	switch {
	case !slices.Contains(part.had, "PmtMtd"):
		missing = "PmtInf/PmtMtd"
	case p.ofPart[painDebit] == "":
		missing = painPaths[painDebit]
	case p.ofPart[painDate] == "":
		missing = painPaths[painDate]
	default:
		return nil
	}
	return p.malformed(missing, "it is missing before the first CdtTrfTxInf")
}

// ended closes an element.
func (p *painReader) ended(e *painElement) (*Row, error) {
	switch {
	case e.isText():
		return nil, p.leaf(e, strings.Trim(string(e.text), xmlSpaces))
	case e.path == painPayout:
		return p.payout(e.line)
	case e.path == "GrpHdr":
		if p.group = p.part; p.group.count == "" {
			return nil, p.malformed("GrpHdr/NbOfTxs", "it is missing, and says how many payouts there are")
		}
	case e.path == "PmtInf" && p.part.counted == 0:
		return nil, p.malformedAt(e.line, "PmtInf", "it has no CdtTrfTxInf")
	case e.path == "PmtInf":
		return nil, p.agrees(&p.part)
	}
	return nil, nil
}

// payout returns the row of a CdtTrfTxInf.
func (p *painReader) payout(line int) (*Row, error) {
	bytes := 0
	for _, cell := range p.cells {
		bytes += len(cell)
	}
	switch amount := p.cells[painAmount]; {
	case p.cells[painRef] == "":
		return nil, p.malformedAt(line, painPaths[painRef], "it is missing")
	case amount == "":
		return nil, p.malformedAt(line, painPaths[painAmount], "it is missing")
	case !p.part.add(amount) || !p.group.add(amount):
		return nil, p.malformedAt(line, painPaths[painAmount], "it is not a decimal number")
	case bytes > p.limits.RowBytes:
		return nil, defect(CodeRowTooLong, p.row+1, "the payout has more than %d bytes", p.limits.RowBytes)
	}
	p.row++
	p.given = append(p.given[:0], p.cells[:]...)
	return &Row{Number: p.row, Cells: p.given, Line: line}, nil
}

// finish returns io.EOF if the message is complete.
func (p *painReader) finish() error {
	if p.group.count == "" {
		return p.malformed("", "it has no GrpHdr at its beginning")
	}
	return cmp.Or(p.agrees(&p.group), io.EOF)
}

// agrees compares the count and sum that a part states with its content.
func (p *painReader) agrees(t *painTally) error {
	if t.count != "" && t.count != strconv.Itoa(t.counted) {
		return p.refuse(CodePainControl, t.countLine, t.path+"/NbOfTxs", "it says %s, and there are %d payouts", t.count, t.counted)
	}
	if t.sum != "" && t.said.Cmp(&t.total) != 0 {
		return p.refuse(CodePainControl, t.sumLine, t.path+"/CtrlSum", "it says %s, and the amounts add up to %s", t.sum, t.summed())
	}
	return nil
}

// leaf reads the text of an element by its rule.
func (p *painReader) leaf(e *painElement, text string) error {
	switch e.rule.use {
	case painCount:
		if p.part.countLine = e.line; !p.part.readCount(text) {
			return p.malformedAt(e.line, e.path, "it is not a number of payouts")
		}
	case painSum:
		if p.part.sum, p.part.sumLine = text, e.line; !decimal(&p.part.said, text) {
			return p.malformedAt(e.line, e.path, "it is not a decimal number")
		}
	case painMust:
		if text == "" || !strings.Contains(e.rule.words, " "+text+" ") {
			return p.refuse(CodePainElement, e.line, e.path, "it says %.40q and not %s: no payout here can say it", text,
				strings.Join(strings.Fields(e.rule.words), " or "))
		}
	case painRead:
		return p.read(e, text)
	}
	return nil
}

// read puts the text of an element into its column.
func (p *painReader) read(e *painElement, text string) error {
	c, cells := e.rule.column, &p.cells
	if !strings.HasPrefix(e.path, inPayout) {
		cells = &p.ofPart
	}
	switch {
	case text == "":
		return p.malformedAt(e.line, e.path, "it is empty")
	case len(text) > p.limits.CellChars: // each character has at least one byte
		return defect(CodeCellTooLong, p.row+1, "%s has more than %d characters", e.path, p.limits.CellChars)
	case c == painRemarks && cells[c] != "":
		text = cells[c] + "\n" + text // another line of the same remarks
	case c == painType && cells[c] != "":
		return p.malformedAt(e.line, e.path, "the transaction type is in another PmtTpInf too, or twice in this one")
	case c == painDate && !isDay(text):
		return p.malformedAt(e.line, e.path, "it is not a date such as 2026-01-31")
	}
	cells[c] = text
	return nil
}

// currency reads Ccy, the only attribute that is read.
func (p *painReader) currency(e xml.StartElement) error {
	if len(e.Attr) != 1 || e.Attr[0].Name != (xml.Name{Local: "Ccy"}) || !isCurrencyCode(e.Attr[0].Value) {
		return p.malformed(painPaths[painAmount], "it must have one attribute, Ccy, of three capitals")
	}
	p.cells[painCurrency] = e.Attr[0].Value
	return nil
}

func isCurrencyCode(s string) bool {
	return len(s) == 3 && !strings.ContainsFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// isDay reports whether s is a date of XML Schema: 2026-01-31, with or without a time zone.
func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	_, err2 := time.Parse(time.DateOnly+"Z07:00", s)
	return err == nil || err2 == nil
}

func (p *painReader) malformed(path, what string) *Defect {
	return p.malformedAt(p.line(), path, what)
}

func (p *painReader) malformedAt(line int, path, what string) *Defect {
	return p.refuse(CodePainMalformed, line, path, "%s", what)
}

// refuse makes a Defect with its place in the message.
func (p *painReader) refuse(code string, line int, path, format string, args ...any) *Defect {
	const most = 120 // for a path whose last name is unknown
	d := defect(code, 0, format, args...)
	d.Cell, d.Header = LineWords(line), path[:min(len(path), most)]
	return d
}
