package ingest

import (
	"bytes"
	"slices"
	"strings"
)

// stringTable holds the texts that cells share, end to end. A text costs its bytes and four
// more, and cells are given substrings.
type stringTable struct {
	text  strings.Builder
	ends  []uint32
	bytes int64            // what all of it costs
	rich  map[int]richText // few texts have any
}

// richText is what the fonts inside of a text say.
type richText struct {
	marks    Mark
	ownFonts bool     // every run has a font of its own, so that the cell's does not count
	inks     []colour // of the runs with a font of their own
}

// What one costs, and each of its inks.
const richBytes, inkBytes = 48, 16

func (t *stringTable) add(text []byte, r richText) {
	if r.marks != 0 || r.ownFonts || r.inks != nil {
		t.rich[len(t.ends)] = r
		t.bytes += richBytes + int64(len(r.inks))*inkBytes
	}
	t.text.Write(text)
	t.ends = append(t.ends, uint32(t.text.Len()))
	t.bytes += int64(len(text)) + 4
}

// get gives the i-th text.
func (t *stringTable) get(i int) (string, bool) {
	if i >= len(t.ends) {
		return "", false
	}
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.text.String()[start:t.ends[i]], true
}

// readStrings reads the part of the shared strings.
func (w *workbook) readStrings(part string) error {
	limits := w.options.Limits
	var text []byte
	return w.zip.readPart(part, spaceMain, "sst", func(x *xmlReader) (err error) {
		if !x.is(spaceMain, "si") {
			return nil
		}
		var rich richText
		if text, rich, err = x.appendRich(text[:0]); err != nil {
			return err
		}
		if tooManyChars(text, limits.CellChars) {
			return defect(CodeCellTooLong, 0, "the workbook has a text of more than %d characters", limits.CellChars)
		}
		if w.strings.add(text, rich); w.strings.bytes > limits.SharedText {
			return defect(CodeSharedTooLarge, 0, "the workbook's texts take more than %d bytes", limits.SharedText)
		}
		return nil
	})
}

// appendRich appends the text of the si or is element that just started, its own or that of its runs,
// and returns what the fonts of the runs show. Phonetic runs are reading aids and no text.
func (x *xmlReader) appendRich(out []byte) ([]byte, richText, error) {
	rich, own, foreign := richText{}, 0, 0 // runs with a font of their own, and what has the cell's
	err := x.children(func() (err error) {
		switch {
		case x.is(spaceMain, "t"):
			foreign++
			out, err = x.appendElement(out)
			return err
		case x.is(spaceMain, "r"):
			start, font, hasFont := len(out), fontLook{}, false
			if out, font, hasFont, err = x.appendRun(out); len(bytes.TrimSpace(out[start:])) == 0 {
				return err // a space has nothing that could be struck out
			}
			if rich.marks |= font.marks; hasFont {
				own++
				if !slices.Contains(rich.inks, font.ink) {
					rich.inks = append(rich.inks, font.ink)
				}
			} else {
				foreign++
			}
			return err
		}
		return nil
	})
	rich.ownFonts = own > 0 && foreign == 0
	return out, rich, err
}

// appendRun appends the text of the run that just started.
func (x *xmlReader) appendRun(out []byte) (text []byte, font fontLook, hasFont bool, err error) {
	err = x.children(func() (err error) {
		switch {
		case x.is(spaceMain, "t"):
			out, err = x.appendElement(out)
			return err
		case x.is(spaceMain, "rPr"):
			hasFont = true
			font.marks, font.ink, err = x.fontOf()
			return err
		}
		return nil
	})
	return out, font, hasFont, err
}

// appendElement appends the text of the element that just started, which must
// have nothing but text.
func (x *xmlReader) appendElement(out []byte) ([]byte, error) {
	start := len(out)
	for {
		tok, err := x.next()
		if err != nil {
			return out, err
		}
		switch tok {
		case tokText:
			if out, err = x.appendText(out); err != nil {
				return out, err
			}
		case tokStart:
			return out, x.malformed("has the element %q inside a text", clip(x.local))
		default:
			return unescape(out, start), nil
		}
	}
}
