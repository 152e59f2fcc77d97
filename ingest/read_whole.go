package ingest

import (
	"fmt"
	"io"
)

// Whole reads a file that is not a sheet in one piece, as carefully as Open reads a sheet: a regular file of at
// most limit bytes that does not change meanwhile. It returns the bytes and their SHA-256 in lower-case hex. A
// fault of the file itself is a *Defect.
func Whole(path string, limit int64) (content []byte, sha256 string, err error) {
	f, err := openFile(path, "", limit)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = f.Close() }()
	content, err = io.ReadAll(onlyReader{f})
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", f.name, err)
	}
	sha256, err = f.finish()
	return content, sha256, err
}
