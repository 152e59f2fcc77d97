package ingest

import (
	"strconv"
	"strings"
)

// format is what a number format does to a number, as far as it matters.
type format uint8

const (
	formatPlain   format = iota // shows the number, with grouping, currency or fewer decimals
	formatDate                  // shows it as a date or a time
	formatShownAs               // shows something else: zeros in front, percent, letters beside it
)

// NumberFormat is how a cell style shows a number: by its code, or where that
// is "" by the number of a format that every spreadsheet program has.
type NumberFormat struct {
	ID   int
	Code string
}

// readStyles reads which number format each cell style has.
func (w *workbook) readStyles(part string) error {
	x, err := w.zip.openXML(part)
	if err != nil {
		return err
	}
	if err := x.root(spaceMain, "styleSheet"); err != nil {
		return err
	}
	custom, codes, codeBytes := map[int]format{}, map[int]string{}, 0
	var ids []int
	err = x.children(func() error {
		switch {
		case x.is(spaceMain, "numFmts"):
			return x.children(func() error {
				code, err := x.attrText(spaceNone, "formatCode")
				if err != nil {
					return err
				}
				if id, err := strconv.Atoi(string(x.attr("numFmtId"))); err == nil {
					custom[id], codes[id] = classify(code), code
				}
				if codeBytes += len(code); len(codes) > mostFormats || codeBytes > mostCodeBytes {
					return tooMuch("has more number formats than any workbook")
				}
				return x.skip()
			})
		case x.is(spaceMain, "cellXfs"):
			return x.children(func() error {
				id, _ := strconv.Atoi(string(x.attr("numFmtId"))) // absent: General
				if ids = append(ids, id); len(ids) > mostFormats {
					return tooMuch("has more than %d cell formats", mostFormats)
				}
				return x.skip()
			})
		}
		return x.skip()
	})
	if err != nil {
		return err
	}
	w.formats, w.shown = make([]format, len(ids)), make([]NumberFormat, len(ids))
	for i, id := range ids {
		w.shown[i] = NumberFormat{ID: id, Code: codes[id]}
		f, ok := custom[id]
		if !ok {
			f = builtin(id)
		}
		w.formats[i] = f
	}
	return x.finish()
}

// builtin knows the formats that have a number and no code (ECMA-376,
// numFmt), those of East Asian and Thai workbooks included.
func builtin(id int) format {
	switch {
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 45 && id <= 47, id >= 50 && id <= 58, id >= 71 && id <= 81:
		return formatDate
	case id >= 9 && id <= 13, id == 48, id >= 67 && id <= 70:
		return formatShownAs
	}
	return formatPlain
}

// classify reads the code of a number format: its first section, which is for
// positive numbers.
func classify(code string) format {
	zeros, digits, afterPoint := 0, false, false
	shown := false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';':
			i = len(code)
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				end = len(code) - i - 1
			}
			shown = shown || saysMore(code[i+1:i+1+end])
			i += end + 1
		case '\\', '_', '*': // one character, literally, as a gap or as filling
			if c == '\\' && i+1 < len(code) {
				shown = shown || isAlnum(code[i+1])
			}
			i++
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return formatShownAs
			}
			if isElapsed(code[i+1 : i+end]) {
				return formatDate
			}
			i += end
		case '0':
			digits = true
			if !afterPoint {
				zeros++
			}
		case '#', '?':
			digits = true
		case '.':
			afterPoint = true
		case ',':
			if digits && !strings.ContainsAny(firstSection(code[i:]), "0#?") {
				shown = true // scaled by a thousand
			}
		case '%', '/':
			if digits {
				shown = true
			}
		case 'E', 'e':
			if !digits || i+1 >= len(code) || (code[i+1] != '+' && code[i+1] != '-') {
				return formatDate // the year of an era
			}
			shown = true
		case 'G', 'g':
			if len(code) >= i+7 && strings.EqualFold(code[i:i+7], "general") {
				i += 6
			}
		case 'd', 'D', 'm', 'M', 'y', 'Y', 'h', 'H', 's', 'S':
			return formatDate
		}
	}
	if shown || zeros > 1 {
		return formatShownAs
	}
	return formatPlain
}

func firstSection(code string) string {
	first, _, _ := strings.Cut(code, ";")
	return first
}

// isElapsed knows [h], [mm] and [ss].
func isElapsed(in string) bool {
	return in != "" && (strings.Trim(in, "hH") == "" || strings.Trim(in, "mM") == "" || strings.Trim(in, "sS") == "")
}

// saysMore reports whether a literal beside the number has letters or digits
// that do not name the currency: INV-7, 3 Cr.
func saysMore(literal string) bool {
	switch strings.ToLower(strings.Trim(literal, " .")) {
	case "rs", "inr", "rupees", "re":
		return false
	}
	return strings.ContainsFunc(literal, func(r rune) bool {
		return r < 0x80 && isAlnum(byte(r))
	})
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
