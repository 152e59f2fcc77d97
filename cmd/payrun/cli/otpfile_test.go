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
