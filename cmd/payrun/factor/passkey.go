package factor

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"crypto/sha256"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

const passkeyHead = "$passkey$"

// Site is where a passkey works: the host name of the desk, and the origin of its pages. No
// passkey works for the zero Site.
type Site struct{ Name, Origin string }

// Challenge is what a browser was asked to sign. It is valid for one answer.
type Challenge struct{ session *webauthn.SessionData }

// passkey is what is stored of a passkey.
type passkey struct {
	Site       string              `json:"site"`
	Credential webauthn.Credential `json:"credential"`
}

// holder is a person and their passkeys for one site.
type holder struct {
	name, shown string
	keys        []webauthn.Credential
}

func (h holder) WebAuthnID() []byte                         { id := sha256.Sum256([]byte("payrun " + h.name)); return id[:] }
func (h holder) WebAuthnName() string                       { return h.name }
func (h holder) WebAuthnDisplayName() string                { return h.shown }
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

func holderOf(site Site, name, shown string, kept []string) holder {
	h := holder{name: name, shown: shown}
	for _, k := range kept {
		var p passkey
		if text, ok := strings.CutPrefix(k, passkeyHead); ok && json.Unmarshal([]byte(text), &p) == nil && p.Site == site.Name {
			h.keys = append(h.keys, p.Credential)
		}
	}
	return h
}

func (s Site) party() (*webauthn.WebAuthn, error) {
	limit := webauthn.TimeoutConfig{Enforce: true, Timeout: 5 * time.Minute, TimeoutUVD: 5 * time.Minute}
	return webauthn.New(&webauthn.Config{RPID: s.Name, RPDisplayName: "payrun", RPOrigins: []string{s.Origin},
		Timeouts: webauthn.TimeoutsConfig{Login: limit, Registration: limit}})
}

// ErrNoPasskey: a person has no passkey for this site, or the answer is not from one of theirs.
var ErrNoPasskey = errors.New("there is no such passkey for this address of the desk")

// NewPasskey asks a browser to create a passkey for a person. options is JSON for its script.
func NewPasskey(site Site, name, shown string, kept []string) (options string, c Challenge, err error) {
	party, err := site.party()
	if err != nil {
		return "", c, err
	}
	h := holderOf(site, name, shown, kept)
	made, session, err := party.BeginRegistration(h, webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred}))
	if err != nil {
		return "", c, err
	}
	text, err := json.Marshal(made)
	return string(text), Challenge{session}, err
}

// KeepPasskey returns what to store of the passkey that a browser created.
func KeepPasskey(site Site, name, shown string, c Challenge, answer string) (string, error) {
	party, err := site.party()
	if err != nil || c.session == nil {
		return "", errors.Join(ErrNoPasskey, err)
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return "", errors.Join(ErrNoPasskey, err)
	}
	made, err := party.CreateCredential(holderOf(site, name, shown, nil), *c.session, parsed)
	if err != nil {
		return "", errors.Join(ErrNoPasskey, err)
	}
	made.Attestation = webauthn.CredentialAttestation{} // the maker of the device does not matter
	text, err := json.Marshal(passkey{site.Name, *made})
	return passkeyHead + string(text), err
}

// AskPasskey asks a browser for one of the stored passkeys; ErrNoPasskey if none works for
// the site. options is JSON for its script.
func AskPasskey(site Site, name string, kept []string) (options string, c Challenge, err error) {
	h := holderOf(site, name, name, kept)
	party, err := site.party()
	if len(h.keys) == 0 || err != nil {
		return "", c, errors.Join(ErrNoPasskey, err)
	}
	asked, session, err := party.BeginLogin(h, webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return "", c, err
	}
	text, err := json.Marshal(asked)
	return string(text), Challenge{session}, err
}

// PasskeyIs returns nil if the answer is signed by one of the stored passkeys.
func PasskeyIs(site Site, name string, kept []string, c Challenge, answer string) error {
	party, err := site.party()
	if err != nil || c.session == nil {
		return errors.Join(ErrNoPasskey, err)
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err == nil {
		_, err = party.ValidateLogin(holderOf(site, name, name, kept), *c.session, parsed)
	}
	if err != nil {
		return errors.Join(ErrNoPasskey, err)
	}
	return nil
}
