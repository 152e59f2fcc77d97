package config

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"payrun/ledger"
)

// Keys reads the two keys from the environment, or from files that only their owner can use. A flag
// never has a key as its value.
func (s Settings) Keys(getenv func(name string) string) (access, secret ledger.Secret, err error) {
	access, err = s.key(getenv, "access", "PAYRUN_ACCESS_KEY", s.InFolder(s.Credentials.AccessKeyFile))
	if err != nil {
		return access, secret, err
	}
	secret, err = s.key(getenv, "secret", "PAYRUN_SECRET_KEY", s.InFolder(s.Credentials.SecretKeyFile))
	return access, secret, err
}

func (s Settings) key(getenv func(string) string, which, variable, configured string) (ledger.Secret, error) {
	if v := getenv(variable); v != "" {
		return ledger.NewSecret(strings.TrimSpace(v)), nil
	}
	path := cmp.Or(getenv(variable+"_FILE"), configured)
	if path == "" {
		return ledger.Secret{}, noKey("the %s key is missing", which).
			hint("set %s or %s_FILE, or %s_key_file under [credentials] in payrun.toml", variable, variable, which)
	}
	key, err := s.readKey(path)
	if wordless(err) {
		err = noKey("the %s key cannot be read from %s: %v", which, path, Reason(err)).because(err)
	}
	return key, err
}

// maxKey is the longest key file in bytes: a longer file holds no key.
const maxKey = 4 << 10

// readKey reads one key from a file that only this user can use.
func (s Settings) readKey(path string) (ledger.Secret, error) {
	text, mode, err := s.readOurs("the key file", path, maxKey+1)
	if err != nil {
		return ledger.Secret{}, err
	}
	if mode.Perm()&^fs.FileMode(0o600) != 0 {
		return ledger.Secret{}, wrong("the key file %s may be used by others (mode %04o)", path, mode.Perm()).hint("chmod 600 %s", path)
	}
	key := strings.TrimSpace(string(text))
	if key == "" || len(text) > maxKey {
		return ledger.Secret{}, noKey("the key file %s holds no key", path)
	}
	return ledger.NewSecret(key), nil
}

// readOurs reads the beginning of a regular file that passes Ours.
func (s Settings) readOurs(what, path string, most int64) ([]byte, fs.FileMode, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // do not wait on a FIFO
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := s.Ours(what, f)
	if err == nil && !info.Mode().IsRegular() {
		err = wrong("%s %s is not a regular file", what, path)
	}
	if err != nil {
		return nil, 0, err
	}
	text, err := io.ReadAll(io.LimitReader(f, most))
	return text, info.Mode(), err
}

// noKey returns the error for a missing key.
func noKey(format string, args ...any) *Error {
	e := wrong(format, args...)
	e.Keys = true
	return e
}
