package ledger

import (
	"fmt"
	"log/slog"
)

// Secret holds a key, an OTP or a transaction token. Printed, logged or encoded, it shows
// nothing. Only Reveal returns it, and only code that writes to the wire calls Reveal.
type Secret struct{ value string }

// NewSecret wraps s.
func NewSecret(s string) Secret { return Secret{s} }

// Reveal returns the secret. Call it only to write to the wire.
func (s Secret) Reveal() string { return s.value }

// Empty reports whether the secret is empty.
func (s Secret) Empty() bool { return s.value == "" }

const redacted = "[redacted]"

func (Secret) String() string               { return redacted }
func (Secret) Format(f fmt.State, _ rune)   { _, _ = f.Write([]byte(redacted)) }
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
func (Secret) LogValue() slog.Value         { return slog.StringValue(redacted) }
