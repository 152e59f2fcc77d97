package ingest

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

const (
	formatCSV  = "csv"
	formatXLSX = "xlsx"

	// FormatPain is a customer credit transfer initiation of ISO 20022.
	FormatPain = "pain.001"
)

// magics are the first bytes of files of other formats.
var magics = [...]struct {
	bytes string
	what  string
}{
	{"%PDF-", "a PDF document"},
	{"\x1f\x8b", "a file compressed with gzip"},
	{"BZh", "a file compressed with bzip2"},
	{"\xfd7zXZ\x00", "a file compressed with xz"},
	{"\x28\xb5\x2f\xfd", "a file compressed with zstd"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"},
	{"Rar!\x1a\x07", "a RAR archive"},
	{"{\\rtf", "a rich text document"},
	{"\x89PNG\r\n\x1a\n", "a picture"},
	{"\xff\xd8\xff", "a picture"},
	{"GIF8", "a picture"},
	{"PAR1", "a Parquet file"},
	{"SQLite format 3\x00", "a database"},
}

// oleMagic begins every compound file of old Office: .xls, .doc, and a new workbook with a password.
const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// detect finds the format from the first bytes, or refuses the file.
func detect(head []byte, f *file) (string, error) {
	name := f.name
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return formatXLSX, nil
	case bytes.HasPrefix(head, []byte(oleMagic)):
		return "", oleDefect(head, f)
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return "", defect(CodeFormatUnknown, 0, "%s is %s, whatever its name says", name, m.what)
		}
	}
	if isPain, err := detectPain(head, name); isPain || err != nil {
		return FormatPain, err
	}
	switch b := Opening(head); {
	case bytes.HasPrefix(b, []byte(`{"`)), bytes.HasPrefix(b, []byte(`[{`)):
		return "", defect(CodeFormatUnknown, 0, "%s is JSON, not a sheet", name).fixedBy("Export it as CSV UTF-8 or as an Excel workbook.", noOption)
	case bytes.HasPrefix(bytes.ToLower(b), []byte("<?xml")):
		return "", defect(CodeFormatUnknown, 0, "%s is an XML document, whatever its name says", name)
	case bytes.HasPrefix(b, []byte("<")) && IsWebPage(b): // some programs name it .xls
		return "", defect(CodeFormatUnknown, 0, "%s is a web page (HTML), whatever its name says", name)
	}
	return formatCSV, nil
}

// oleDefect tells a workbook with a password from an old workbook by the streams in the directory of the
// compound file.
func oleDefect(head []byte, f *file) error {
	names := bytes.ReplaceAll(oleDirectory(head, f), []byte{0}, nil) // UTF-16, all of it ASCII
	has := func(stream string) bool { return bytes.Contains(names, []byte(stream)) }
	switch {
	case has("EncryptedPackage"), has("EncryptionInfo"):
		return defect(CodeEncrypted, 0, "%s is protected by a password", f.name)
	case has("WordDocument"), has("PowerPoint Document"), has("__properties_version1.0"):
		return defect(CodeFormatUnknown, 0, "%s is a Microsoft Office document or mail, not a sheet", f.name)
	}
	return defect(CodeOldXLS, 0, "%s is an Excel 97-2003 workbook", f.name)
}

// oleDirectory returns the first sector of the directory, which names the streams, or head if the header points
// nowhere ([MS-CFB] 2.2).
func oleDirectory(head []byte, f io.ReaderAt) []byte {
	if len(head) < 512 {
		return head
	}
	size := int64(1) << (binary.LittleEndian.Uint16(head[30:]) & 15)
	sector := make([]byte, size)
	if n, err := f.ReadAt(sector, (int64(binary.LittleEndian.Uint32(head[48:]))+1)*size); err != nil && n == 0 {
		return head
	}
	return sector
}

// Opening returns the first bytes of a file, which show its format, without spaces or a byte order mark before them
// and, for UTF-16, without zeros.
func Opening(content []byte) []byte {
	b := content[:min(len(content), 2048)]
	if bytes.HasPrefix(b, bomUTF16LE) || bytes.HasPrefix(b, bomUTF16BE) {
		b = bytes.ReplaceAll(b[2:], []byte{0}, nil)
	}
	return bytes.TrimLeft(bytes.TrimPrefix(b, bomUTF8), " \t\r\n")
}

// IsWebPage reports whether markup that begins so is a web page, which banks and programs name .xls.
func IsWebPage(opening []byte) bool {
	b := bytes.ToLower(opening)
	has := func(tag string) bool { return bytes.Contains(b, []byte(tag)) }
	return bytes.HasPrefix(b, []byte("<!doctype html")) || slices.ContainsFunc([]string{"<html", "<table", "<meta", "<style"}, has)
}
