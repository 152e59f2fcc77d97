package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"payrun/ledger"
)

func TestPlainLeavesNothingATerminalActsOn(t *testing.T) {
	for in, want := range map[string]string{
		"":             "",
		"Asha Traders": "Asha Traders",
		"आशा ट्रेडर्स ₹ ज्ञ":   "आशा ट्रेडर्स ₹ ज्ञ",
		"क्\u200dष \u200c":     "क्\u200dष \u200c", // joiners are spelling
		"a\x1b[31mb":           `a\x1b[31mb`,
		"a\u202eb":             `a\u202eb`,
		"a\u009bb":             `a\u009bb`,
		"a\x00b\x7f":           `a\x00b\x7f`,
		"a\u2066b\u2069":       `a\u2066b\u2069`,
		"a\ufeffb\u200b":       `a\ufeffb\u200b`,
		"one\ntwo\r\nthree\tf": "one two  three f",
		"bad \xff bytes":       `bad \ufffd bytes`,
		"line\u2028sep\u2029":  `line\u2028sep\u2029`,
		"\U000e0041 tag":       `\U000e0041 tag`,
	} {
		if got := plain(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestJSONLinesAreTheSameValueWithoutControls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\u202e", "\u009b", "\U000e0041", "\x7f", "<&>"}).Draw(t, "more")
		line, err := jsonLine(map[string]string{"v": text})
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexFunc(line, unprintable); i >= 0 && !strings.Contains(text, "\ufffd") {
			t.Fatalf("%q shows an unprintable at %d", line, i)
		}
		var back map[string]string
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if back["v"] != text {
			t.Fatalf("%q came back as %q", text, back["v"])
		}
	})
}

func TestALongDocumentIsOneLineOfJSON(t *testing.T) {
	var out bytes.Buffer
	doc := newLongDocument(&out)
	doc.field("schema", "x/v1")
	list(doc, "none", slices.Values([]int{}))
	list(doc, "some", slices.Values([]int{1, 2}))
	doc.object("inner", func(d *longDocument) { d.field("a", ledger.Paise(5)) })
	if err := doc.end(); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":"x/v1","none":[],"some":[1,2],"inner":{"a":"0.05"}}` + "\n"
	if out.String() != want {
		t.Errorf("got  %s want %s", out.String(), want)
	}
	doc = newLongDocument(&out)
	doc.field("x", math.NaN())
	if doc.end() == nil {
		t.Error("a value that is no JSON was written without a word")
	}
}

// failing fails every write, once it is told to.
type failing struct {
	bytes.Buffer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Buffer.Write(p)
}

func TestAnOutputThatWentAwayStopsNothing(t *testing.T) {
	w := &failing{}
	s := &stream{w: w}
	if _, err := s.Write([]byte("one")); err != nil || s.gone() {
		t.Fatal("a write that worked is reported as failed")
	}
	w.err = syscall.EPIPE
	if n, err := s.Write([]byte("two")); n != 3 || err != nil {
		t.Errorf("the writer was told: %d, %v", n, err)
	}
	w.err = nil
	_, _ = s.Write([]byte("three"))
	if !s.gone() || !s.closed() || w.String() != "one" {
		t.Errorf("after the first failure nothing is written: %q", w.String())
	}
}

func TestAFullDiskUnderTheOutputIsAFailure(t *testing.T) {
	for err, want := range map[error]int{syscall.ENOSPC: exitFailed, syscall.EPIPE: exitDone} {
		out := &failing{err: err}
		w := World{Stdout: out, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }}
		if got := newApp(w).main(t.Context(), []string{"payrun", "version"}); got != want {
			t.Errorf("%v: exit %d, want %d", err, got, want)
		}
	}
}
