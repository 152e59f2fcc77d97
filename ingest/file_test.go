package ingest_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"payrun/ingest"
)

func TestALinkInThePathIsFollowed(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	must(t, os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "inbox")))
	path := filepath.Join(dir, "inbox", "nov.csv")
	must(t, os.WriteFile(path, []byte("ref,amount\n"), 0o600))
	if rows, d := read(t, path, ingest.Options{}); d != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, d)
	}
}

// changes are ways in which a file can become another under the reader.
var changes = map[string]func(*os.File) error{
	"grows":      func(f *os.File) error { _, err := f.WriteAt([]byte("X,9\n"), end(f)); return err },
	"shrinks":    func(f *os.File) error { return f.Truncate(end(f) - 1) },
	"same size":  func(f *os.File) error { _, err := f.WriteAt([]byte("Z"), end(f)-3); return err },
	"same bytes": func(f *os.File) error { return os.Chtimes(f.Name(), then, then) },
}

func end(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		panic(err)
	}
	return info.Size()
}

func TestAFileThatChangesWhileItIsReadIsRefused(t *testing.T) {
	csv := []byte("ref,amount\n" + strings.Repeat("A,1.00\n", 100_000))
	xlsx := newBook(textRow(1, "ref")).zip(t)
	for format, content := range map[string][]byte{"csv": csv, "xlsx": xlsx} {
		for name, change := range changes {
			t.Run(format+" "+name, func(t *testing.T) {
				path := write(t, "nov."+format, content)
				if err := os.Chtimes(path, before, before); err != nil { // file systems keep time coarsely
					t.Fatal(err)
				}
				s, err := ingest.Open(path, ingest.Options{})
				must(t, err)
				defer func() { _ = s.Close() }()
				if _, err := s.Next(); err != nil {
					t.Fatal(err)
				}
				f, err := os.OpenFile(path, os.O_RDWR, 0)
				must(t, err)
				must(t, errors.Join(change(f), f.Close()))
				for err == nil {
					_, err = s.Next()
				}
				var d *ingest.Defect
				if !errors.As(err, &d) || d.Code != ingest.CodeFileChanged || s.SHA256() != "" {
					t.Errorf("got %v, hash %q", err, s.SHA256())
				}
			})
		}
		s, err := ingest.Open(write(t, "nov."+format, content), ingest.Options{SHA256: hashOf(nil)})
		must(t, err)
		for err == nil {
			_, err = s.Next()
		}
		if d, ok := errors.AsType[*ingest.Defect](err); !ok || d.Code != ingest.CodeFileChanged || s.Close() != nil {
			t.Errorf("%s: changed before it was opened: %v", format, err)
		}
	}
}

func TestAFileReplacedUnderItsNameIsReadAsItWasOpened(t *testing.T) {
	path := write(t, "nov.csv", []byte("ref,amount\nA,1\n"))
	s, err := ingest.Open(path, ingest.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	must(t, os.Rename(write(t, "other.csv", []byte("ref,amount\nB,2\n")), path))
	rows := 0
	for ; err == nil; rows++ {
		_, err = s.Next()
	}
	if !errors.Is(err, io.EOF) || s.SHA256() != hashOf([]byte("ref,amount\nA,1\n")) {
		t.Errorf("%v after %d rows, hash %s", err, rows, s.SHA256())
	}
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func TestTheHashIsThatOfTheFile(t *testing.T) {
	for name, content := range map[string][]byte{
		"nov.csv":  []byte("\xEF\xBB\xBFref,amount\nA,1\n"),
		"nov.xlsx": newBook(textRow(1, "ref")).zip(t),
		"utf16":    inUTF16("ref;amount\nA;1\n", false),
	} {
		s, err := ingest.Open(write(t, name, content), ingest.Options{})
		must(t, err)
		if s.SHA256() != "" {
			t.Errorf("%s: hash before the end", name)
		}
		for err == nil {
			_, err = s.Next()
		}
		if !errors.Is(err, io.EOF) || s.SHA256() != hashOf(content) || s.Name() != name {
			t.Errorf("%s: %v, %s, %s", name, err, s.Name(), s.SHA256())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// compound makes a file of the old Office whose directory names streams.
func compound(streams ...string) []byte {
	b := make([]byte, 512*160)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	binary.LittleEndian.PutUint16(b[30:], 9) // sectors of 512 bytes
	const sector = 150                       // the directory is far behind the first bytes
	binary.LittleEndian.PutUint32(b[48:], sector)
	for i, name := range streams {
		for j, u := range utf16.Encode([]rune(name)) {
			binary.LittleEndian.PutUint16(b[(sector+1)*512+i*128+2*j:], u)
		}
	}
	return b
}

func TestFormatsAreToldByTheirBytes(t *testing.T) {
	xlsx := newBook(textRow(1, "ref", "amount")).zip(t)
	csv := []byte("ref,amount\n")
	for name, c := range map[string]struct {
		file    string
		content []byte
		format  string
		code    string
		says    string
	}{
		"CSV":                      {"a.csv", csv, "csv", "", ""},
		"CSV under another name":   {"a.xlsx", csv, "csv", "", ""},
		"XLSX":                     {"a.xlsx", xlsx, "xlsx", "", ""},
		"XLSX under another name":  {"a.csv", xlsx, "xlsx", "", ""},
		"a cell that looks like <": {"a.csv", []byte("<b>,amount\n"), "csv", "", ""},
		"old workbook":             {"a.xlsx", compound("Root Entry", "Workbook"), "", ingest.CodeOldXLS, "97-2003"},
		"old workbook, cut off":    {"a.xls", compound("Root Entry")[:100], "", ingest.CodeOldXLS, ""},
		"workbook with a password": {"a.xlsx", compound("Root Entry", "EncryptedPackage"), "", ingest.CodeEncrypted, "password"},
		"old Word document":        {"a.xls", compound("Root Entry", "WordDocument"), "", ingest.CodeFormatUnknown, "not a sheet"},
		"PDF":                      {"a.csv", []byte("%PDF-1.7\n"), "", ingest.CodeFormatUnknown, "PDF"},
		"gzip":                     {"a.csv.gz", []byte("\x1f\x8b\x08\x00"), "", ingest.CodeFormatUnknown, "gzip"},
		"7-Zip":                    {"a.csv", []byte("7z\xbc\xaf\x27\x1c\x00"), "", ingest.CodeFormatUnknown, "7-Zip"},
		"web page":                 {"a.xls", []byte("\xEF\xBB\xBF \n<HTML><body><table>"), "", ingest.CodeFormatUnknown, "web page"},
		"web page in UTF-16":       {"a.xls", inUTF16("<html>", false), "", ingest.CodeFormatUnknown, "web page"},
		"table without a page":     {"a.xls", []byte("<div><table border=1>"), "", ingest.CodeFormatUnknown, "web page"},
		"XML":                      {"a.xls", []byte(`<?xml version="1.0"?><Workbook/>`), "", ingest.CodeFormatUnknown, "XML"},
		"picture":                  {"a.xlsx", []byte("\x89PNG\r\n\x1a\n"), "", ingest.CodeFormatUnknown, "picture"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ingest.Open(write(t, c.file, c.content), ingest.Options{})
			if c.code == "" {
				must(t, err)
				if s.Format() != c.format {
					t.Errorf("format %q", s.Format())
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			var d *ingest.Defect
			if !errors.As(err, &d) || d.Code != c.code || !strings.Contains(d.Message, c.says) {
				t.Errorf("got %v, want %s with %q", err, c.code, c.says)
			}
		})
	}
}

func TestADefectNamesTheWrongExtension(t *testing.T) {
	_, d := read(t, write(t, "a.csv", newBook(`<row r="0"/>`).zip(t)), ingest.Options{})
	if d == nil || !strings.Contains(d.Message, "named .csv but holds an Excel workbook") {
		t.Errorf("got %v", d)
	}
	_, d = read(t, write(t, "a.XLSX", []byte("a,\"b\n")), ingest.Options{})
	if d == nil || !strings.Contains(d.Message, "named .xlsx but holds plain text") {
		t.Errorf("got %v", d)
	}
}

func TestOptionsThatDoNotExistAreNoDefects(t *testing.T) {
	path := write(t, "a.csv", []byte("ref,amount\n"))
	for _, o := range []ingest.Options{{Encoding: "latin-9"}, {Hidden: "perhaps"}} {
		_, err := ingest.Open(path, o)
		var d *ingest.Defect
		if err == nil || errors.As(err, &d) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Two times at which no test file was written.
var (
	before = time.Date(2020, time.January, 2, 3, 4, 5, 0, time.UTC)
	then   = before.Add(time.Second)
)
