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
	dec := json.NewDecoder(bytes.NewReader(text))
	opening, err := dec.Token()
	for err == nil && dec.More() {
		err = readBranch(dec, opening == json.Delim('{'), into)
	}
	if err == nil {
		_, err = dec.Token() // the end of the list
	}
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is something after the list")
		}
	}
	if err == nil {
		return nil
	}
	at := dec.InputOffset()
	if _, ok := errors.AsType[*json.SyntaxError](err); ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("not valid JSON: %w", err)
	}
	return &ListError{Line: 1 + bytes.Count(text[:at], []byte("\n")), Why: err.Error()}
}

// readBranch reads one object. If the IFSC is the key, the object may also contain it.
func readBranch(dec *json.Decoder, keyed bool, into *collector) error {
	var key json.Token
	if keyed {
		var err error
		if key, err = dec.Token(); err != nil {
			return err
		}
	}
	var fields map[string]any
	err := dec.Decode(&fields)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return errors.New("want an object for each branch, or a list of such objects")
	}
	if err != nil {
		return err
	}
	values := map[string]string{}
	for name, value := range fields {
		f, known := fieldWords[visible.FoldHeader(name)]
		if !known {
			continue
		}
		if _, again := values[f]; again {
			return fmt.Errorf("the branch has two fields %s", f)
		}
		text, ok := value.(string)
		if !ok && value != nil { // null is an empty field
			return fmt.Errorf("%s is not text", f)
		}
		values[f] = text
	}
	if _, named := values[fieldBranch]; !named {
		return errors.New("the branch has no field BRANCH")
	}
	if code, named := values[fieldIFSC]; keyed && named && visible.Trim(code) != visible.Trim(key.(string)) {
		return fmt.Errorf("the branch %q has the IFSC %q", visible.Shorten(key.(string)), visible.Shorten(code))
	}
	if keyed {
		values[fieldIFSC] = key.(string) // a key is always a string
	}
	return into.add(values)
}
