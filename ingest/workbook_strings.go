package ingest

// stringTable holds the texts that cells share. A text costs its bytes and
// four more; cells are given substrings of it.
type stringTable struct {
	segments []segment
	text     []byte // of the last segment, while it grows
	ends     []uint32
	count    int
	bytes    int64
}

// segment holds segmentSize texts end to end.
type segment struct {
	text string
	ends []uint32
}

const segmentSize = 1024

func (t *stringTable) add(text []byte) {
	t.text = append(t.text, text...)
	t.ends = append(t.ends, uint32(len(t.text)))
	t.bytes += int64(len(text)) + 4
	if t.count++; t.count%segmentSize == 0 {
		t.seal()
	}
}

// seal ends the segment that grows.
func (t *stringTable) seal() {
	t.segments = append(t.segments, segment{string(t.text), append([]uint32(nil), t.ends...)})
	t.text, t.ends = t.text[:0], t.ends[:0]
}

// get gives the i-th text of a sealed table.
func (t *stringTable) get(i int) (string, bool) {
	if i < 0 || i >= t.count {
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
	x, err := w.zip.openXML(part)
	if err != nil {
		return err
	}
	if err := x.root(spaceMain, "sst"); err != nil {
		return err
	}
	limits := w.options.Limits
	var text []byte
	err = x.children(func() (err error) {
		if !x.is(spaceMain, "si") {
			return x.skip()
		}
		if text, err = x.appendRich(text[:0]); err != nil {
			return err
		}
		if tooManyChars(text, limits.CellChars) {
			return defect(CodeCellTooLong, 0, "the workbook has a text of more than %d characters", limits.CellChars)
		}
		w.strings.add(text)
		if w.strings.bytes > limits.SharedText {
			return defect(CodeSharedTooLarge, 0, "the workbook's texts take more than %d bytes", limits.SharedText)
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.strings.seal()
	return x.finish()
}

// appendRich appends the text of the si or is element that just started: its
// own, or that of its runs. Phonetic runs are reading aids and no text.
func (x *xmlReader) appendRich(out []byte) ([]byte, error) {
	err := x.children(func() (err error) {
		switch {
		case x.is(spaceMain, "t"):
			out, err = x.appendElement(out)
			return err
		case x.is(spaceMain, "r"):
			return x.children(func() (err error) {
				if !x.is(spaceMain, "t") {
					return x.skip()
				}
				out, err = x.appendElement(out)
				return err
			})
		}
		return x.skip()
	})
	return out, err
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
