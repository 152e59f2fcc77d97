package postgres

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// translated caches translated queries: the program has a few hundred.
var translated sync.Map

// translate turns a query of ledger/sqlite into one for PostgreSQL. The rest is the same in both, or a function
// of the schema (json_each, iif, min of two).
func translate(query string) string {
	if t, ok := translated.Load(query); ok {
		return t.(string)
	}
	t := numbered(words.Replace(hints.ReplaceAllString(query, "")))
	translated.Store(query, t)
	return t
}

// hints matches the index names that SQLite has to use.
var hints = regexp.MustCompile(` (INDEXED BY \w+|NOT INDEXED)\b`)

var words = strings.NewReplacer(
	`ifnull(`, `coalesce(`,
	`CROSS JOIN `, `JOIN `, // for CROSS JOIN SQLite keeps this order of joins; each has its ON
	`json_group_array(payout_id)`, `'[' || string_agg(payout_id::text, ',' ORDER BY payout_id) || ']'`,
	`char(1114111)`, `chr(1114111)`,
)

// numbered turns SQLite's ? and ?N into $N. A ? without a number gets the number after the highest one before
// it.
func numbered(query string) string {
	var b strings.Builder
	highest, quoted := 0, false
	for i := 0; i < len(query); i++ {
		c := query[i]
		if c == '\'' {
			quoted = !quoted
		}
		if c != '?' || quoted {
			b.WriteByte(c)
			continue
		}
		end := i + 1
		for end < len(query) && '0' <= query[end] && query[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(query[i+1 : end])
		if err != nil {
			n = highest + 1
		}
		highest = max(highest, n)
		b.WriteString("$" + strconv.Itoa(n))
		i = end - 1
	}
	return b.String()
}
