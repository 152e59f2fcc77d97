package cli

import (
	"runtime/debug"
	"testing"
)

func TestTheVersionSaysItsCommit(t *testing.T) {
	built := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.time", Value: "2026-11-22T04:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	if got, want := commitWords(versionOf(built)), "commit 0123456789ab of 2026-11-22T04:00:00Z, with changes that are in no commit"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if v := versionOf(nil); commitWords(v) != "" || v.Version != "unknown" {
		t.Errorf("a build that recorded nothing: %+v", v)
	}
}
