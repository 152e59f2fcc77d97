// Package password stores passwords so that no one can read them from what is stored: argon2id, with
// a salt for each password, written as a PHC string.
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

// Least is the shortest password in characters; most is the longest in bytes.
const (
	Least = 12
	most  = 1024 // bytes
)

// The cost of one hash: 19 MiB and two passes, the minimum for argon2id in OWASP's
// password storage cheat sheet.
const (
	memory   = 19 * 1024 // KiB
	passes   = 2
	lanes    = 1
	keyBytes = 32
	atOnce   = 2 // so that many logins use no more memory than two
)

// ErrShort means that a password has fewer characters than Least, or more bytes than most.
var ErrShort = fmt.Errorf("a password has at least %d characters, and at most %d", Least, most)

// errNotKept means that what is stored was not written by this Keeper.
var errNotKept = errors.New("what is kept of the password cannot be read")

// Keeper hashes passwords, at most atOnce at a time. It may be used from several goroutines.
type Keeper struct {
	slots  chan struct{}
	memory uint32 // KiB
	head   string // begins everything that it stores
	dummy  string
}

// NewKeeper returns a Keeper.
func NewKeeper() *Keeper { return keeper(memory) }

// NewTestKeeper returns a Keeper for tests: its hashes are cheap to compute, and no other Keeper accepts them.
func NewTestKeeper() *Keeper { return keeper(64) }

func keeper(memory uint32) *Keeper {
	k := &Keeper{slots: make(chan struct{}, atOnce), memory: memory, head: fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, memory, passes, lanes)}
	k.dummy = k.written(make([]byte, 16), make([]byte, keyBytes))
	return k
}

// Keep returns what to store of a password. ErrShort if the length is not allowed.
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

// Is reports whether the password is the stored one. If nothing is stored, it returns
// false after the same work.
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
