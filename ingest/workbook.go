package ingest

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"payrun/ledger"
)

// Limits on lists of a workbook that are held in memory. Excel itself has at most 65,490 cell formats, and no
// real workbook has a thousand tabs.
const (
	mostRelations = 10_000

	mostRelationBytes = 8 << 10 // of one relation: its id, type and target
	mostTabs          = 1_000
	mostFormats       = 65_490
	mostCodeBytes     = 4 << 20 // of all number formats together
	mostNameChars     = 255     // of a tab: Excel allows 31
)

// workbook is what must be known of an XLSX before its rows can be read.
type workbook struct {
	zip     *archive
	options Options
	tabs    []tab
	strings stringTable
	styles  []cellStyle // by their number
	dxfs    []dxf       // formats of rules, by their number
	palette palette
	mac     bool  // its days count from 1904
	stale   bool  // it asks to be recalculated when it is opened
	unread  []tab // visible tabs that have rows and are not read
}

// tab is one tab of the workbook.
type tab struct {
	name   string
	part   string
	hidden bool
	cells  bool // a worksheet, not a chart or a macro sheet
}

// open reads everything except the rows of the tabs.
func (w *workbook) open(f *file, o Options) error {
	zip, err := openArchive(f, f.size(), o.Limits)
	if err != nil {
		return err
	}
	if err := zip.checkKind(); err != nil {
		return err
	}
	*w = workbook{zip: zip, options: o, strings: stringTable{rich: map[int]richText{}}, palette: officePalette}
	main, err := w.mainPart()
	if err != nil {
		return err
	}
	rels, err := w.relations(main)
	if err != nil {
		return err
	}
	if err := w.readWorkbook(main, rels); err != nil {
		return err
	}
	if i := slices.IndexFunc(rels, func(r relation) bool { return r.kind == "theme" && w.zip.has(r.target) }); i >= 0 {
		if err := w.readTheme(rels[i].target); err != nil {
			return err
		}
	}
	for i, r := range rels {
		again := func() bool {
			return slices.ContainsFunc(rels[:i], func(other relation) bool { return other.kind == r.kind })
		}
		switch {
		case r.kind == "vbaProject", r.kind == "xlMacrosheet":
			err = defect(CodeMacros, 0, "the workbook has macros")
		case r.kind != "sharedStrings" && r.kind != "styles":
		case again():
			err = defect(CodePartRepeated, 0, "the workbook has its part %s twice", r.kind)
		case r.kind == "styles":
			err = w.readStyles(r.target)
		default:
			err = w.readStrings(r.target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kinds are zip files that are not XLSX, each with a part that only it has.
var kinds = [...]struct {
	part string
	what string
}{
	{"xl/workbook.bin", "a binary workbook (.xlsb)"},
	{"content.xml", "an OpenDocument (.ods)"},
	{"Index/Document.iwa", "a Numbers document"},
	{"Index.zip", "a Numbers document"},
	{"word/document.xml", "a Word document"},
	{"ppt/presentation.xml", "a presentation"},
}

// checkKind refuses zip files that are not workbooks, and workbooks with macros.
func (a *archive) checkKind() error {
	for _, k := range kinds {
		if a.has(k.part) {
			return defect(CodeFormatUnknown, 0, "the file is %s", k.what)
		}
	}
	for name := range a.parts {
		if path.Base(name) == "vbaproject.bin" {
			return defect(CodeMacros, 0, "the workbook has macros")
		}
	}
	if !a.has("[Content_Types].xml") || !a.has("_rels/.rels") {
		return defect(CodeFormatUnknown, 0, "the file is a zip archive, not a workbook")
	}
	return a.checkTypes()
}

// checkTypes refuses a workbook whose content types declare macros for it or for a part that it has. SheetJS
// lists such a type for an extension that no part has.
func (a *archive) checkTypes() error {
	return a.readPart("[Content_Types].xml", spaceContents, "Types", func(x *xmlReader) error {
		kind, err := x.attrText(spaceNone, "ContentType")
		if err != nil || !strings.Contains(strings.ToLower(kind), "macroenabled") {
			return err
		}
		extension, err := x.attrText(spaceNone, "Extension")
		if err == nil && (!x.is(spaceContents, "Default") || a.hasExtension(extension)) {
			err = defect(CodeMacros, 0, "the workbook has macros")
		}
		return err
	})
}

// hasExtension reports whether the name of any part has this extension.
func (a *archive) hasExtension(extension string) bool {
	for name := range a.parts {
		if strings.EqualFold(strings.TrimPrefix(path.Ext(name), "."), extension) {
			return true
		}
	}
	return false
}

// relation is a reference from one part to another.
type relation struct {
	id     string
	kind   string // the last segment of its type
	target string // the name of the other part; "" if it is outside the workbook
}

// relations reads the references of a part; "" means the workbook as a whole.
func (w *workbook) relations(of string) (rels []relation, err error) {
	dir, base := path.Split(of)
	err = w.zip.readPart(dir+"_rels/"+base+".rels", spacePackage, "Relationships", func(x *xmlReader) error {
		if !x.is(spacePackage, "Relationship") {
			return nil
		}
		r, err := x.relation(dir)
		if rels = append(rels, r); err == nil && len(rels) > mostRelations {
			err = tooMuch("refers to more than %d parts", mostRelations)
		}
		return err
	})
	return rels, err
}

func (x *xmlReader) relation(dir string) (r relation, err error) {
	kind, mode, target := "", "", ""
	for _, f := range []struct {
		name string
		to   *string
	}{{"Id", &r.id}, {"Type", &kind}, {"TargetMode", &mode}, {"Target", &target}} {
		if *f.to, err = x.attrText(spaceNone, f.name); err != nil {
			return r, err
		}
	}
	r.kind = kind[strings.LastIndexByte(kind, '/')+1:]
	if len(r.id)+len(kind)+len(target) > mostRelationBytes {
		return r, tooMuch("refers to a part in more than %d bytes", mostRelationBytes)
	}
	if mode == "External" {
		return r, nil
	}
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "/") {
		r.target = path.Clean(target)[1:]
	} else {
		r.target = path.Join(dir, target)
	}
	if strings.HasPrefix(r.target, "../") {
		return r, defect(CodePartName, 0, "the workbook refers to the unsafe part name %q", target)
	}
	return r, nil
}

// mainPart finds the part that lists the tabs.
func (w *workbook) mainPart() (string, error) {
	rels, err := w.relations("")
	if err != nil {
		return "", err
	}
	for _, r := range rels {
		if r.kind == "officeDocument" && r.target != "" {
			return r.target, nil
		}
	}
	return "", defect(CodeFormatUnknown, 0, "the file is a zip archive, not a workbook")
}

// readWorkbook reads the tabs and the date system.
func (w *workbook) readWorkbook(part string, rels []relation) error {
	return w.zip.readPart(part, spaceMain, "workbook", func(x *xmlReader) error {
		switch {
		case x.is(spaceMain, "workbookPr"):
			w.mac = isTrue(x.attr("date1904"))
		case x.is(spaceMain, "calcPr"):
			w.stale = isTrue(x.attr("fullCalcOnLoad")) || isTrue(x.attr("forceFullCalc"))
		case x.is(spaceMain, "sheets"):
			return x.children(func() error { return w.readTab(x, rels) })
		}
		return nil
	})
}

// readTab reads one entry of the list of tabs.
func (w *workbook) readTab(x *xmlReader, rels []relation) error {
	if !x.is(spaceMain, "sheet") {
		return x.malformed("lists %q among its tabs", clip(x.local))
	}
	name, err := x.attrText(spaceNone, "name")
	if err != nil {
		return err
	}
	if tooManyChars([]byte(name), mostNameChars) {
		return tooMuch("has a tab whose name is longer than %d characters", mostNameChars)
	}
	id, err := x.attrText(spaceRel, "id")
	if err != nil {
		return err
	}
	state := string(x.attr("state"))
	t := tab{name: name, hidden: state == "hidden" || state == "veryHidden"}
	at := slices.IndexFunc(rels, func(r relation) bool { return r.id == id })
	if at >= 0 {
		t.part, t.cells = rels[at].target, rels[at].kind == "worksheet"
	}
	if at < 0 || t.cells && !w.zip.has(t.part) {
		return defect(CodePartMissing, 0, "the workbook lists the tab %q but does not have it", name)
	}
	if slices.ContainsFunc(w.tabs, func(other tab) bool {
		return strings.EqualFold(other.name, name) || strings.EqualFold(other.part, t.part)
	}) {
		return defect(CodePartRepeated, 0, "the workbook has the tab %q twice", name)
	}
	if w.tabs = append(w.tabs, t); len(w.tabs) > mostTabs {
		return tooMuch("has more than %d tabs", mostTabs)
	}
	return nil
}

// tooMuch refuses a workbook that exceeds a limit.
func tooMuch(format string, args ...any) *Defect {
	return defect(CodeTooMuch, 0, "the workbook "+format, args...)
}

// isTrue reads XML's boolean.
func isTrue(raw []byte) bool { return string(raw) == "1" || string(raw) == "true" }

// list names tabs for a message.
func list(tabs []tab) string {
	const most = 20
	names := ledger.ListOf(tabs[:min(len(tabs), most)], func(t tab) string { return strconv.Quote(t.name) })
	if len(tabs) > most {
		names = append(names, fmt.Sprintf("and %d more", len(tabs)-most))
	}
	return strings.Join(names, ", ")
}
