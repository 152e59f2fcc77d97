package config

import (
	"cmp"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Template is the payrun.toml that init writes: complete, with the accounts of
// the sandbox, so that a newcomer can rehearse at once.
//
//go:embed payrun.toml
var Template string

// SandboxAddr is where Template expects the sandbox.
const SandboxAddr = "127.0.0.1:8650"

// Rehearsal is Template for a sandbox of one's own at addr, which is asked as
// fast as it answers.
func Rehearsal(addr string) string {
	return strings.NewReplacer(
		"http://"+SandboxAddr, "http://"+addr,
		"requests_per_second = 5 ", "requests_per_second = 1000 ",
		`first         = "5s"`, `first         = "1ms"`,
	).Replace(Template)
}

// Write finds the configuration, or writes Template where it would be read.
func Write(from Sources) (path string, wrote bool, err error) {
	path = cmp.Or(from.Config, from.Getenv("PAYRUN_CONFIG"))
	if path == "" {
		if path, err = from.find(); path != "" || err != nil {
			return path, false, err
		}
		path = Name
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return path, false, nil
	}
	if err != nil {
		return path, false, wrong("the configuration %s cannot be written: %v", path, Reason(err)).because(err)
	}
	_, err = f.WriteString(Template)
	if err = errors.Join(err, f.Close()); err != nil {
		return path, false, errors.Join(err, os.Remove(path))
	}
	return path, true, nil
}
