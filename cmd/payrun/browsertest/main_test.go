//go:build unix

package browsertest

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	_ "payrun/cmd/payrun/cli" // a change of the program is a change of this test: nothing is taken from the cache
)

var (
	asked    = flag.Bool("browser", false, "run the tests of this package, in Chromium")
	every    = flag.Bool("every-look", false, "hold each page against axe-core in all of three looks, and not in one of them in turn")
	pictures = flag.String("pictures", "", "a folder for a picture of every page at 390 and 1280 pixels, and for how it prints")
	forDocs  = flag.Bool("docs", false, "write the pictures of docs/pictures")
)

// payrun is the program under test, built once by TestMain.
var payrun string

// chromium is the one browser of all tests; each person has a profile of their own in it.
var chromium context.Context

//go:embed testdata/axe/axe.min.js
var axeCore string

func TestMain(m *testing.M) {
	// The tests wait for pages far more than they compute.
	if err := flag.Set("test.parallel", "5"); err != nil {
		panic(err) // the flag is the test runner's own
	}
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	if !*asked && *pictures == "" && !*forDocs {
		return m.Run() // every test is skipped
	}
	browser := findChromium(append([]string{"chromium-headless-shell"}, chromiums...)...) // the shell takes half the time
	if browser == "" {
		fmt.Fprintln(os.Stderr, "there is no Chromium on this machine, and -browser asks for it")
		return 1
	}
	dir, err := os.MkdirTemp("", "payrun-browsertest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if *pictures != "" {
		if err := os.MkdirAll(*pictures, 0o700); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	payrun = filepath.Join(dir, "payrun")
	build := exec.Command("go", "build", "-o", payrun, "payrun/cmd/payrun")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the program:", err)
		return 1
	}
	alloc, end := browserAt(context.Background(), browser, filepath.Join(dir, "profile"))
	defer end()
	ctx, end := chromedp.NewContext(alloc)
	defer end()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "starting Chromium:", err)
		return 1
	}
	chromium = ctx
	return m.Run()
}

// browserAt is for a Chromium whose profile lies in a folder.
func browserAt(ctx context.Context, browser, profile string) (context.Context, context.CancelFunc) {
	return chromedp.NewExecAllocator(ctx,
		chromedp.ExecPath(browser), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("user-data-dir", profile), chromedp.CombinedOutput(nil))
}

// chromiums keep a profile as people's browsers do.
var chromiums = []string{"chromium", "chromium-browser", "google-chrome"}

// findChromium returns the path of the first program that this machine has, "" for none.
func findChromium(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// needsChromium skips a test where no one asked for a browser.
func needsChromium(t *testing.T) {
	t.Helper()
	if chromium == nil {
		t.Skip("this is done with -browser")
	}
}
