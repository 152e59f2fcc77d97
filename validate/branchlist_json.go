package validate

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// readBranchesJSON reads a list in either of its shapes, one branch after the
// other.
func readBranchesJSON(path string, into *branchReader) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	text := bufio.NewReader(io.TeeReader(io.LimitReader(f, maxBranchListBytes), hash)) // it may be growing
	bom := int64(0)
	if mark, err := text.Peek(3); err == nil && string(mark) == "\ufeff" {
		n, _ := text.Discard(len(mark)) // they were peeked at
		bom = int64(n)
	}
	j := branchJSON{dec: json.NewDecoder(text), into: into}
	if err := j.list(); err != nil {
		return "", j.refuse(f, bom, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// branchJSON reads tokens, because a decoder into a struct takes the last of
// repeated keys and says nothing.
type branchJSON struct {
	dec  *json.Decoder
	into *branchReader
}

// errBranch is what is wrong with the branch that begins where at points.
type errBranch struct {
	at  int64
	err error
}

func (e *errBranch) Error() string { return e.err.Error() }

func (j *branchJSON) list() error {
	opening, err := j.dec.Token()
	if err != nil {
		return err
	}
	for j.dec.More() {
		key := ""
		if opening == json.Delim('{') {
			t, err := j.dec.Token()
			if err != nil {
				return err
			}
			key = t.(string) // a decoder gives nothing else for a key
		}
		if err := j.branch(key); err != nil {
			return err
		}
	}
	if _, err := j.dec.Token(); err != nil { // the end of the list
		return err
	}
	if _, err := j.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the list")
	}
	return nil
}

// branch reads one object. In the shape with keys the object may name its IFSC
// once more.
func (j *branchJSON) branch(key string) error {
	opening, err := j.dec.Token()
	if err != nil {
		return err
	}
	at := j.dec.InputOffset()
	bad := func(format string, args ...any) error { return &errBranch{at, fmt.Errorf(format, args...)} }
	if opening != json.Delim('{') {
		return bad("want an object for each branch, or a list of such objects")
	}
	var values [branchFields]string
	var seen [branchFields]bool
	for j.dec.More() {
		name, err := j.dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := j.dec.Decode(&value); err != nil {
			return err
		}
		f, ok := branchHeaders[foldHeader(name.(string))]
		if !ok {
			continue
		}
		if seen[f] {
			return bad("the branch has two fields %s", branchFieldNames[f])
		}
		seen[f] = true
		if string(value) == "null" {
			continue
		}
		if err := json.Unmarshal(value, &values[f]); err != nil {
			return bad("%s is no text", branchFieldNames[f])
		}
	}
	if _, err := j.dec.Token(); err != nil {
		return err
	}
	if key != "" {
		if seen[fieldIFSC] && trim(values[fieldIFSC]) != trim(key) {
			return bad("the branch %q has the IFSC %q", shorten(key), shorten(values[fieldIFSC]))
		}
		values[fieldIFSC] = key
	}
	if !seen[fieldBranch] {
		return bad("the branch has no field BRANCH")
	}
	if err := j.into.add(0, values); err != nil {
		refused, _ := errors.AsType[*BranchListError](err)
		return bad("%s", refused.Why)
	}
	return nil
}

// refuse says on which line it is, and passes on what is wrong with the
// machine and not with the list.
func (j *branchJSON) refuse(f *os.File, bom int64, err error) error {
	at, why := j.dec.InputOffset(), err.Error()
	if b, ok := errors.AsType[*errBranch](err); ok {
		return &BranchListError{Line: lineAt(f, bom+b.at), Why: why}
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &BranchListError{Line: lineAt(f, bom+max(at, s.Offset)), Why: "this is no JSON: " + why}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &BranchListError{Line: lineAt(f, maxBranchListBytes), Why: "the file ends in the middle"}
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return &BranchListError{Line: lineAt(f, bom+at), Why: why}
}
