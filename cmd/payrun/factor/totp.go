// Package factor checks second factors: the codes of an authenticator app, and passkeys. It stores nothing:
// callers store a text that begins with the kind of the factor.
package factor

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"time"

	"crypto/subtle"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

const (
	totpHead = "$totp$"
	step     = 30 * time.Second // how long the app shows a code
)

// TOTP is a new authenticator app, before its first code has proved that it works.
type TOTP struct {
	Stored string // what to store
	Secret string // of 160 bits, in groups of four, to be typed into an app
	Link   string // opens an app
}

// NewTOTP returns a new app for a person at a desk.
func NewTOTP(desk, person string) (TOTP, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "payrun " + desk, AccountName: person})
	if err != nil {
		return TOTP{}, err
	}
	var groups []string
	for group := range slices.Chunk([]byte(key.Secret()), 4) {
		groups = append(groups, string(group))
	}
	return TOTP{totpHead + key.Secret(), strings.Join(groups, " "), key.URL()}, nil
}

// QR returns a PNG of the link, for an app to scan.
func (t TOTP) QR() ([]byte, error) {
	key, err := otp.NewKeyFromURL(t.Link)
	if err != nil {
		return nil, err
	}
	img, err := key.Image(240, 240)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = png.Encode(&b, img)
	return b.Bytes(), err
}

// CodeIs reports whether the app shows a code now, or showed it in the step before, and returns
// that step of 30 seconds. A code of step number after, or of an earlier one, is used up.
func CodeIs(kept, code string, now time.Time, after int64) (used int64, is bool) {
	secret, ok := strings.CutPrefix(kept, totpHead)
	if !ok || secret == "" { // an import brings none, and an empty secret would have codes too
		return 0, false
	}
	code = strings.Join(strings.Fields(code), "")
	for at := now; now.Sub(at) <= step; at = at.Add(-step) {
		want, err := totp.GenerateCode(secret, at)
		if n := at.Unix() / int64(step.Seconds()); err == nil && n > after && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return n, true
		}
	}
	return 0, false
}
