package ledger

import (
	"fmt"
	"log/slog"
)

// Secret holds a key, an OTP or a transaction token. However it is printed,
// logged or encoded it shows nothing; only Reveal gives it, and only the wire
// calls Reveal.
type Secret struct{ value string }

// NewSecret wraps s.
func NewSecret(s string) Secret { return Secret{s} }

// Reveal returns what the secret is. Call it where the wire is written.
func (s Secret) Reveal() string { return s.value }

// Empty reports whether there is nothing in it.
func (s Secret) Empty() bool { return s.value == "" }

const redacted = "[redacted]"

func (Secret) String() string               { return redacted }
func (Secret) GoString() string             { return redacted }
func (Secret) Format(f fmt.State, _ rune)   { _, _ = f.Write([]byte(redacted)) }
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
func (Secret) LogValue() slog.Value         { return slog.StringValue(redacted) }
