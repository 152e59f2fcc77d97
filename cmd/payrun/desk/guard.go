package desk

import (
	"fmt"
	"mime"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"
)

// policy lets a page use what comes from this desk, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// permissions allows a page nothing that a browser asks a person for, but passkeys.
const permissions = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), serial=(), usb=(), " +
	"publickey-credentials-get=(self), publickey-credentials-create=(self)"

// guarded does what every request passes before it is looked at, and every answer
// carries.
func (d *desk) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", permissions)
		if d.secure {
			h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		defer d.caught(w, r, nil)
		switch {
		case !slices.Contains(d.hosts, strings.ToLower(r.Host)):
			d.fail(w, r, nil, refuse(http.StatusMisdirectedRequest, "The desk is not reached by this name."))
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !d.ours(r):
			d.fail(w, r, nil, refuse(http.StatusForbidden, "This form was not sent from a page of the desk. Nothing was done."))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// caught, deferred, answers a panic as any other error.
func (d *desk) caught(w http.ResponseWriter, r *http.Request, s *session) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p)
		}
		d.fail(w, r, s, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}

// ours reports whether a form comes from a page of this very address. A request
// that says neither where it comes from is none of a browser's forms.
func (d *desk) ours(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	same := strings.EqualFold(origin, d.scheme()+"://"+r.Host) // whose name is one of ours
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return origin == "" || origin == "null" || same
	case "":
		return same
	}
	return false
}

func (d *desk) scheme() string {
	if d.secure {
		return "https"
	}
	return "http"
}

// formed reads a form, and refuses what is none, one that is too long, and one that was not made for
// this session; nil for no session.
func formed(w http.ResponseWriter, r *http.Request, s *session) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return refuse(http.StatusUnsupportedMediaType, "This is not a form of the desk. Nothing was done.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, formBytes)
	if err := r.ParseForm(); err != nil {
		return refuse(http.StatusRequestEntityTooLarge, "The form is too long, or was cut off. Nothing was done.")
	}
	for _, values := range r.PostForm {
		if !utf8.ValidString(strings.Join(values, "")) { // no export could say it
			return refuse(http.StatusBadRequest, "This form is not written in UTF-8. Nothing was done.")
		}
	}
	if s != nil && !s.is(r.PostFormValue("form")) {
		return refuse(http.StatusForbidden, "This form is of another login. Nothing was done: open the page again.")
	}
	return nil
}
