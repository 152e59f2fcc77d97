package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payrun/ingest"
)

// TestCSVGivesBackWhatWasWritten writes any cells in any legal way: cells in
// quotes that need none, each kind of line break, each separator, with a
// recognised header somewhere in the first rows.
func TestCSVGivesBackWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	rapid.Check(t, func(t *rapid.T) {
		sep := rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "separator")
		cell := rapid.OneOf(
			rapid.StringMatching(`[A-Za-z0-9 .₹é,;|\t-]{0,12}`),
			rapid.StringMatching(`[a",;|\t\n]{0,8}`),
		)
		var want []string
		var out strings.Builder
		titles := rapid.IntRange(0, 3).Draw(t, "titles")
		rows := rapid.IntRange(0, 30).Draw(t, "rows")
		for i := 1; i <= titles+1+rows; i++ {
			cells := rapid.SliceOfN(cell, 3, 5).Draw(t, "cells")
			if i <= titles {
				cells = []string{"Payouts for November"}
			}
			if i == titles+1 {
				cells = []string{"ref", "amount", "name"}
			}
			want = append(want, fmt.Sprintf("%d:%s", i, strings.Join(cells, "|")))
			end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
			for j, c := range cells {
				if j > 0 {
					out.WriteString(sep)
				}
				if strings.ContainsAny(c, sep+"\"\n\r") || rapid.Bool().Draw(t, "quoted") {
					c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
				}
				out.WriteString(c)
			}
			out.WriteString(end)
		}
		must(t, os.WriteFile(path, []byte(out.String()), 0o600))
		rowsRead, d := readRapid(t, path)
		if d != nil {
			t.Fatalf("refused: %v\n%q", d, out.String())
		}
		if diff := cmp.Diff(want, rowsRead); diff != "" {
			t.Fatalf("%s\n%q", diff, out.String())
		}
	})
}

func readRapid(t *rapid.T, path string) ([]string, *ingest.Defect) {
	s, err := ingest.Open(path, ingest.Options{IsHeader: isHeader})
	must(t, err)
	defer func() { _ = s.Close() }()
	return rest(t, s)
}

// TestAnyLegalSheetXMLIsReadAsExcelizeReadsIt makes rows and cells in the ways
// that writers differ in: with and without places, with gaps, comments, CDATA,
// runs, formulas and styles.
func TestAnyLegalSheetXMLIsReadAsExcelizeReadsIt(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		var rows strings.Builder
		number := 0
		for range rapid.IntRange(0, 8).Draw(rt, "rows") {
			number += rapid.SampledFrom([]int{1, 1, 1, 2, 5}).Draw(rt, "step")
			rows.WriteString(rapidNoise(rt))
			fmt.Fprintf(&rows, `<row r="%d" spans="1:3">`, number)
			column := 0
			for range rapid.IntRange(0, 5).Draw(rt, "cells") {
				step := rapid.SampledFrom([]int{1, 1, 1, 3}).Draw(rt, "gap")
				column += step
				place := fmt.Sprintf(` r="%c%d"`, 'A'+column-1, number)
				if step == 1 && rapid.Bool().Draw(rt, "placeless") {
					place = ""
				}
				rows.WriteString(rapidCell(rt, place) + rapidNoise(rt))
			}
			rows.WriteString("</row>")
		}
		b := newBook(rows.String()).styled("0", "0.00").
			shared("<t>first</t>", `<t xml:space="preserve"> second </t>`, "<r><t>rich </t></r><r><rPr><b/></rPr><t>text</t></r>", "<t/>")
		path := filepath.Join(dir, "p.xlsx")
		must(rt, os.WriteFile(path, b.zip(t), 0o600))
		tab, read, refused := ours(t, path, ingest.Options{})
		if refused != nil {
			rt.Fatalf("refused: %v\n%s", refused, rows.String())
		}
		if diff := cmp.Diff(theirs(t, path, tab), read); diff != "" {
			rt.Fatalf("excelize (-) and ingest (+): %s\n%s", diff, rows.String())
		}
	})
}

func rapidNoise(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", " ", "\n", "<!-- <row/> -->", "<?x <c/> ?>"}).Draw(t, "noise")
}

func rapidCell(t *rapid.T, place string) string {
	text := rapid.SampledFrom([]string{"a", "INV-7", "A &amp; B", "<![CDATA[<c/>]]>", "&#x20B9; 5", "l1\nl2", "आशा"}).Draw(t, "text")
	number := rapid.SampledFrom([]string{"0", "1", "-2.5", "1E+3", "0.1", "1234567.89", "1.1000000000000001"}).Draw(t, "number")
	style := rapid.SampledFrom([]string{"", ` s="0"`, ` s="1"`}).Draw(t, "style")
	body := rapid.SampledFrom([]string{
		`/>`, `></c>`,
		`><v>` + number + `</v></c>`,
		` t="n"><v>` + number + `</v></c>`,
		`><f>SUM(1,2)</f><v>` + number + `</v></c>`,
		` t="str"><f>A1</f><v>` + text + `</v></c>`,
		` t="str"><v>` + text + `</v></c>`,
		` t="inlineStr"><is><t>` + text + `</t></is></c>`,
		` t="inlineStr"><is><r><t>` + text + `</t></r><r><t>!</t></r></is></c>`,
		` t="s"><v>0</v></c>`, ` t="s"><v>1</v></c>`, ` t="s"><v>2</v></c>`, ` t="s"><v>3</v></c>`,
		` t="b"><v>1</v></c>`, ` t="b"><v>0</v></c>`, ` t="e"><v>#N/A</v></c>`,
	}).Draw(t, "body")
	return "<c" + place + style + body
}
