package postgres

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// onlyHere are what PostgreSQL's schema has more: where the ledger is, who works on it, and
// what numbers rows.
var onlyHere = regexp.MustCompile(`^(table|index|trigger|row) (homes|suspicions|runs|loads)(\b|_)|^trigger \w+_number |: nonce |: run TEXT |^refusal where the ledger was|^refusal a run that is over`)

// The two schemas have the same tables, columns, checks, indexes, triggers, refusals and
// rows of rules.
func TestTheSchemasAreTheSame(t *testing.T) {
	theirs, ours := schemaOf(t, "../sqlite/migrations/0001_schema.sql"), schemaOf(t, "migrations/0001_schema.sql")
	for _, fact := range theirs {
		if !slices.Contains(ours, fact) {
			t.Errorf("only SQLite has: %s", fact)
		}
	}
	for _, fact := range ours {
		if !slices.Contains(theirs, fact) && !onlyHere.MatchString(fact) {
			t.Errorf("only PostgreSQL has: %s", fact)
		}
	}
	if len(theirs) < 450 {
		t.Errorf("%d facts were read", len(theirs))
	}
}

var (
	table   = regexp.MustCompile(`(?ms)^CREATE TABLE (\w+) \(\n(.*?)\n\)( STRICT)?(, WITHOUT ROWID)?;`)
	index   = regexp.MustCompile(`(?ms)^CREATE (?:UNIQUE )?INDEX (\w+ ON .*?);`)
	trigger = regexp.MustCompile(`(?m)^CREATE TRIGGER (\w+ (?:BEFORE|AFTER) \w+)`)
	refusal = regexp.MustCompile(`(?:ABORT, |refuse\(|no_step\(|THEN )('(?:[^']|'')*[a-z] [a-z](?:[^']|'')*')`)
	insert  = regexp.MustCompile(`(?ms)^INSERT INTO (\w+) .*?VALUES\n?(.*?);`)
)

// dialect brings what the two write in different words to one. References are left out: on
// PostgreSQL those of rows that come by the million are left to verify.
var dialect = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\bctext\b`), `TEXT`},
	{regexp.MustCompile(`\bbigint\b`), `INTEGER`},
	{regexp.MustCompile(`\bbytea\b`), `BLOB`},
	{regexp.MustCompile(` REFERENCES \w+ \(\w+\)( DEFERRABLE)?`), ``},
	{regexp.MustCompile(`\n\tFOREIGN KEY [^\n]*`), ``},
	{regexp.MustCompile(`NOT GLOB '\*\[\^(\S+)\]\*'`), `~ '^[$1]*$$'`},
	{regexp.MustCompile(`GLOB '(\$\w+\$)\*'`), `LIKE '$1%'`},
	{regexp.MustCompile(`\bifnull\(`), `coalesce(`},
	{regexp.MustCompile(`\bmax\(at, `), `greatest(at, `},
	{regexp.MustCompile(`, false\)`), `, 0)`},
	{regexp.MustCompile(`jsonb_typeof\((\w+)::jsonb\)`), `json_type($1)`},
	{regexp.MustCompile(`json_valid\((\w+)\)`), `json_type($1) = 'object'`},
	{regexp.MustCompile(`jsonb_array_length\((\w+)::jsonb\)`), `json_array_length($1)`},
	{regexp.MustCompile(`\(carried = 1\)`), `carried`},
	{regexp.MustCompile(`CASE (coalesce\(\w+, ''\)) WHEN ('\w+') THEN ([^\n]*) ELSE ([^\n]*) END`), `iif($1 = $2, $3, $4)`},
}

// schemaOf are the facts of a schema, in the words that both have in common.
func schemaOf(t *testing.T, file string) (facts []string) {
	b, err := os.ReadFile(file)
	must(t, err)
	text := regexp.MustCompile(` *--[^\n]*`).ReplaceAllString(string(b), "")
	for _, word := range dialect {
		text = word.from.ReplaceAllString(text, word.to)
	}
	for _, m := range table.FindAllStringSubmatch(text, -1) {
		for line := range strings.SplitSeq(m[2], "\n\t") {
			facts = append(facts, "table "+m[1]+": "+strings.TrimRight(strings.Join(strings.Fields(line), " "), ","))
		}
	}
	for _, m := range index.FindAllStringSubmatch(text, -1) {
		facts = append(facts, "index "+strings.Join(strings.Fields(m[1]), " "))
	}
	for _, m := range trigger.FindAllStringSubmatch(text, -1) {
		facts = append(facts, "trigger "+m[1]+" ")
	}
	for _, m := range refusal.FindAllStringSubmatch(text, -1) {
		facts = append(facts, "refusal "+strings.Trim(m[1], "'"))
	}
	for _, m := range insert.FindAllStringSubmatch(text, -1) {
		for row := range strings.SplitSeq(m[2], "\n") {
			facts = append(facts, "row "+m[1]+": "+strings.Trim(strings.Join(strings.Fields(row), " "), ","))
		}
	}
	return facts
}
