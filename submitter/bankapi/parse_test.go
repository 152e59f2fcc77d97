package bankapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func TestParse(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, text string
		want       any
		refused    bool
	}{
		{name: "an object", text: ` {"a":[1,"x",true,null,{}],"A":1.50} `, want: map[string]any{
			"a": []any{json.Number("1"), "x", true, nil, map[string]any{}}, "A": json.Number("1.50"),
		}},
		{name: "a string alone", text: `"x"`, want: "x"},
		{name: "null alone", text: `null`},
		{name: "nothing", text: ``, refused: true},
		{name: "white space", text: " \n", refused: true},
		{name: "two values", text: `{} {}`, refused: true},
		{name: "a value and a bracket", text: `{}]`, refused: true},
		{name: "a comma too many", text: `[1,]`, refused: true},
		{name: "a comma missing", text: `[1 2]`, refused: true},
		{name: "a key without a colon", text: `{"a" 1}`, refused: true},
		{name: "a key that is no string", text: `{1:1}`, refused: true},
		{name: "cut off", text: `{"a":[1`, refused: true},
		{name: "a repeated key", text: `{"a":1,"a":1}`, refused: true},
		{name: "a repeated key far below", text: `[[{"b":{"a":1,"c":[],"a":1}}]]`, refused: true},
		{name: "a key repeated by escapes", text: `{"a":1,"\u0061":2}`, refused: true},
		{name: "the same key in two objects", text: `[{"a":1},{"a":2}]`, want: []any{map[string]any{"a": json.Number("1")}, map[string]any{"a": json.Number("2")}}},
		{name: "not UTF-8", text: "\"\xff\"", refused: true},
		{name: "NUL is written out", text: `"a\u0000\ud800"`, want: `a\u0000` + "\ufffd"},
		{name: "NaN", text: `NaN`, refused: true},
		{name: "a comment", text: `{} // x`, refused: true},
		{name: "one level too deep", text: nested(maxDepth + 1), refused: true},
		{name: "very deep", text: nested(100_000), refused: true},
		{name: "very deep and never closed", text: strings.Repeat(`{"a":`, 100_000), refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse([]byte(tt.text))
			if (err != nil) != tt.refused {
				t.Fatalf("got %v, %v", got, err)
			}
			same(t, tt.want, got)
		})
	}
}

func TestParseLimits(t *testing.T) {
	values := func(n int) []byte { return []byte("[" + strings.Repeat("0,", n-2) + "0]") } // n, with the array itself
	tests := []struct {
		name string
		text []byte
		ok   bool
	}{
		{"as deep as may be", []byte(strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)), true},
		{"as many values as may be", values(maxValues), true},
		{"a value more", values(maxValues + 1), false},
		{"as long as may be", append([]byte("{}"), bytes.Repeat([]byte(" "), maxAnswerBytes-2)...), true},
		{"a byte more", append([]byte("{}"), bytes.Repeat([]byte(" "), maxAnswerBytes-1)...), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parse(tt.text); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDecodeSaysWhere(t *testing.T) {
	const batch = `{"bank_account_id":"a","merchant_transfer_batch_id":"b","payouts":`
	tests := []struct{ text, want string }{
		{`[]`, "it is an array where an object belongs"},
		{`null`, "it is null where an object belongs"},
		{`{}`, "bank_account_id is not there"},
		{`{"bank_account_id":"a","merchant_transfer_batch_id":"b","payouts":[],"open_batch_id":7}`, "open_batch_id is a number where a string belongs"},
		{batch + `[{"merchant_txn_ref_id":"r"},{"merchant_txn_ref_id":"s","remarks":true}]}`, "payouts[1].remarks is true or false where a string belongs"},
		{batch + `[[]]}`, "payouts[0] is an array where an object belongs"},
		{batch + `{}}`, "payouts is an object where an array belongs"},
	}
	for _, tt := range tests {
		var batch TransferBatch
		if err := Decode([]byte(tt.text), &batch); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.text, err, tt.want)
		}
	}
	for _, number := range []string{`12.0`, `1e1`, `99999999999999999999`, `"12"`, `true`} {
		text := fmt.Sprintf(`{"status":"active","bank_account_id":"a","partner_bank_id":%s}`, number)
		if err := Decode([]byte(text), new(ledger.LinkedAccount)); err == nil || !strings.Contains(err.Error(), "partner_bank_id") {
			t.Errorf("partner_bank_id %s: got %v", number, err)
		}
	}
}

// FuzzParse: whatever is parsed is what encoding/json makes of it, but for NUL in a text,
// and what encoding/json refuses is refused.
func FuzzParse(f *testing.F) {
	nul := func(text string) string { return strings.ReplaceAll(text, "\x00", `\u0000`) }
	texts := cmp.Comparer(func(a, b string) bool { return nul(a) == nul(b) })
	for _, text := range []string{
		` { "a" : [ 1 , "x" , true , false , null , { } , [ ] ] , "b" : -1.50e+10 }`, "\t[\r\n0]\n", `"\u0061\ud83d\ude00\\\"\/\ud83d"`, `""`, `0`, `{"":{"":[]}}`, `{"a":1,"\u0061":2}`, `"a\u0000"`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parse(text)
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var want any
		wantErr := dec.Decode(&want)
		if _, more := dec.Token(); wantErr == nil && more != io.EOF {
			wantErr = errors.New("more than one value")
		}
		if wantErr != nil && err == nil {
			t.Fatalf("%q is %v, and encoding/json refuses it: %v", text, got, wantErr)
		}
		if d := cmp.Diff(want, got, texts); err == nil && d != "" {
			t.Errorf("%q (-encoding/json +parse):\n%s", text, d)
		}
	})
}

// FuzzEnvelope feeds the judge of answers. Whatever comes, under whatever HTTP
// status: success is only what the interface calls success, read the same by
// encoding/json; and a refusal is only a 400 or a 401.
func FuzzEnvelope(f *testing.F) {
	fixtures, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(fixtures) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, path := range fixtures {
		body, err := os.ReadFile(path)
		must(f, err)
		for _, status := range []int{200, 202, 400, 401, 500} {
			f.Add(status, body)
		}
		f.Add(200, append(body, body...))
		f.Add(200, bytes.ToUpper(body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		batch, _, callErr := answerOf[TransferBatch](reply{sent: true, status: status, body: body}, "initiate")
		if callErr != nil {
			switch {
			case callErr.Outcome == ledger.Rejected && (status == 400 || status == 401):
			case callErr.Outcome == ledger.Unknown && status != 401:
			default:
				t.Fatalf("HTTP %d is %v", status, callErr)
			}
			return
		}
		if status != 200 {
			t.Fatalf("HTTP %d was taken for success", status)
		}
		var fields map[string]json.RawMessage // exact keys, unlike a struct
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatalf("encoding/json cannot read it: %v", err)
		}
		var said string
		if err := json.Unmarshal(fields["status"], &said); err != nil || said != EnvelopeSuccess {
			t.Fatalf("status %s was taken for success", fields["status"])
		}
		if e := fields["error"]; e != nil && string(e) != "null" {
			t.Fatalf("error %s was taken for success", e)
		}
		observations := answer(batch).Payouts
		if len(observations) != len(batch.Payouts) {
			t.Fatal("payouts were lost")
		}
		for i, o := range observations {
			text, _ := batch.Payouts[i].Amount.(string)
			if o.HasAmount && strings.TrimLeft(text, "0") != strings.TrimLeft(o.Amount.String(), "0") {
				t.Fatalf("amount %v became %s", batch.Payouts[i].Amount, o.Amount)
			}
		}
	})
}
