package ingest_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payrun/ingest"
)

// isHeader replaces the validate room: a row that names an amount.
func isHeader(cells []string) bool {
	return len(cells) > 1 && slices.ContainsFunc(cells, func(c string) bool {
		return strings.EqualFold(strings.TrimSpace(c), "amount")
	})
}

// must ends a test at an error that it is not about.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write puts content into a file of its own.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, content, 0o600))
	return path
}

// same wants two values to be equal; of says of what, where the line does not.
func same(t testing.TB, want, got any, of ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(append(of, diff)...)
	}
}

// read reads a sheet to its end or its defect. Rows are "number:cell|cell".
func read(t testing.TB, path string, o ingest.Options) ([]string, *ingest.Defect) {
	t.Helper()
	s, err := ingest.Open(path, o)
	var d *ingest.Defect
	if errors.As(err, &d) {
		return nil, d
	}
	must(t, err)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	return rest(t, s)
}

// readWhole reads a sheet that must be read to its end.
func readWhole(t testing.TB, path string, o ingest.Options) []string {
	t.Helper()
	rows, d := read(t, path, o)
	if d != nil {
		t.Fatalf("refused: %v (%s)", d, d.Code)
	}
	return rows
}

// rest reads the rows of an open sheet.
func rest(t interface{ Fatal(...any) }, s *ingest.Sheet) ([]string, *ingest.Defect) {
	var rows []string
	var d *ingest.Defect
	for {
		row, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case errors.As(err, &d):
			return rows, d
		case err != nil:
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprintf("%d:%s", row.Number, strings.Join(row.Cells, "|")))
	}
}

func inUTF16(s string, big bool) []byte {
	b := []byte{0xFF, 0xFE}
	if big {
		b = []byte{0xFE, 0xFF}
	}
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func TestCSVIsReadAsASpreadsheetProgramShowsIt(t *testing.T) {
	long := strings.Repeat("ß", 32767)
	for name, c := range map[string]struct {
		in   string
		o    ingest.Options
		want []string
	}{
		"plain":                              {in: "ref,amount\nA,1.00\n", want: []string{"1:ref|amount", "2:A|1.00"}},
		"no line break at the end":           {in: "ref,amount\nA,1", want: []string{"1:ref|amount", "2:A|1"}},
		"byte order mark":                    {in: "\xEF\xBB\xBFref,amount\nA,1\n", want: []string{"1:ref|amount", "2:A|1"}},
		"quoted header after a BOM":          {in: "\xEF\xBB\xBF\"ref\",\"amount\"\nA,1\n", want: []string{"1:ref|amount", "2:A|1"}},
		"UTF-16 little endian":               {in: string(inUTF16("ref,amount\r\nआशा😀,1\r\n", false)), want: []string{"1:ref|amount", "2:आशा😀|1"}},
		"UTF-16 big endian":                  {in: string(inUTF16("ref;amount\né;1\n", true)), want: []string{"1:ref|amount", "2:é|1"}},
		"CRLF":                               {in: "ref,amount\r\nA,1\r\n", want: []string{"1:ref|amount", "2:A|1"}},
		"CR only":                            {in: "ref,amount\rA,1\rB,2", want: []string{"1:ref|amount", "2:A|1", "3:B|2"}},
		"mixed line breaks":                  {in: "ref,amount\r\nA,1\nB,2\rC,3\r\n", want: []string{"1:ref|amount", "2:A|1", "3:B|2", "4:C|3"}},
		"blank lines are rows":               {in: "ref,amount\n\nA,1\r\n\r\n\n", want: []string{"1:ref|amount", "2:", "3:A|1", "4:", "5:"}},
		"semicolon":                          {in: "ref;amount\nA;1,50\n", want: []string{"1:ref|amount", "2:A|1,50"}},
		"tab":                                {in: "ref\tamount\nA, B\t1,50\n", want: []string{"1:ref|amount", "2:A, B|1,50"}},
		"bar":                                {in: "ref|amount\nA|1\n", want: []string{"1:ref|amount", "2:A|1"}},
		"title rows above the header":        {in: "Payouts, November, 2026, urgent, final\n\nref;amount;x\nA;1;\n", o: ingest.Options{IsHeader: isHeader}, want: []string{"1:Payouts, November, 2026, urgent, final", "2:", "3:ref|amount|x", "4:A|1|"}},
		"separators in quotes do not count":  {in: "\"a;b;c;d\",x\n\"e;f;g;h\",y\n", want: []string{"1:a;b;c;d|x", "2:e;f;g;h|y"}},
		"decimal commas, unknown header":     {in: "a;b\n1,5;2,5\n3,5;4,5\n", want: []string{"1:a|b", "2:1,5|2,5", "3:3,5|4,5"}},
		"sep line of CR-only lines":          {in: "sep=|\rref|amount\rA,B|1\r", want: []string{"1:ref|amount", "2:A,B|1"}},
		"sep line is no row":                 {in: "sep=|\r\nref|amount\r\nA,B|1\r\n", want: []string{"1:ref|amount", "2:A,B|1"}},
		"one column":                         {in: "ref\nA\n", want: []string{"1:ref", "2:A"}},
		"quoted separator":                   {in: "ref,amount\n\"A,B\",\"1,00,000.00\"\n", want: []string{"1:ref|amount", "2:A,B|1,00,000.00"}},
		"doubled quotes":                     {in: "ref,amount\n\"A \"\"B\"\"\",\"\"\n\"\"\"\",1\n", want: []string{"1:ref|amount", `2:A "B"|`, `3:"|1`}},
		"quoted line break makes no row":     {in: "ref,amount\n\"A\nB\",1\nC,2\n", want: []string{"1:ref|amount", "2:A\nB|1", "3:C|2"}},
		"quoted CRLF and CR come as LF":      {in: "ref,amount\r\n\"A\r\nB\rC\",1\r\n", want: []string{"1:ref|amount", "2:A\nB\nC|1"}},
		"quote closes at the end of file":    {in: "ref,amount\nA,\"1\"", want: []string{"1:ref|amount", "2:A|1"}},
		"short and long rows come as is":     {in: "a,b,c\n1\n1,2,3,4\n", want: []string{"1:a|b|c", "2:1", "3:1|2|3|4"}},
		"empty cells at the end stay":        {in: "a,b,c\n1,,\n,,\n", want: []string{"1:a|b|c", "2:1||", "3:||"}},
		"separator at the end of file":       {in: "a,b\n1,", want: []string{"1:a|b", "2:1|"}},
		"spaces are kept":                    {in: "a,b\n x , y\n", want: []string{"1:a|b", "2: x | y"}},
		"windows-1252 when asked for":        {in: "ref,amount\nJos\xe9 \x80,1\n", o: ingest.Options{Encoding: "windows-1252"}, want: []string{"1:ref|amount", "2:José €|1"}},
		"a BOM beats the encoding asked for": {in: "\xEF\xBB\xBFref,amount\nJosé,1\n", o: ingest.Options{Encoding: "windows-1252"}, want: []string{"1:ref|amount", "2:José|1"}},
		"a text as a formula":                {in: "a,b\n=\"000123\",1\n", want: []string{"1:a|b", "2:000123|1"}},
		"a text as a formula, quoted":        {in: "a,b\n\"=\"\"000,123\"\"\",1\n", want: []string{"1:a|b", "2:000,123|1"}},
		"a text as a formula, last":          {in: "a,b\n1,=\"000\"\r\n2,=\"\"\n3,=\"7\"", want: []string{"1:a|b", "2:1|000", "3:2|", "4:3|7"}},
		"a formula that is no text":          {in: "a,b\n=A1+1,\"=HYPERLINK(\"\"x\"\")\"\n\"=\"\"a\"\"&\"\"b\"\"\",=\n", want: []string{"1:a|b", "2:=A1+1|=HYPERLINK(\"x\")", "3:=\"a\"&\"b\"|="}},
		"Ctrl-Z at the end, as DOS has it":   {in: "ref,amount\r\nA,1\r\n\x1a", want: []string{"1:ref|amount", "2:A|1"}},
		"Ctrl-Z to the end of a block":       {in: "ref,amount\r\nA,1\x1a\x1a\x1a", want: []string{"1:ref|amount", "2:A|1"}},
		"Ctrl-Z in the middle is text":       {in: "ref,amount\nA\x1a,1\nB,2\n", want: []string{"1:ref|amount", "2:A\x1a|1", "3:B|2"}},
		"longest cell":                       {in: "ref,amount\n" + long + ",1\n", want: []string{"1:ref|amount", "2:" + long + "|1"}},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, c.want, readWhole(t, write(t, "nov.csv", []byte(c.in)), c.o))
		})
	}
}

func TestCSVThatProgramsReadDifferentlyIsRefused(t *testing.T) {
	head := "ref,amount\n"
	for name, c := range map[string]struct {
		in   string
		o    ingest.Options
		code string
		row  int
		says string
	}{
		"unclosed quote":              {in: head + "A,1\n\"B,2\nC,3\n", code: ingest.CodeQuoteUnclosed, row: 3},
		"unclosed quote, large file":  {in: head + "\"B,2\n" + strings.Repeat("C,3\n", 200_000), code: ingest.CodeQuoteUnclosed, row: 2, says: "32767"},
		"stray quote":                 {in: head + "A \"x\",1\n", code: ingest.CodeQuoteStray, row: 2, says: "cell 1"},
		"more than a text":            {in: head + "=\"A\"&\"B\",1\n", code: ingest.CodeQuoteStray, row: 2, says: "cell 1"},
		"a text that does not end":    {in: head + "=\"A,1\n", code: ingest.CodeQuoteStray, row: 2},
		"a text with a quote in it":   {in: head + "=\"A\"\"B\",1\n", code: ingest.CodeQuoteStray, row: 2},
		"space behind such a text":    {in: head + "=\"A\" ,1\n", code: ingest.CodeQuoteStray, row: 2},
		"a text at the very end":      {in: head + "1,=\"A", code: ingest.CodeQuoteStray, row: 2},
		"space before a quote":        {in: head + "A, \"1\"\n", code: ingest.CodeQuoteStray, row: 2, says: "cell 2"},
		"text after a closing quote":  {in: head + "\"A\"x,1\n", code: ingest.CodeTextAfterQuote, row: 2},
		"space after a closing quote": {in: head + "\"A\" ,1\n", code: ingest.CodeTextAfterQuote, row: 2},
		"a title of two quoted names": {in: "\"x\";y\n" + head + "A,1\n", o: ingest.Options{IsHeader: isHeader}, code: ingest.CodeTextAfterQuote, row: 1},
		"NUL byte":                    {in: head + "A\x00,1\n", code: ingest.CodeNUL, row: 2},
		"NUL byte, line is not row":   {in: head + "\"A\nB\",1\nC\x00,2\n", code: ingest.CodeNUL, row: 3, says: "line 4"},
		"UTF-16 without a BOM":        {in: string(inUTF16(head, false)[2:]), code: ingest.CodeNUL, row: 1, says: "UTF-16"},
		"windows-1252 not asked for":  {in: head + "A,1\nJos\xe9,2\n", code: ingest.CodeEncoding, row: 3, says: "0xE9"},
		"cut off inside a character":  {in: head + "A,1\nJos\xc3", code: ingest.CodeEncoding, row: 3},
		"invalid UTF-8 inside quotes": {in: head + "\"A\xff", code: ingest.CodeEncoding, row: 2},
		"undefined in windows-1252":   {in: head + "A\x81,1\n", o: ingest.Options{Encoding: "windows-1252"}, code: ingest.CodeEncoding, row: 2, says: "does not define"},
		"UTF-8 as windows-1252":       {in: head + "José,1\n", o: ingest.Options{Encoding: "windows-1252"}, code: ingest.CodeEncoding, row: 0, says: "UTF-8"},
		"half a UTF-16 pair":          {in: string(inUTF16(head, false)) + "\x3d\xd8A\x00", code: ingest.CodeEncoding, row: 2, says: "half a character of UTF-16"},
		"half a UTF-16 unit":          {in: string(inUTF16(head, false)) + "A", code: ingest.CodeEncoding, row: 2},
		"only a BOM":                  {in: "\xEF\xBB\xBF", code: ingest.CodeFileEmpty},
		"no bytes":                    {in: "", code: ingest.CodeFileEmpty},
		"a cell too long":             {in: head + strings.Repeat("ß", 32768) + ",1\n", code: ingest.CodeCellTooLong, row: 2, says: "32767"},
		"a quoted cell too long":      {in: head + "\"" + strings.Repeat("x", 32768) + "\",1\n", code: ingest.CodeCellTooLong, row: 2},
		"too many columns":            {in: head + strings.Repeat(",", 512) + "\n", code: ingest.CodeTooManyColumns, row: 2, says: "512"},
		"too many rows":               {in: head + "A,1\nB,2\n", o: ingest.Options{Limits: ingest.Limits{Rows: 2}}, code: ingest.CodeTooManyRows, row: 3},
		"row too long":                {in: head + strings.Repeat("x,", 400_000), o: ingest.Options{Limits: ingest.Limits{Columns: 1 << 20, RowBytes: 1 << 18}}, code: ingest.CodeRowTooLong, row: 2},
		"file too large":              {in: head, o: ingest.Options{Limits: ingest.Limits{Bytes: 10}}, code: ingest.CodeFileTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, d := read(t, write(t, "nov.csv", []byte(c.in)), c.o)
			if d == nil {
				t.Fatal("read without a word")
			}
			if d.Code != c.code || d.Row != c.row || !strings.Contains(d.Message, c.says) {
				t.Errorf("%s at row %d: %s\nwant %s at row %d with %q", d.Code, d.Row, d.Message, c.code, c.row, c.says)
			}
			if d.Fix == "" {
				t.Error("no fix")
			}
		})
	}
}

func TestLimitsHoldAtTheLimit(t *testing.T) {
	in := strings.Repeat(",", 511) + "\n" + strings.Repeat("x", 32767) + "\n"
	rows, d := read(t, write(t, "a.csv", []byte(in)), ingest.Options{Limits: ingest.Limits{Rows: 2, Bytes: int64(len(in))}})
	if d != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), d)
	}
}

func TestRecordsAreTheSameWhereverTheBufferEnds(t *testing.T) {
	var in strings.Builder
	var want []string
	for i := 1; in.Len() < 1<<20; i++ {
		fill := strings.Repeat("é", i%97)
		fmt.Fprintf(&in, "%d,\"%s\"\"\r\n%s\",%s\r\n", i, fill, fill, fill)
		want = append(want, fmt.Sprintf("%d:%d|%s\"\n%s|%s", i, i, fill, fill, fill))
	}
	same(t, want, readWhole(t, write(t, "a.csv", []byte(in.String())), ingest.Options{}))
}

// Wherever the buffer ends, a text written as a formula is read as one.
func TestTextsAsFormulasAreReadAcrossTheBuffer(t *testing.T) {
	var in strings.Builder
	var want []string
	in.WriteString("ref,amount\n")
	for n := 2; n < 40_000; n++ {
		fmt.Fprintf(&in, "=\"%0*d\",%d\n", n%13, n, n)
		want = append(want, fmt.Sprintf("%d:%0*d|%d", n, n%13, n, n))
	}
	same(t, want, readWhole(t, write(t, "nov.csv", []byte(in.String())), ingest.Options{})[1:])
}
