package ifsc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"payrun/ingest/visible"
)

// readJSON reads a list in either of its shapes, and returns the file's
// SHA-256. The file is in memory as a whole, so that a fault has its line.
func readJSON(path string, into *collector) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxListBytes)) // it may be growing
	if err != nil {
		return "", err
	}
	text := bytes.TrimPrefix(data, []byte(byteOrderMark))
	r := jsonReader{json.NewDecoder(bytes.NewReader(text)), 0}
	if err := r.list(into); err != nil {
		at, why := r.fault(err, text)
		return "", &ListError{Line: 1 + bytes.Count(text[:at], []byte("\n")), Why: why}
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

type jsonReader struct {
	*json.Decoder
	at int64 // what is being read begins behind it
}

func (r *jsonReader) list(into *collector) error {
	opening, err := r.Token()
	for err == nil && r.More() {
		err = r.branch(opening == json.Delim('{'), into)
	}
	if err == nil {
		_, err = r.Token() // what closes the list
	}
	if err != nil {
		return err
	}
	r.at = r.InputOffset()
	if _, err := r.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the list")
	}
	return nil
}

// branch reads one object. Where the list has the IFSC as its key, the object
// may name it once more.
func (r *jsonReader) branch(keyed bool, into *collector) error {
	var key json.Token
	var err error
	if keyed {
		if key, err = r.Token(); err != nil {
			return err
		}
	}
	r.at = r.InputOffset()
	var values map[string]any
	if err := r.Decode(&values); err != nil {
		return err
	}
	fields := map[string]string{}
	for name, value := range values {
		f, known := fieldWords[visible.FoldHeader(name)]
		if !known {
			continue
		}
		if _, again := fields[f]; again {
			return fmt.Errorf("the branch has two fields %s", f)
		}
		text, ok := value.(string)
		if !ok && value != nil { // null is an empty field
			return fmt.Errorf("%s is not text", f)
		}
		fields[f] = text
	}
	if code, named := fields[fieldIFSC]; keyed && named && visible.Trim(code) != visible.Trim(key.(string)) {
		return fmt.Errorf("the branch %q has the IFSC %q", visible.Shorten(key.(string)), visible.Shorten(code))
	} else if keyed {
		fields[fieldIFSC] = key.(string) // a decoder gives nothing else for a key
	}
	if _, named := fields[fieldBranch]; !named {
		return errors.New("the branch has no field BRANCH")
	}
	return into.add(fields)
}

// fault returns an error with its place in the text.
func (r *jsonReader) fault(err error, text []byte) (at int, why string) {
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	behind := text[min(r.at, int64(len(text))):]
	begins := len(text) - len(bytes.TrimLeft(behind, " \t\r\n,:"))
	switch {
	case errors.As(err, &syntax):
		return min(max(begins, int(syntax.Offset)), len(text)), "not valid JSON: " + err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return len(text), "the file ends in the middle"
	case errors.As(err, &other):
		return begins, "want an object for each branch, or a list of such objects"
	}
	return begins, err.Error()
}
