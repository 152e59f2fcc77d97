package config

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"payrun/ledger"
)

// Keys reads the two keys from the environment, or from files that only their owner can read. They are
// never a flag's value.
func (s Settings) Keys(getenv func(name string) string) (access, secret ledger.Secret, err error) {
	access, err = s.key(getenv, "access", "PAYRUN_ACCESS_KEY", s.Beside(s.Credentials.AccessKeyFile))
	if err != nil {
		return access, secret, err
	}
	secret, err = s.key(getenv, "secret", "PAYRUN_SECRET_KEY", s.Beside(s.Credentials.SecretKeyFile))
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
	if f, ok := errors.AsType[*Error](err); ok {
		return key, f
	}
	if err != nil {
		return key, noKey("the %s key cannot be read from %s: %v", which, path, Reason(err)).because(err)
	}
	return key, nil
}

// maxKey bounds a key file: something longer is not a key.
const maxKey = 4 << 10

// readKey reads one key from a regular file of ours that only its owner can read. It checks the open
// file, so that the file cannot be exchanged meanwhile.
func (s Settings) readKey(path string) (ledger.Secret, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not make us wait
	if err != nil {
		return ledger.Secret{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ledger.Secret{}, err
	}
	if !info.Mode().IsRegular() {
		return ledger.Secret{}, wrong("the key file %s is not a regular file", path)
	}
	if err := s.Ours("the key file", path, info); err != nil {
		return ledger.Secret{}, err
	}
	if open := info.Mode().Perm() &^ fs.FileMode(0o600); open != 0 {
		return ledger.Secret{}, wrong("the key file %s may be used by others (mode %04o)", path, info.Mode().Perm()).hint("chmod 600 %s", path)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	if err != nil {
		return ledger.Secret{}, err
	}
	key := strings.TrimSpace(string(b))
	if key == "" || len(b) > maxKey {
		return ledger.Secret{}, noKey("the key file %s holds no key", path)
	}
	return ledger.NewSecret(key), nil
}

// noKey is the failure of a key that is not there.
func noKey(format string, args ...any) *Error {
	e := wrong(format, args...)
	e.Keys = true
	return e
}
