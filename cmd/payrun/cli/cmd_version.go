package cli

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
)

func (p *program) versionCommand() command {
	return command{
		name:     "version",
		brief:    "show the version",
		examples: []string{"payrun version", "payrun version --json"},
		run:      func(context.Context, *urfave.Context) error { return p.version() },
	}
}

// release is the newest version that CHANGELOG.md describes.
const release = "1.0"

// stamp is "COMMIT DATE" of a build that does not read its repository (-buildvcs=false), so that the same
// source gives the same program in every folder. The linker sets it: -ldflags "-X
// 'payrun/cmd/payrun/cli.stamp=$(git log -1 --format='%H %cI')'".
var stamp string

// version prints the version and what the build recorded about itself.
func (p *program) version() error {
	built, _ := debug.ReadBuildInfo()
	v := versionOf(built, stamp)
	p.term.Resultf("payrun %s (%s; %s)", v.Version, commitWords(v), v.Go)
	return p.document("payrun.version/v1", v)
}

// versionOf returns what a build recorded: its repository's commit, or else its stamp. built is nil if it
// recorded nothing.
func versionOf(built *debug.BuildInfo, stamp string) doc.Version {
	v := doc.Version{Version: release, Go: runtime.Version()}
	v.Revision, v.CommittedAt, _ = strings.Cut(stamp, " ")
	if built == nil {
		return v
	}
	for _, s := range built.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.CommittedAt = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// commitWords names the commit in words.
func commitWords(v doc.Version) string {
	const short = 12
	if v.Revision == "" {
		return "commit unknown"
	}
	return "commit " + v.Revision[:min(short, len(v.Revision))] + " of " + v.CommittedAt + either(v.Modified, ", with changes that are in no commit", "")
}
