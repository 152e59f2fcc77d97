package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// rights are payrun's rights on tables, besides reading all of them and the server's statistics. They do not
// cover rules and migrations: only the owner changes those. ledger and loads are locked by rows, which needs
// UPDATE. DELETE covers only lists that the bank or a person replaces, and rows that are computed again.
var rights = []struct{ privilege, tables string }{
	{"INSERT", `attempts bank_lists batches branch_list branches corrections events
		homes intents looks observations origins passwords payee_names payee_payouts payouts proposals routes runs
		sheet_contents sheet_readings sheets statement_breaks statement_lines statement_matches statement_open
		statement_readings statement_same statement_stale statement_words suspicions wire_keys`},
	{"UPDATE", `attempts batches intents ledger loads payees_indexed runs sheets statement_stale`},
	{"DELETE", `bank_lists branch_list branches copied statement_breaks statement_matches
		statement_open statement_stale`},
}

// lacks returns the GRANT statements for a role's missing rights, to read or also to write.
func lacks(ctx context.Context, r sqlite.Reader, role string, write bool) (grants []string, err error) {
	needs := `('SELECT', NULL::name[])`
	if write {
		for _, n := range rights {
			needs += fmt.Sprintf(`, ('%s', '{%s}'::name[])`, n.privilege, strings.Join(strings.Fields(n.tables), ","))
		}
	}
	return sqlite.List(ctx, r, func(grant *string) []any { return []any{grant} }, `SELECT format('GRANT USAGE ON SCHEMA payrun TO %I', ?1) WHERE NOT has_schema_privilege(?1, 'payrun', 'USAGE')
		UNION ALL SELECT format('GRANT %s ON %s TO %I', need.privilege, string_agg('payrun.' || c.relname, ', ' ORDER BY c.relname), ?1)
			FROM (VALUES `+needs+`) need (privilege, tables)
			JOIN pg_class c ON c.relnamespace = to_regnamespace('payrun') AND c.relkind IN ('r', 'v') AND (need.tables IS NULL OR c.relname = ANY (need.tables))
			WHERE NOT has_table_privilege(?1, c.oid, need.privilege) GROUP BY need.privilege
		UNION ALL SELECT format('GRANT pg_read_all_stats TO %I', ?1) WHERE ?2 = 1 AND NOT pg_has_role(?1, 'pg_read_all_stats', 'USAGE')`, role, write)
}

// missing returns the error of a role that lacks rights, or nil.
func missing(grants []string) error {
	if len(grants) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ledger.ErrNoRight, strings.Join(grants, "; "))
}

// ErrNoRole: there is no such role. Only a person can create one, because it needs a way to log in.
var ErrNoRole = errors.New("the database has no such role; make it with CREATE ROLE")

// Give gives a role the rights to work with the ledger, and returns what it gave. It returns ledger.ErrNoRight
// with what the connection's user may not give.
func (s *Server) Give(ctx context.Context, role string) (given []string, err error) {
	if _, err := s.Open(ctx); err != nil {
		return nil, err
	}
	defer func() { err = sqlite.Damage("give "+role+" its rights", err) }()
	e := &engine{pool: s.pool, writable: true}
	var there bool
	if err := e.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ?)`, role).Scan(&there); err != nil {
		return nil, err
	}
	if !there {
		return nil, ErrNoRole
	}
	grants, err := lacks(ctx, e, role, true)
	if err != nil {
		return nil, err
	}
	for _, grant := range grants { // a grant that this user may not give ends with an error, or only with a warning
		_, err := e.write(ctx, func(w sqlite.Writer) error { return w.(*transaction).script(ctx, grant) }, lockLedger)
		if err != nil && !means(err, ledger.ErrNoRight) {
			return nil, err
		}
	}
	left, err := lacks(ctx, e, role, true)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(grants, func(grant string) bool { return slices.Contains(left, grant) }), missing(left)
}
