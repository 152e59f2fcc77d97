package statement

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"payrun/ledger"
)

// Limits of an XML file, far above any statement.
const (
	mostDepth    = 32
	mostElements = 2_000_000
)

// node is one element. The XML is not decoded into structs, because they silently keep the last of repeated
// elements.
type node struct {
	name     string // without its namespace; "" for an element outside the document's namespace
	space    string
	line     int
	text     string
	currency string // its Ccy, the only attribute that is read
	children []*node
}

// parseXML reads one document into a tree. It returns the camt message that the document is or contains, else
// its root. It refuses a document type, which comes before the root: attackers use them, and no statement
// has one.
func parseXML(content []byte) (*node, error) {
	d := xml.NewDecoder(bytes.NewReader(content))
	d.Strict = true
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		switch strings.ToLower(charset) {
		case "us-ascii":
			return in, nil
		case "iso-8859-1":
			return charmap.ISO8859_1.NewDecoder().Reader(in), nil
		}
		return nil, fmt.Errorf("the encoding %q is not read", charset)
	}
	var root, message *node // the camt message in an envelope, or the document itself
	var open []*node
	for elements := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && root != nil && len(open) == 0 {
			return cmp.Or(message, root), nil
		}
		line, _ := d.InputPos()
		if err != nil {
			return nil, refuse(CodeSyntax, line, "the XML cannot be read: %s", ledger.Plain(err.Error()))
		}
		switch t := token.(type) {
		case xml.Directive:
			return nil, refuse(CodeSyntax, line, "the file has a document type, which no statement has")
		case xml.StartElement:
			if elements++; elements > mostElements || len(open) == mostDepth || root != nil && len(open) == 0 {
				return nil, refuse(CodeSyntax, line, "the XML has more elements, or more inside one another, than a statement has")
			}
			isMessage := t.Name.Local == "Document" && strings.HasPrefix(t.Name.Space, camtNamespace)
			if isMessage && message != nil {
				return nil, refuse(CodeSyntax, line, "there are several messages in one file")
			}
			n := newNode(t, line, message)
			if isMessage {
				message = n
			}
			if root == nil {
				root = n
			} else {
				parent := open[len(open)-1]
				parent.children = append(parent.children, n)
			}
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if text := string(t); len(open) > 0 {
				open[len(open)-1].text += text
			} else if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) != "" {
				return nil, refuse(CodeSyntax, line, "there is text outside of the XML document")
			}
		}
	}
}

func newNode(t xml.StartElement, line int, message *node) *node {
	n := &node{name: t.Name.Local, space: t.Name.Space, line: line}
	if message != nil && t.Name.Space != message.space {
		n.name = ""
	}
	for _, a := range t.Attr {
		if a.Name.Local == "Ccy" {
			n.currency = a.Value
		}
	}
	return n
}

// all returns the children with a name.
func (n *node) all(name string) []*node {
	return ledger.Where(n.children, func(c *node) bool { return c.name == name })
}

// at follows a path, on which each element may occur once. It returns nil if an element is missing.
func (n *node) at(c *camtReader, path string) *node {
	for name := range strings.SplitSeq(path, "/") {
		found := n.all(name)
		switch {
		case len(found) == 0:
			return nil
		case len(found) > 1:
			c.refuse(CodeSyntax, found[1].line, "%s has %s twice", n.name, name)
			return nil
		}
		n = found[0]
	}
	return n
}

// value returns the trimmed text of the first path that has one; "" if none has.
func (n *node) value(c *camtReader, paths ...string) string {
	for _, path := range paths {
		if found := n.at(c, path); found != nil {
			if text := strings.TrimSpace(found.text); text != "" {
				return text
			}
		}
	}
	return ""
}
