// Package password stores passwords so that a reader of what is stored cannot learn them: argon2id,
// each with a salt of its own, written as a PHC string.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Least is how many characters a password has; most is where reading it ends.
const (
	Least = 12
	most  = 1024 // bytes
)

// cost is what one hash takes: 19 MiB and two passes, the least that OWASP's
// password storage cheat sheet gives for argon2id.
const (
	memory   = 19 * 1024 // KiB
	passes   = 2
	lanes    = 1
	keyBytes = 32
	atOnce   = 2 // so that many logins at once take no more memory than two
)

// ErrShort: a password of fewer characters than Least, or one too long to read.
var ErrShort = fmt.Errorf("a password has at least %d characters", Least)

// errNotKept: what is kept is not of this package.
var errNotKept = errors.New("what is kept of the password cannot be read")

// Keeper hashes passwords, a few at once. It may be used from several goroutines.
type Keeper struct {
	slots  chan struct{}
	memory uint32 // KiB
	head   string // of what it keeps
	dummy  string
}

// NewKeeper returns a Keeper.
func NewKeeper() *Keeper { return keeper(memory) }

// NewTestKeeper returns one for tests: its hashes are cheap to make, and no other Keeper
// reads them.
func NewTestKeeper() *Keeper { return keeper(64) }

func keeper(memory uint32) *Keeper {
	k := &Keeper{slots: make(chan struct{}, atOnce), memory: memory, head: fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, memory, passes, lanes)}
	k.dummy = k.written(make([]byte, 16), make([]byte, keyBytes))
	return k
}

// Keep returns what to keep of a password. ErrShort where it is no password.
func (k *Keeper) Keep(ctx context.Context, password string) (string, error) {
	if utf8.RuneCountInString(password) < Least || len(password) > most {
		return "", ErrShort
	}
	salt := make([]byte, 16)
	rand.Read(salt) //nolint:errcheck // it never fails
	key, err := k.hash(ctx, password, salt)
	if err != nil {
		return "", err
	}
	return k.written(salt, key), nil
}

// Is reports whether the password is the one that was kept. Where nothing is kept
// it is not, and to find that out takes as long.
func (k *Keeper) Is(ctx context.Context, password, kept string) (bool, error) {
	known := kept != ""
	if !known {
		kept = k.dummy
	}
	salt, want, err := k.read(kept)
	if err != nil {
		return false, err
	}
	if len(password) > most {
		password = ""
	}
	key, err := k.hash(ctx, password, salt)
	return err == nil && subtle.ConstantTimeCompare(key, want) == 1 && known, err
}

func (k *Keeper) hash(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
		return argon2.IDKey([]byte(password), salt, passes, k.memory, lanes, keyBytes), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (k *Keeper) written(salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return k.head + b64.EncodeToString(salt) + "$" + b64.EncodeToString(key)
}

func (k *Keeper) read(kept string) (salt, key []byte, err error) {
	rest, ok := strings.CutPrefix(kept, k.head)
	first, second, ok2 := strings.Cut(rest, "$")
	if !ok || !ok2 {
		return nil, nil, errNotKept
	}
	b64 := base64.RawStdEncoding
	salt, err1 := b64.DecodeString(first)
	key, err2 := b64.DecodeString(second)
	if err1 != nil || err2 != nil || len(key) != keyBytes {
		return nil, nil, errNotKept
	}
	return salt, key, nil
}
