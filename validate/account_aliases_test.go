package validate

import (
	"fmt"
	"strings"
	"testing"
)

func TestOneAccountUnderSeveralNames(t *testing.T) {
	for _, tt := range []struct {
		first, second, ifsc string
		warned              bool
	}{
		{"Asha Traders", "Bhima Steels", "HDFC0001234", true},
		{"Asha Traders", "Bhima Steels", "HDFC0009999", true},  // another branch of the bank
		{"Asha Traders", "Bhima Steels", "SBIN0001234", false}, // another bank has the number too
		{"Asha Traders", "ASHA  TRADERS", "HDFC0001234", false},
		{"Asha Traders", "M/s. Asha Traders", "HDFC0001234", false},
		{"Asha Traders Pvt. Ltd.", "Asha Traders", "HDFC0001234", false},
		{"आशा ट्रेडर्स", "भीमा स्टील्स", "HDFC0001234", true},
	} {
		o := checkText(t, testOptions(), nil, header+"A-1,"+tt.first+",50200012345678,HDFC0001234,10.00\nA-2,"+tt.second+",50200012345678,"+tt.ifsc+",20.00\n")
		if warned := strings.Contains(fmt.Sprint(o.codes()), "3:vendor_name:"+codePayeeOtherName); warned != tt.warned || len(o.kept) != 2 {
			t.Errorf("%s, %s: %v", tt.first, tt.second, o.codes())
		}
		strict := testOptions()
		strict.Strict = true
		o = checkText(t, strict, nil, header+"A-1,"+tt.first+",50200012345678,HDFC0001234,10.00\nA-2,"+tt.second+",50200012345678,"+tt.ifsc+",20.00\n")
		if refused := len(o.kept) == 1; refused != tt.warned {
			t.Errorf("strict: %s, %s: %v", tt.first, tt.second, o.codes())
		}
	}
}
