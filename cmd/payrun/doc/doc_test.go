package doc

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payrun/ledger"
)

func TestJSONLinesAreTheSameValueWithoutControls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\u202e", "\u009b", "\U000e0041", "\x7f", "<&>"}).Draw(t, "more")
		line, err := encode(map[string]string{"v": text})
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexFunc(line, ledger.Unprintable); i >= 0 && !strings.Contains(text, "\ufffd") {
			t.Fatalf("%q shows an ledger.Unprintable at %d", line, i)
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

func TestADocumentIsOneLineOfJSON(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, "x/v1", map[string]any{"none": List[int](nil), "some": List([]int{1, 2})}); err != nil {
		t.Fatal(err)
	}
	if want := `{"schema":"x/v1","none":[],"some":[1,2]}` + "\n"; out.String() != want {
		t.Errorf("got  %s want %s", out.String(), want)
	}
	if Write(&out, "x/v1", map[string]any{"x": math.NaN()}) == nil {
		t.Error("a value that is no JSON was written without a word")
	}
}
