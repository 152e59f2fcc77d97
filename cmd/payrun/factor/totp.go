// Package factor checks second factors: the codes of an authenticator app, and passkeys. It stores nothing:
// callers store a text that begins with the kind of the factor.
package factor

import (
	"bytes"
	"encoding/base32"
	"image/png"
	"slices"
	"strings"
	"time"

	"crypto/rand"
	"crypto/subtle"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

const (
	totpHead = "$totp$"
	step     = 30 * time.Second // how long the app shows a code
)

// NewTOTP returns what to store for a new app: a secret of 160 bits.
func NewTOTP() string {
	b := make([]byte, 20)
	rand.Read(b) //nolint:errcheck // it never fails
	return totpHead + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b)
}

// TOTPSecret returns the stored secret in groups of four, to be typed into an app.
func TOTPSecret(kept string) string {
	var groups []string
	for group := range slices.Chunk([]byte(strings.TrimPrefix(kept, totpHead)), 4) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, " ")
}

// TOTPLink returns the address that an app opens, for a person at a desk.
func TOTPLink(kept, desk, person string) (string, error) {
	secret, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimPrefix(kept, totpHead)) // NewTOTP made it
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "payrun " + desk, AccountName: person, Secret: secret})
	if err != nil {
		return "", err
	}
	return key.URL(), nil
}

// QR returns a PNG of a link, for an app to scan.
func QR(link string) ([]byte, error) {
	key, err := otp.NewKeyFromURL(link)
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
