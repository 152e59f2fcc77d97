package desk

import (
	"bytes"
	"net/http"
	"net/url"
	"path"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"payrun/ledger"
)

// again answers a decision without a proof: it shows the form's page again, with the password field next to
// the button and everything that was typed, except secrets. If the page no longer has this form, it asks
// for the password alone.
func (d *desk) again(w http.ResponseWriter, r *http.Request, s *session, status int, why string) {
	v := visitorOf(r)
	v.refused = status
	for _, page := range [...]string{cameFrom(d, r), r.URL.Path, path.Dir(r.URL.Path)} {
		u, err := url.Parse(page)
		if err != nil {
			continue
		}
		get := r.Clone(r.Context())
		get.Method, get.URL, get.RequestURI, get.Body, get.ContentLength = http.MethodGet, u, page, http.NoBody, 0
		get.Form, get.PostForm = nil, nil
		answer := &keptAnswer{header: http.Header{}}
		d.mux.ServeHTTP(answer, get)
		if b, ok := retyped(&answer.body, r.URL.Path, r.PostForm, why); ok && answer.status == status {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(status)
			_, _ = w.Write(b) // a sender who left needs no answer
			return
		}
	}
	v.wrong = why
	_ = d.askProof(w, r, s, cameFrom(d, r), true)
}

// keptAnswer stores a whole answer.
type keptAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *keptAnswer) Header() http.Header         { return k.header }
func (k *keptAnswer) WriteHeader(status int)      { k.status = status }
func (k *keptAnswer) Write(b []byte) (int, error) { return k.body.Write(b) }

// notRetyped are the fields whose values are never shown again.
var notRetyped = []string{"password", "proof_code", "proof_passkey", "otp", "transaction_token", "code", "passkey"}

// retyped returns a page with the values of a form as they were sent, and why the password is needed. It
// returns false if the page has no form with this action and these hidden fields: then the page no longer
// shows what was decided.
func retyped(page *bytes.Buffer, action string, sent url.Values, why string) ([]byte, bool) {
	doc, err := html.Parse(page)
	if err != nil {
		return nil, false
	}
	var form *html.Node
	for n := range doc.Descendants() {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "autofocus" })
		if form == nil && n.DataAtom == atom.Form && attr(n, "action") == action && sameHidden(n, sent) {
			form = n
		}
	}
	if form == nil {
		return nil, false
	}
	var proof *html.Node
	for n := range form.Descendants() {
		retype(n, sent)
		if attr(n, "class") == "proof" {
			proof = n
		}
	}
	if proof != nil {
		said := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P, Attr: []html.Attribute{{Key: "class", Val: "notice notpaid"}, {Key: "role", Val: "alert"}}}
		said.AppendChild(&html.Node{Type: html.TextNode, Data: why})
		proof.Parent.InsertBefore(said, proof)
	}
	var out bytes.Buffer
	err = html.Render(&out, doc)
	return out.Bytes(), err == nil
}

// sameHidden reports whether the hidden fields of a form were sent with it. A decision is bound to them.
func sameHidden(form *html.Node, sent url.Values) bool {
	for n := range form.Descendants() {
		name := attr(n, "name")
		if attr(n, "type") == "hidden" && name != "" && name != "form" && !slices.Contains(notRetyped, name) && !slices.Contains(sent[name], attr(n, "value")) {
			return false
		}
	}
	return true
}

// retype sets a field to the value that was sent.
func retype(n *html.Node, sent url.Values) {
	name, kind := attr(n, "name"), attr(n, "type")
	switch {
	case n.DataAtom == atom.Option:
		for up := range n.Ancestors() {
			if up.DataAtom == atom.Select && sent[attr(up, "name")] != nil {
				mark(n, "selected", slices.Contains(sent[attr(up, "name")], attr(n, "value")))
			}
		}
	case name == "password" && kind == "password":
		mark(n, "autofocus", true)
	case name == "" || kind == "hidden" || slices.Contains(notRetyped, name):
	case kind == "checkbox" || kind == "radio":
		mark(n, "checked", slices.Contains(sent[name], attr(n, "value")))
	case n.DataAtom == atom.Textarea:
		for n.FirstChild != nil {
			n.RemoveChild(n.FirstChild)
		}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: sent.Get(name)})
	case n.DataAtom == atom.Input && kind != "password":
		mark(n, "value", false)
		n.Attr = append(n.Attr, html.Attribute{Key: "value", Val: sent.Get(name)})
	}
}

func attr(n *html.Node, key string) string {
	found, _ := ledger.First(n.Attr, func(a html.Attribute) bool { return a.Key == key })
	return found.Val
}

// mark sets or removes an attribute without a value.
func mark(n *html.Node, key string, is bool) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
	if is {
		n.Attr = append(n.Attr, html.Attribute{Key: key})
	}
}
