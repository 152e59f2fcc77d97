package ingest

// readPart reads a part to its end and calls start for each element inside its root.
func (a *archive) readPart(name string, s space, root string, start func(x *xmlReader) error) error {
	x, err := a.openXML(name)
	if err != nil {
		return err
	}
	if err := x.root(s, root); err != nil {
		return err
	}
	if err := x.children(func() error { return start(x) }); err != nil {
		return err
	}
	return x.finish()
}

// root reads the root element, which must have this name.
func (x *xmlReader) root(s space, local string) error {
	if _, err := x.next(); err != nil {
		return err
	}
	if string(x.local) == local && x.space != s {
		return x.malformed("has the root %q of a namespace that no spreadsheet program of today writes", clip(x.local))
	}
	if x.space != s || string(x.local) != local {
		return x.malformed("has the root %q instead of %q", clip(x.local), local)
	}
	return nil
}

// is reports whether the element that starts or ends has this name.
func (x *xmlReader) is(s space, local string) bool {
	return x.space == s && string(x.local) == local
}

// skip reads past the end of the element that just started.
func (x *xmlReader) skip() error {
	for depth := len(x.open); len(x.open) >= depth; {
		if err := x.pass(); err != nil {
			return err
		}
	}
	return nil
}

// pass skips a token, and still refuses it if it is not XML.
func (x *xmlReader) pass() error {
	tok, err := x.next()
	if err == nil && tok == tokText && !isXMLSpace(x.text) {
		_, err = x.appendText(nil)
	}
	return err
}

// skipAside skips an element that holds no cells. It refuses rows and cells in it, because another program
// might read them.
func (x *xmlReader) skipAside() error {
	for depth := len(x.open); len(x.open) >= depth; {
		switch string(x.local) {
		case "sheetData", "row", "c", "v", "f", "is":
			return x.malformed("has the element %q outside of its place", clip(x.local))
		}
		if err := x.pass(); err != nil {
			return err
		}
	}
	return nil
}

// children calls start for each element inside the one that just started, and skips an element that start does
// not read. No text is allowed between them.
func (x *xmlReader) children(start func() error) error {
	for {
		tok, err := x.next()
		if err != nil {
			return err
		}
		switch tok {
		case tokStart:
			depth := len(x.open)
			if err := start(); err != nil {
				return err
			}
			if len(x.open) < depth {
				continue
			}
			if err := x.skip(); err != nil {
				return err
			}
		case tokText:
			if !isXMLSpace(x.text) {
				return x.malformed("has text between its elements")
			}
		default:
			return nil
		}
	}
}

// each calls start for each element of this name inside the one that just started, and skips the others.
func (x *xmlReader) each(s space, local string, start func() error) error {
	return x.children(func() error {
		if !x.is(s, local) {
			return nil
		}
		return start()
	})
}

// finish reads to the end of the part, so that its checksum is checked.
func (x *xmlReader) finish() error {
	for {
		tok, err := x.next()
		if err != nil {
			return err
		}
		if tok == tokEOF {
			return nil
		}
	}
}
