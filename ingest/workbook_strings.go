package ingest

import (
	"bytes"
	"slices"
)

// stringTable holds the texts that cells share. A text costs its bytes and four more, and cells get substrings.
// One string for all would be copied again and again as it grows.
type stringTable struct {
	segments []segment
	text     []byte // of the last segment, while it grows
	ends     []uint32
	count    int
	bytes    int64            // the cost of all texts
	rich     map[int]richText // by text; few texts have any
}

// segment holds segmentSize texts end to end.
type segment struct {
	text string
	ends []uint32
}

const segmentSize = 1024

// richText is what the fonts inside a text say.
type richText struct {
	marks    Mark
	ownFonts bool     // every run has its own font, so the cell's font does not count
	inks     []colour // of the runs with their own font
}

// The cost of one richText, and of each of its inks.
const richBytes, inkBytes = 48, 16

func (t *stringTable) add(text []byte, r richText) {
	if r.marks != 0 || r.ownFonts || r.inks != nil {
		t.rich[t.count] = r
		t.bytes += richBytes + int64(len(r.inks))*inkBytes
	}
	t.text = append(t.text, text...)
	t.ends = append(t.ends, uint32(len(t.text)))
	t.bytes += int64(len(text)) + 4
	if t.count++; t.count%segmentSize == 0 {
		t.seal()
	}
}

// seal ends the current segment.
func (t *stringTable) seal() {
	t.segments = append(t.segments, segment{string(t.text), slices.Clone(t.ends)})
	t.text, t.ends = t.text[:0], t.ends[:0]
}

// get returns the i-th text of a sealed table.
func (t *stringTable) get(i int) (string, bool) {
	if i >= t.count {
		return "", false
	}
	s, k := t.segments[i/segmentSize], i%segmentSize
	start := uint32(0)
	if k > 0 {
		start = s.ends[k-1]
	}
	return s.text[start:s.ends[k]], true
}

// readStrings reads the part of the shared strings.
func (w *workbook) readStrings(part string) error {
	limits := w.options.Limits
	var text []byte
	err := w.zip.readPart(part, spaceMain, "sst", func(x *xmlReader) (err error) {
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
	w.strings.seal()
	return err
}

// appendRich appends the text of the si or is element that just started, directly or from its runs, and returns
// what the fonts of the runs show. Phonetic runs are reading aids and not text.
func (x *xmlReader) appendRich(out []byte) ([]byte, richText, error) {
	rich, own, foreign := richText{}, 0, 0 // runs with their own font, and texts with the cell's
	err := x.children(func() (err error) {
		switch {
		case x.is(spaceMain, "t"):
			foreign++
			out, err = x.appendElement(out)
			return err
		case x.is(spaceMain, "r"):
			start, font, hasFont := len(out), fontLook{}, false
			if out, font, hasFont, err = x.appendRun(out); len(bytes.TrimSpace(out[start:])) == 0 {
				return err // spaces have nothing that could be crossed out
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
			font, err = x.fontOf()
			return err
		}
		return nil
	})
	return out, font, hasFont, err
}

// appendElement appends the text of the element that just started.
func (x *xmlReader) appendElement(out []byte) ([]byte, error) {
	start := len(out)
	out, err := x.appendRaw(out)
	return unescape(out, start), err
}

// appendRaw is appendElement without resolving escapes. The element must hold only text.
func (x *xmlReader) appendRaw(out []byte) ([]byte, error) {
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
			return out, nil
		}
	}
}
