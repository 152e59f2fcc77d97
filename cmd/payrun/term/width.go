package term

import (
	"os"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	xterm "golang.org/x/term"
)

// Width is that of the screen, in columns: the terminal's, or COLUMNS where there
// is none. 0 where nothing limits a line.
func (t *Terminal) Width() int {
	for _, s := range []*Stream{t.Out, t.Err} {
		if f, ok := s.w.(*os.File); ok {
			if width, _, err := xterm.GetSize(int(f.Fd())); err == nil && width > 0 {
				return width
			}
		}
	}
	width, err := strconv.Atoi(t.getenv("COLUMNS"))
	if err != nil || width < 0 {
		return 0
	}
	return width
}

// Cut shortens s to so many columns, and says so.
func Cut(s string, width int) string {
	if text.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	return strings.TrimRight(text.Trim(s, width-1), " ") + "…"
}
