package ifsc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"payrun/ingest/visible"
)

// readJSON reads a list in either of its two forms.
func readJSON(text []byte, into *collector) error {
	r := jsonReader{dec: json.NewDecoder(bytes.NewReader(text))}
	err := r.list(into)
	if err == nil {
		return nil
	}
	at, why := r.fault(err, int64(len(text)))
	return &ListError{Line: 1 + bytes.Count(text[:at], []byte("\n")), Why: why}
}

// jsonReader reads token by token: a decoder into a struct or a map takes the last of
// two fields of one name and says nothing.
type jsonReader struct {
	dec *json.Decoder
	at  int64 // where what is being read begins
}

func (r *jsonReader) list(into *collector) error {
	opening, err := r.dec.Token()
	for err == nil && r.dec.More() {
		err = r.branch(opening == json.Delim('{'), into)
	}
	if err == nil {
		_, err = r.dec.Token() // what closes the list
	}
	if err != nil {
		return err
	}
	r.at = r.dec.InputOffset()
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
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
		if key, err = r.dec.Token(); err != nil {
			return err
		}
	}
	opening, err := r.dec.Token()
	if err != nil {
		return err
	}
	r.at = r.dec.InputOffset()
	if opening != json.Delim('{') {
		return errors.New("want an object for each branch, or a list of such objects")
	}
	fields, err := r.fields()
	if err != nil {
		return err
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

// fields reads an object whose brace is open up to the one that closes it.
func (r *jsonReader) fields() (map[string]string, error) {
	fields := map[string]string{}
	for r.dec.More() {
		name, err := r.dec.Token()
		if err != nil {
			return nil, err
		}
		var value any
		if err := r.dec.Decode(&value); err != nil {
			return nil, err
		}
		f, known := fieldWords[visible.FoldHeader(name.(string))]
		if !known {
			continue
		}
		if _, again := fields[f]; again {
			return nil, fmt.Errorf("the branch has two fields %s", f)
		}
		text, ok := value.(string)
		if !ok && value != nil { // null is an empty field
			return nil, fmt.Errorf("%s is not text", f)
		}
		fields[f] = text
	}
	_, err := r.dec.Token()
	return fields, err
}

// fault returns an error with its place in the text.
func (r *jsonReader) fault(err error, end int64) (at int64, why string) {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return min(max(r.dec.InputOffset(), syntax.Offset), end), "not valid JSON: " + err.Error()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return end, "the file ends in the middle"
	}
	return r.at, err.Error()
}
