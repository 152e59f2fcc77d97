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
		name: "version", group: groupOther,
		brief:    "show the version",
		examples: []string{"payrun version", "payrun version --json"},
		run:      func(context.Context, *urfave.Context) error { return p.version() },
	}
}

// version tells what the build recorded of itself.
func (p *program) version() error {
	built, _ := debug.ReadBuildInfo()
	v := versionOf(built)
	if p.term.JSON {
		return p.document("payrun.version/v1", v)
	}
	p.term.Resultf("payrun %s (%s)", v.Version, strings.TrimPrefix(commitWords(v)+"; "+v.Go, "; "))
	return nil
}

// versionOf reads what a build recorded; nil where it recorded nothing.
func versionOf(built *debug.BuildInfo) doc.Version {
	v := doc.Version{Version: "unknown", Go: runtime.Version()}
	if built == nil {
		return v
	}
	v.Version = built.Main.Version
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

// commitWords names the commit for people; "" where the build knows none.
func commitWords(v doc.Version) string {
	const short = 12
	if v.Revision == "" {
		return ""
	}
	words := "commit " + v.Revision[:min(short, len(v.Revision))]
	if v.CommittedAt != "" {
		words += " of " + v.CommittedAt
	}
	if v.Modified {
		words += ", with changes that are in no commit"
	}
	return words
}
