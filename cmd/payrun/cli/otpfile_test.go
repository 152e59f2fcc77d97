package cli

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestOTPFilesThatAreNotWhatTheyMustBe(t *testing.T) {
	const header = "merchant_transfer_batch_id,otp,transaction_token,bene_lei\n"
	for name, c := range map[string]struct {
		text string
		want string // of the error; "" for none
	}{
		"all columns":           {header + "a,123456,tok,\n", ""},
		"two columns":           {"merchant_transfer_batch_id,otp\na,123456\n", ""},
		"other order":           {"otp,merchant_transfer_batch_id\n123456,a\n", ""},
		"byte order mark":       {"\ufeff" + header + "a,123456,,\n", ""},
		"header only":           {header, ""},
		"empty":                 {"", "it is empty"},
		"no header":             {"a,123456\n", "the column merchant_transfer_batch_id is missing"},
		"semicolons":            {strings.ReplaceAll(header, ",", ";") + "a;123456;;\n", "separator"},
		"unknown column":        {"merchant_transfer_batch_id,otp,pin\na,123456,1\n", "unknown column"},
		"column twice":          {"merchant_transfer_batch_id,otp,otp\na,123456,654321\n", "appears twice"},
		"batch twice":           {header + "a,123456,,\na,654321,,\n", "entry 2 names a batch that another one named"},
		"columns exchanged":     {header + "123456,a,,\n", "entry 1 names no batch: it has digits alone, as an OTP does"},
		"no batch":              {header + ",123456,,\n", "entry 1 names no batch"},
		"short row":             {header + "a,123456\n", "line 2"},
		"stray quote":           {header + "a,12\"3456,,\n", "line 2"},
		"LEI with wrong digits": {header + "a,123456,t,12345678901234567890\n", "not a valid LEI"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseOTPs(strings.NewReader(c.text))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			case err != nil && (strings.Contains(err.Error(), "123456") || strings.Contains(err.Error(), "654321")):
				t.Errorf("the error shows an OTP: %v", err)
			}
		})
	}
	if _, err := parseOTPs(io.MultiReader(strings.NewReader(header), iotest.ErrReader(errors.New("broken")))); err == nil {
		t.Error("an input that breaks off was read as if whole")
	}
}

// Whatever an OTP file holds: it is read whole, each batch once, or refused in
// words that show none of its values.
func FuzzOTPFile(f *testing.F) {
	const header = "merchant_transfer_batch_id,otp,transaction_token,bene_lei\n"
	for _, text := range []string{
		"", header, header + "prabc,123456,tok,\n", header + "prabc,123456\n", "\ufeff" + header + "prabc,123456,,5493001KJTIIGC8Y1R12\n",
		header + "prabc,1\nprabc,2\n", "merchant_transfer_batch_id;otp\n", header + "\"prabc,123456", header + "123456,prabc\n", header + "prabc123456,,,x\n", "otp,merchant_transfer_batch_id\r\n123456, prabc \r\n",
	} {
		f.Add(text, "987654")
	}
	f.Fuzz(func(t *testing.T, text, otp string) {
		if len(otp) < 6 || strings.Trim(otp, "0123456789") != "" || strings.Contains(header+text, otp) {
			t.Skip()
		}
		for _, in := range []string{text, strings.ReplaceAll(text, "123456", otp), text + "\nprother," + otp} {
			entries, err := parseOTPs(strings.NewReader(in))
			if err != nil {
				if strings.Contains(err.Error(), otp) {
					t.Errorf("the error shows an OTP: %v", err)
				}
				continue
			}
			seen := map[string]bool{}
			for _, e := range entries {
				if e.BatchID == "" || seen[e.BatchID] {
					t.Errorf("batch %q is named twice, or not", e.BatchID)
				}
				seen[e.BatchID] = true
			}
		}
	})
}
