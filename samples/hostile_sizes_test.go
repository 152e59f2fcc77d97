package samples_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"payrun/batcher"
	"payrun/ledger"
	"payrun/validate"
)

// mostMemory is what looking at any sheet may take from the system. The
// largest that is measured below takes about half.
const mostMemory = 512 << 20

// hostileSizes are sheets that try to use up memory or time. They are made
// when they are looked at, which another process does, for its memory.
func hostileSizes() []hostileGroup {
	plain := six().parts()
	large := func(what, sheet string, make func(t *testing.T) []byte, want outcome) hostile {
		return hostile{what: what, sheet: sheet, make: make, want: want, large: true}
	}
	inTab := func(content *bomb) func(t *testing.T) []byte {
		return func(t *testing.T) []byte { return content.in(t, plain.with(tabPart, ""), tabPart) }
	}
	start := strings.TrimSuffix(plain[tabPart], `</sheetData></worksheet>`)
	return []hostileGroup{{"Sheets that are too much", []hostile{
		large("a cell at column XFD in each of 20,000 rows", "xfd-20000.xlsx", func(t *testing.T) []byte {
			var rows strings.Builder
			for row := 8; row < 20_008; row++ {
				fmt.Fprintf(&rows, `<row r="%d"><c r="XFD%d"><v>1</v></c></row>`, row, row)
			}
			return packed(t, plain.tab(`</sheetData>`, rows.String()+`</sheetData>`))
		}, refusesFile("8 XFD too_many_columns")),
		large("zip bomb: 1 GiB of zeros in a tab of 1 MiB", "zip-bomb-zeros.xlsx", inTab(&bomb{block: strings.Repeat("\x00", 1<<20), times: 1024}), refusesFile("0 - workbook_unpacks_too_large")),
		large("zip bomb that keeps to the ratio: more than 1 GiB of legal cells", "zip-bomb-ratio.xlsx",
			inTab(&bomb{head: start, block: noisyCells(), times: 1100}), refusesFile("0 - workbook_unpacks_too_large")),
		large("zip bomb that declares to be small", "zip-bomb-liar.xlsx", inTab(&bomb{head: start, block: strings.Repeat(" ", 1<<20), times: 1024, declares: 1 << 19}), refusesFile("0 - workbook_unpacks_too_large").saying("than the 524288 bytes it declares")),
		large("10,001 parts", "parts-10001.xlsx", func(t *testing.T) []byte {
			w := maps.Clone(plain)
			for i := range 10_001 {
				w[fmt.Sprintf("xl/media/%d.png", i)] = ""
			}
			return w.zip(t)
		}, refusesFile("0 - workbook_unpacks_too_large").saying("10000")),
		large("5 million shared strings, within the limit", "shared-strings-empty.xlsx", func(t *testing.T) []byte {
			b := &bomb{head: xmlHead + `<sst xmlns="` + mainSpace + `">`, block: strings.Repeat("<si><t/></si>", 80_000) + noisyComment(), times: 62, tail: `</sst>`}
			return b.in(t, plain.related("sharedStrings", "sharedStrings.xml", ""), textsPart)
		}, reads(6, 1)),
		large("300 MiB of different shared strings", "shared-strings-long.xlsx", func(t *testing.T) []byte {
			b := &bomb{head: xmlHead + `<sst xmlns="` + mainSpace + `">`, block: strings.Repeat("<si><t>"+strings.Repeat("x", 32_000)+"</t></si>", 32) + noisyComment(), times: 300}
			return b.in(t, six().sharing().with(textsPart, ""), textsPart)
		}, refusesFile("0 - xlsx_shared_strings_too_large")),
		large("a million cell formats", "cell-formats.xlsx", func(t *testing.T) []byte {
			b := &bomb{head: `<styleSheet xmlns="` + mainSpace + `"><cellXfs>`, block: strings.Repeat("<xf/>", 200_000) + noisyComment(), times: 5, tail: `</cellXfs></styleSheet>`}
			return b.in(t, maps.Clone(plain), "xl/styles.xml")
		}, refusesFile("0 - workbook_lists_too_much")),
		large("a text of 200 MiB in a cell", "cell-200-mib.xlsx", inTab(&bomb{head: start + `<row r="8"><c r="A8" t="inlineStr"><is><t>`, block: strings.Repeat("x", 1<<20-4096) + noise(4096), times: 200}), refusesFile("8 - workbook_xml_malformed")),
		large("a million rows with nothing in them", "rows-blank.xlsx", func(t *testing.T) []byte {
			var rows strings.Builder
			for row := 8; row <= 1_048_576; row++ {
				fmt.Fprintf(&rows, `<row r="%d"/>`, row)
			}
			return packed(t, plain.tab(`</sheetData>`, rows.String()+`</sheetData>`))
		}, reads(6, 1)),
		large("1 GiB of zeros named .csv", "zeros.csv", nil, refusesFile("0 - file_too_large").saying("limits.sheet_bytes")),
		large("512 MiB of zeros named .csv", "zeros-512-mib.csv", nil, refusesFile("1 - csv_nul_byte")),
		large("a field of 100 MiB", "field-100-mib.csv", func(*testing.T) []byte { return []byte(plainHeader + strings.Repeat("x", 100<<20)) }, refusesFile("2 - cell_too_long")),
		large("a quote that is opened before 100 MiB of rows", "quote-100-mib.csv", func(*testing.T) []byte { return []byte(plainHeader + `"` + strings.Repeat("A,1\n", 25<<20)) }, refusesFile("2 - csv_quote_unclosed")),
		large("a row of 10 million columns", "columns-10-million.csv", func(*testing.T) []byte { return []byte(plainHeader + strings.Repeat(",", 10_000_000)) }, refusesFile("2 - too_many_columns")),
		large("2,000,001 rows below the header", "rows-2000001.csv", func(*testing.T) []byte { return []byte(plainHeader + strings.Repeat("\n", 2_000_001)) }, refusesFile("2000002 - too_many_rows").saying("limits.sheet_rows")),
		large("300,000 rows with one reference: the first 100,000 findings are listed", "reference-300000.csv", func(*testing.T) []byte { return []byte(plainHeader + strings.Repeat(plainRow, 300_000)) },
			refusesRows(0, "2 merchant_txn_ref_id reference_repeated", "0 - findings_capped")),
	}}}
}

// The header of the plain sheet and a row below it.
const (
	plainHeader = "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,remarks,bank_account_id\r\n"
	plainRow    = "DEC25/A,Konkan Packaging,0050200111111,TSTB0000111,400.00,lot 1,pb3\r\n"
)

// bomb is a part that repeats a block: packed once, written as often as asked.
type bomb struct {
	head     string
	block    string
	times    int
	tail     string
	declares uint64 // 0: the truth
}

// in gives the workbook with the bomb in the place of a part.
func (b *bomb) in(t *testing.T, w workbook, part string) []byte {
	t.Helper()
	delete(w, part)
	var stream bytes.Buffer
	head, block := squeezed(t, b.head), squeezed(t, b.block)
	stream.Write(head)
	sum, size := crc32.ChecksumIEEE([]byte(b.head)), uint64(len(b.head)+len(b.block)*b.times)
	for range b.times {
		stream.Write(block)
		sum = crc32.Update(sum, crc32.IEEETable, []byte(b.block))
	}
	stream.Write(squeezed(t, b.tail))
	sum, size = crc32.Update(sum, crc32.IEEETable, []byte(b.tail)), size+uint64(len(b.tail))
	stream.Write([]byte{0x03, 0x00}) // an empty last block
	if b.declares > 0 {
		size = b.declares
	}
	return w.zipAnd(t, func(z *zip.Writer) {
		raw, err := z.CreateRaw(&zip.FileHeader{Name: part, Method: zip.Deflate, CRC32: sum, CompressedSize64: uint64(stream.Len()), UncompressedSize64: size})
		check(t, err)
		_, err = stream.WriteTo(raw)
		check(t, err)
	})
}

// squeezed packs a text so that it can stand behind any other.
func squeezed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	check(t, err)
	_, err = io.WriteString(w, text)
	check(t, err)
	check(t, w.Flush())
	return out.Bytes()
}

// noise is text that does not pack, so that a bomb keeps to the ratio.
func noise(n int) string {
	b, x := make([]byte, n), uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"[x>>59]
	}
	return string(b)
}

func noisyComment() string { return "<!-- " + noise(6000) + " -->" }

func noisyCells() string {
	return `<row><c t="str"><v>` + noise(8000) + `</v></c></row>` + strings.Repeat(`<row><c t="str"><v>x</v></c></row>`, 30_000)
}

// packed is a workbook as a map holds it, deflated.
func packed(t *testing.T, w workbook) []byte {
	t.Helper()
	return workbook(nil).zipAnd(t, func(z *zip.Writer) {
		for name, content := range w {
			writePart(t, z, zip.FileHeader{Name: name, Method: zip.Deflate}, content)
		}
	})
}

// write writes a large sheet. What is nothing but zeros is a hole in the file.
func (h hostile) write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), h.sheet)
	if h.make != nil {
		check(t, os.WriteFile(path, h.make(t), 0o600))
		return path
	}
	f, err := os.Create(path)
	check(t, err)
	size := int64(1 << 30)
	if strings.Contains(h.sheet, "512") {
		size = 512 << 20
	}
	check(t, errors.Join(f.Truncate(size), f.Close()))
	return path
}

// seen is what the other process tells.
type seen struct {
	Result  validate.Result
	Batches int
	Memory  uint64 // taken from the system, at most, in bytes
}

const lookVariable = "PAYRUN_SAMPLES_LOOK"

// lookApart looks at a sheet in a process of its own and bounds its memory.
func (h hostile) lookApart(t *testing.T) looked {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), lookVariable+"="+h.write(t))
	out, err := cmd.Output()
	check(t, err)
	var s seen
	check(t, json.Unmarshal(out, &s))
	t.Logf("%d MiB", s.Memory>>20)
	if s.Memory > mostMemory {
		t.Errorf("%d MiB of memory, at most %d are allowed", s.Memory>>20, mostMemory>>20)
	}
	return looked{result: s.Result, plan: batcher.Plan{Batches: make([]ledger.PlannedBatch, s.Batches)}}
}

func TestMain(m *testing.M) {
	path := os.Getenv(lookVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := lookHere(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// lookHere does what look does and prints what it saw. Memory is all that the
// runtime ever took from the system, given back or not.
func lookHere(path string) error {
	l, err := lookWith(context.Background(), path, options(), nil)
	if err != nil {
		return err
	}
	l.result.Findings = firstOfEach(l.result.Findings)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return json.NewEncoder(os.Stdout).Encode(seen{l.result, len(l.plan.Batches), m.Sys})
}

// firstOfEach keeps the first finding of each code.
func firstOfEach(all []ledger.Finding) []ledger.Finding {
	var kept []ledger.Finding
	for _, f := range all {
		if !slices.ContainsFunc(kept, func(k ledger.Finding) bool { return k.Code == f.Code }) {
			kept = append(kept, f)
		}
	}
	return kept
}
