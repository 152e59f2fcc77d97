package ifsc

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var kanjurmarg = ledger.Branch{IFSC: "HDFC0001234", Bank: "HDFC Bank", Branch: "KANJURMARG", City: "MUMBAI", State: "MAHARASHTRA"}

func TestABranchListIsReadInEveryShapeItIsPublishedIn(t *testing.T) {
	andheri := ledger.Branch{IFSC: "ICIC0004321", Bank: "ICICI Bank", Branch: "ANDHERI, EAST", City: "MUMBAI", State: "MAHARASHTRA"}
	for name, text := range map[string]string{
		"CSV": "BANK,IFSC,BRANCH,ADDRESS,CITY,STATE\nHDFC Bank,HDFC0001234,KANJURMARG,\"1, Road\nMumbai\",MUMBAI,MAHARASHTRA\n" +
			"ICICI Bank,ICIC0004321,\"ANDHERI, EAST\",,MUMBAI,MAHARASHTRA\n",
		"CSV with other header words": "\ufeffBank Name;IFSC Code;Branch Name;City Name;State;MICR\r\nHDFC Bank; HDFC0001234 ;KANJURMARG;MUMBAI;MAHARASHTRA;\r\n\r\n" +
			"ICICI Bank;ICIC0004321;ANDHERI, EAST;MUMBAI;MAHARASHTRA;400229001\r\n",
		"CSV with a line twice": "IFSC,BANK,BRANCH,CITY,STATE\nHDFC0001234,HDFC Bank,KANJURMARG,MUMBAI,MAHARASHTRA\n" +
			"ICIC0004321,ICICI Bank,\"ANDHERI, EAST\",MUMBAI,MAHARASHTRA\nHDFC0001234,HDFC Bank,KANJURMARG,MUMBAI,MAHARASHTRA\n",
		"JSON array": `[{"IFSC":"HDFC0001234","BANK":"HDFC Bank","BRANCH":"KANJURMARG","CITY":"MUMBAI","STATE":"MAHARASHTRA","UPI":true,"SWIFT":null},
			{"ifsc":"ICIC0004321","bank":"ICICI Bank","branch":"ANDHERI, EAST","city":"MUMBAI","state":"MAHARASHTRA","micr":400229001,"more":{"bank":"x"}}]`,
		"JSON by IFSC": "\ufeff \n{\"HDFC0001234\":{\"BANK\":\"HDFC Bank\",\"BRANCH\":\"KANJURMARG\",\"CITY\":\"MUMBAI\",\"STATE\":\"MAHARASHTRA\"}," +
			`"ICIC0004321":{"BANK":"ICICI Bank","IFSC":"ICIC0004321","BRANCH":"ANDHERI, EAST","CITY":"MUMBAI","STATE":"MAHARASHTRA"}}` + "\n",
	} {
		list, branches, err := ReadList(write(t, "ifsc.lst", text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff([]ledger.Branch{kanjurmarg, andheri}, branches); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		sum := sha256.Sum256([]byte(text))
		if list.Name != "ifsc.lst" || list.Count != 2 || list.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

func TestABranchListWithAFaultIsRefusedWithItsLine(t *testing.T) {
	const csv = "IFSC,BANK,BRANCH,CITY\nHDFC0001234,HDFC Bank,KANJURMARG,MUMBAI\n"
	long := strings.Repeat("x", maxNameChars)
	for name, c := range map[string]struct {
		text, says string
		line       int
	}{
		"empty":                             {"", "", 0},
		"header only":                       {"IFSC,BANK,BRANCH\n", "no branches", 0},
		"no header":                         {"HDFC0001234,HDFC Bank,KANJURMARG\n", "no column IFSC", 1},
		"no column bank":                    {"IFSC,BRANCH\nHDFC0001234,X\n", "no column BANK", 1},
		"no column branch":                  {"IFSC,BANK\nHDFC0001234,X\n", "no column BRANCH", 1},
		"a column twice":                    {"IFSC,BANK,BRANCH,ifsc code\nHDFC0001234,X,Y,Z\n", "two columns are named IFSC", 1},
		"letter O":                          {csv + "HDFCO001235,HDFC Bank,X,Y\n", "letter O", 3},
		"lower case":                        {csv + "hdfc0001235,HDFC Bank,X,Y\n", "lower-case", 3},
		"no IFSC":                           {csv + ",HDFC Bank,X,Y\n", "it is empty", 3},
		"no bank":                           {csv + "HDFC0001235,,X,Y\n", "has no bank", 3},
		"other data":                        {csv + "HDFC0001234,HDFC Bank,KANJURMARG WEST,MUMBAI\n", "listed twice", 3},
		"a short row":                       {csv + "HDFC0001235,HDFC Bank,X\n", "3 cells", 3},
		"a long row":                        {csv + "HDFC0001235,HDFC Bank,X,Y,Z\n", "5 cells", 3},
		"an open quote":                     {csv + "HDFC0001235,HDFC Bank,\"X,Y\n", "", 3},
		"a name too long":                   {csv + "HDFC0001235," + long + "x,X,Y\n", "more than 300 characters", 3},
		"a direction character":             {csv + "HDFC0001235,HDFC \u202eBank,X,Y\n", "BANK has", 3},
		"a workbook":                        {"PK\x03\x04nothing", "", 0},
		"JSON: malformed":                   {"[\n{\"IFSC\":\"HDFC0001234\",\"BANK\":\"B\",\"BRANCH\":\"X\"},\n{\"IFSC\":\"HDFC001235\",\"BANK\":\"B\",\"BRANCH\":\"X\"}]", "and it has 10", 3},
		"JSON: other data":                  {"[{\"IFSC\":\"HDFC0001234\",\"BANK\":\"B\",\"BRANCH\":\"X\"},\n{\"IFSC\":\"HDFC0001234\",\"BANK\":\"C\",\"BRANCH\":\"X\"}]", "listed twice", 2},
		"JSON: key twice, other data":       {"{\"HDFC0001234\":{\"BANK\":\"B\",\"BRANCH\":\"X\"},\n\"HDFC0001234\":{\"BANK\":\"C\",\"BRANCH\":\"X\"}}", "listed twice", 2},
		"JSON: key and IFSC differ":         {"{\n\"HDFC0001234\":{\"IFSC\":\"HDFC0001235\",\"BANK\":\"B\",\"BRANCH\":\"X\"}}", `has the IFSC "HDFC0001235"`, 2},
		"JSON: a name twice":                {`[{"IFSC":"HDFC0001234","BANK":"B","BRANCH":"X","IFSC":"ICIC0001234"}]`, "two fields IFSC", 1},
		"JSON: a field twice":               {`[{"IFSC":"HDFC0001234","BANK":"B","Bank":"C","BRANCH":"X"}]`, "two fields BANK", 1},
		"JSON: a number for a bank":         {`[{"IFSC":"HDFC0001234","BANK":7,"BRANCH":"X"}]`, "BANK is not text", 1},
		"JSON: no branch":                   {`[{"IFSC":"HDFC0001234","BANK":"B"}]`, "no field BRANCH", 1},
		"JSON: no object":                   {"[\n\"HDFC0001234\"]", "want an object", 2},
		"JSON: wrapped":                     {`{"data":[]}`, "want an object", 1},
		"JSON: ends early":                  {"[\n{\"IFSC\":\"HDFC0001234\",\"BANK\":\"B\",\"BRANCH\":\"X\"},\n", "ends in the middle", 3},
		"JSON: ends in a branch":            {"[\n{\"IFSC\":\"HDFC0001234\",\"BANK\":", "ends in the middle", 2},
		"JSON: a comma too many":            {"[\n{\"IFSC\":\"HDFC0001234\",\"BANK\":\"B\",\"BRANCH\":\"X\"},\n]", "not valid JSON", 3},
		"JSON: more behind it":              {`[{"IFSC":"HDFC0001234","BANK":"B","BRANCH":"X"}] []`, "after the list", 1},
		"JSON: empty list":                  {`[]`, "no branches", 0},
		"JSON: bytes that are no text":      {"[{\"IFSC\":\"HDFC0001234\",\"BANK\":\"B\xff\",\"BRANCH\":\"X\"}]", "BANK has", 1},
		"JSON: a control character escaped": {`[{"IFSC":"HDFC0001234","BANK":"B\u001b[31m","BRANCH":"X"}]`, "BANK has", 1},
	} {
		_, branches, err := ReadList(write(t, "ifsc.lst", c.text))
		refused, ok := errors.AsType[*ListError](err)
		if !ok || !strings.Contains(refused.Why, c.says) || refused.Line != c.line || branches != nil {
			t.Errorf("%s: %v; want line %d, %q", name, err, c.line, c.says)
		}
	}
	if _, _, err := ReadList(write(t, "ifsc.csv", csv+"HDFC0001235,"+long+",X,Y\n")); err != nil {
		t.Errorf("a name as long as it may be: %v", err)
	}
}

func TestABranchListThatIsNoFile(t *testing.T) {
	_, _, err := ReadList(t.TempDir())
	if _, ok := errors.AsType[*ListError](err); !ok {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err = ReadList(filepath.Join(t.TempDir(), "missing.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

func TestABranchListTooLargeIsRefused(t *testing.T) {
	path := write(t, "ifsc.json", "[")
	for size, want := range map[int64]bool{maxListBytes: false, maxListBytes + 1: true} {
		if err := os.Truncate(path, size); err != nil { // a sparse file
			t.Fatal(err)
		}
		_, _, err := ReadList(path)
		if refused, ok := errors.AsType[*ListError](err); !ok || strings.Contains(refused.Why, "the limit is") != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func FuzzListJSON(f *testing.F) {
	f.Add(`[{"IFSC":"HDFC0001234","BANK":"B","BRANCH":"X"}]`)
	f.Add(`{"HDFC0001234":{"BANK":"B","BRANCH":"X","CITY":null}}`)
	f.Add(`{"HDFC0001234":{"BANK":"B","BRANCH":"X"},"HDFC0001234":[`)
	f.Fuzz(func(t *testing.T, text string) {
		list, branches, err := ReadList(write(t, "ifsc.json", text))
		if err != nil {
			if _, ok := errors.AsType[*ListError](err); !ok {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		seen := map[string]bool{}
		for _, b := range branches {
			if !Valid(b.IFSC) || b.Bank == "" || seen[b.IFSC] {
				t.Fatalf("%q gave %+v", text, b)
			}
			seen[b.IFSC] = true
		}
		if list.Count != len(branches) || len(branches) == 0 {
			t.Fatalf("%q: %+v", text, list)
		}
	})
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The SHA-256 on record is that of the bytes that were read.
func TestABranchListThatChangesMeanwhileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(path, []byte("IFSC,BANK,BRANCH\nHDFC0001234,B,X\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var refused *ListError
	if err := readCSV(path, "the sum of another content", &collector{positions: map[string]int{}}); !errors.As(err, &refused) || !strings.Contains(refused.Why, "changed") {
		t.Errorf("%v", err)
	}
}
