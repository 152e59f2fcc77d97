package cli

import (
	"context"
	"runtime"
	"runtime/debug"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
)

func (p *program) versionCommand() command {
	return command{
		name: "version", group: groupOther,
		brief:    "show the version",
		examples: []string{"payrun version", "payrun version --json"},
		run:      func(context.Context, *urfave.Context) error { return p.version() },
	}
}

// version tells what the build recorded of itself.
func (p *program) version() error {
	version, revision := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	if p.term.JSON {
		return p.document(doc.Version{Schema: "payrun.version/v1", Version: version, Revision: revision, Go: runtime.Version()})
	}
	p.term.Resultf("payrun %s (%s)", version, runtime.Version())
	return nil
}
