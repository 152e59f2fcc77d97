package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
)

// migrations holds one file a schema version, in order of their names.
//
//go:embed migrations/*.sql
var migrations embed.FS

func migrationNames() []string {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		panic(err) // the pattern is a constant
	}
	return names
}

// latestVersion is the schema this program works with.
func latestVersion() int { return len(migrationNames()) }

// migrate brings the schema up to the version, all steps in one transaction.
func migrate(ctx context.Context, db *sql.DB, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing, before it the error is already told
	var have int
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	if have >= version {
		return nil
	}
	for i, name := range migrationNames()[have:version] {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, have+i+1)); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID)); err != nil {
		return err
	}
	return tx.Commit()
}
