package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// markSuffix names the side file that records how far the ledger had come. It is next to the ledger and not in
// it, so that payrun notices a copy put in the ledger's place (safety.md, "Local faults").
const markSuffix = ".head"

// Mark is the high-water mark: the audit head of a ledger as last seen. It is next to a ledger file; for a
// ledger on a server each machine has its own.
type Mark struct {
	Schema   string `json:"schema"`
	LedgerID string `json:"ledger_id"`
	Length   int64  `json:"length"`
	Hash     string `json:"hash"`
	Restores int64  `json:"restores,omitempty"` // on a server: how often a person has accepted the ledger as restored
}

const markSchema = "payrun.head/v1"

// highWaterMark is the store's state of its mark.
type highWaterMark struct {
	mu     sync.Mutex
	known  Mark
	behind error // the ledger does not contain the mark: it sends nothing
	failed error // the mark could not be written
}

// Restored returns ledger.ErrRestored with the reason if the ledger does not contain its high-water mark, else
// nil. On an error no intent to send is recorded until a person accepts the ledger as it is.
func (s *Store) Restored() error { return s.mark.behind }

// ReadMark reads a mark from a file and checks its schema. If there is no file, the mark is zero.
func ReadMark(path, schema string) (m Mark, err error) {
	text, err := readShort(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, nil
	case err != nil:
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Schema != schema || m.LedgerID == "" || m.Length < 1 || m.Hash == "" {
		return m, fmt.Errorf("%s is not a high-water mark", path)
	}
	return m, nil
}

// mostShort bounds the files next to a ledger, in bytes: its mark, and the name of who holds its lock.
const mostShort = 4 << 10

// readShort reads a regular file, up to mostShort. It does not follow a link at that path.
func readShort(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file (%s)", path, info.Mode().Type())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, mostShort))
	return text, errors.Join(err, f.Close())
}

func (s *Store) readMark() (Mark, error) { return ReadMark(s.path+markSuffix, markSchema) }

// compareMark says in words why the ledger may have lost something: it is marked as a copy, or does not contain
// the mark. Otherwise it returns "".
func (s *Store) compareMark(ctx context.Context, r Reader, m Mark) (string, error) {
	if why, err := isCopy(ctx, r); err != nil || why != "" {
		return why, err
	}
	head, err := auditHead(ctx, r)
	switch {
	case err != nil:
		return "", err
	case m == (Mark{}) && head.Length > 1: // every ledger gets a mark: this one was copied, or its mark was removed
		return fmt.Sprintf("there is no high-water mark (%s)", filepath.Base(s.path)+markSuffix), nil
	case m == (Mark{}): // init may have died just before it wrote the mark
		return "", nil
	case m.LedgerID != s.id:
		return fmt.Sprintf("its mark is of ledger %s, and this is ledger %s", m.LedgerID, s.id), nil
	}
	var hash string
	err = r.QueryRow(ctx, `SELECT ifnull((SELECT hash FROM events WHERE seq = ?), '')`, m.Length).Scan(&hash)
	return m.Lacks(head.Length, hash), err
}

// Lacks says in words what of the mark a ledger lacks, or "". length is the length of its audit trail, hash
// that of its event at the mark, or "" if there is none.
func (m Mark) Lacks(length int64, hash string) string {
	switch {
	case length < m.Length:
		return fmt.Sprintf("its audit trail ends with event %d, and had reached event %d", length, m.Length)
	case hash != m.Hash:
		return fmt.Sprintf("its event %d is not the one that was recorded", m.Length)
	}
	return ""
}

// Text returns the content of the mark's file.
func (m Mark) Text() []byte {
	text, _ := json.Marshal(m) // it has only texts and numbers
	return append(text, '\n')
}

// checkMark compares the ledger with its mark when it is opened. When opened for writing, a new ledger gets its
// first mark. From then on a process that dies at any moment leaves a mark that is behind the ledger, never
// none.
func (s *Store) checkMark(ctx context.Context) error {
	m, err := s.readMark()
	if err != nil {
		s.mark.behind = fmt.Errorf("%w, or it cannot be checked: %w", ledger.ErrRestored, err)
		return nil
	}
	why, err := s.compareMark(ctx, s.db, m)
	if err != nil {
		return err
	}
	s.mark.known = m
	if why != "" {
		s.mark.behind = fmt.Errorf("%w: %s", ledger.ErrRestored, why)
	}
	if m == (Mark{}) && s.write != nil {
		_ = s.raiseMark(ctx) // kept in s.mark.failed; the first intent and Close report it
	}
	return nil
}

// mayIntend refuses the intent to send if the ledger may have lost what was sent before, if its mark cannot be
// written, or if another file has replaced the one that is open and locked.
func (s *Store) mayIntend() error {
	if err := s.stillThere(); err != nil {
		return err
	}
	s.mark.mu.Lock()
	defer s.mark.mu.Unlock()
	return errors.Join(s.mark.behind, s.mark.failed)
}

// raiseMark writes the audit head to the side file. The mark never goes backwards: a ledger that is behind its
// mark does not change it.
func (s *Store) raiseMark(ctx context.Context) error {
	s.mark.mu.Lock()
	defer s.mark.mu.Unlock()
	if s.mark.behind != nil {
		return nil
	}
	head, err := s.AuditHead(ctx)
	if err != nil || head.Length <= s.mark.known.Length {
		return err
	}
	// Without the lock file two runs may write the mark: the higher one stays.
	if there, err := s.readMark(); err == nil && there.LedgerID == s.id && there.Length > head.Length {
		return nil
	}
	s.mark.failed = s.writeMark(head)
	return s.mark.failed
}

// writeMark replaces the whole side file. The new content survives a power loss.
func (s *Store) writeMark(head ledger.AuditHead) error {
	m := Mark{Schema: markSchema, LedgerID: s.id, Length: head.Length, Hash: head.Hash}
	if err := sharingOf(s.path).write(s.path+markSuffix, m.Text(), os.Rename); err != nil {
		return fmt.Errorf("write the high-water mark: %w: %w", ledger.ErrLedgerDamaged, err)
	}
	s.mark.known = m
	return nil
}

// ReplaceFile replaces the content of path, completely or not at all, for this user only.
func ReplaceFile(path string, content []byte) error { return sharing{}.write(path, content, os.Rename) }

// AcceptRestored records that a person accepts the ledger as it is, although it is behind its mark or a copy,
// and sets a new mark. It returns ledger.ErrNotFound if there is nothing to accept.
func (s *Store) AcceptRestored(ctx context.Context, actor, reason string, at time.Time) error {
	if s.mark.behind == nil {
		return fmt.Errorf("accept the ledger as restored: %w: it contains its high-water mark", ledger.ErrNotFound)
	}
	was := "no readable mark"
	if m := s.mark.known; m != (Mark{}) {
		was = fmt.Sprintf("mark %d %s of ledger %s", m.Length, m.Hash, m.LedgerID)
	}
	if err := s.Tables.AcceptRestored(ctx, was, actor, reason, at, func(Writer) error { return nil }); err != nil {
		return err
	}
	head, err := s.AuditHead(ctx)
	if err != nil {
		return err
	}
	s.mark.mu.Lock()
	defer s.mark.mu.Unlock()
	if err := s.writeMark(head); err != nil {
		return err
	}
	s.mark.behind, s.mark.failed = nil, nil
	return nil
}

// AcceptRestored records that a person accepts the ledger as it is, and why it was not accepted before. also
// writes the engine's own records.
func (s *Tables) AcceptRestored(ctx context.Context, was, actor, reason string, at time.Time, also func(Writer) error) error {
	return s.inTx(ctx, "accept the ledger as restored", func(tx Writer) error {
		why, err := isCopy(ctx, tx)
		if err != nil {
			return err
		}
		err = s.appendEvent(ctx, tx, ledger.RestoredEvent(strings.TrimPrefix(why+"; "+was, "; "), reason, actor, at))
		if err != nil {
			return err
		}
		forgot, err := forgottenSince(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO statement_stale (account, day) SELECT DISTINCT account, ? FROM statement_readings WHERE true
			ON CONFLICT (account) DO UPDATE SET day = min(statement_stale.day, excluded.day)`, reconcile.NamedFrom(forgot))
		if err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `DELETE FROM copied`); err != nil {
			return err
		}
		return also(tx)
	})
}
