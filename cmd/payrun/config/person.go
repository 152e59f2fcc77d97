package config

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"os/user"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// named says who acts: whoever a flag or the environment names, else the
// system user. by is what named them, "" for the system user.
func (s Sources) named() (actor, by string, err error) {
	for _, given := range []struct{ by, name string }{{"--actor", s.Actor}, {"PAYRUN_ACTOR", s.Getenv("PAYRUN_ACTOR")}} {
		if given.name == "" {
			continue
		}
		actor, err := personName(given.by, given.name)
		return actor, given.by, err
	}
	return SystemUser(), "", nil
}

// maxName bounds the name of a person, in bytes.
const maxName = 200

// personName reads the name of a person. What does not show could make two
// people of one, so a name is made of characters that do; what only looks wider,
// smaller or composed is the same name (NFKC), and so are more spaces.
func personName(by, name string) (string, error) {
	if !utf8.ValidString(name) {
		return "", wrong("%s is not valid UTF-8", by)
	}
	for _, r := range name {
		if !shows(r) {
			return "", wrong("%s has a character that does not show (U+%04X): it could pass for another person", by, r).
				hint("write the name in letters, digits and punctuation")
		}
	}
	folded := strings.Join(strings.Fields(norm.NFKC.String(name)), " ")
	switch {
	case folded == "":
		return "", wrong("%s is empty", by)
	case len(folded) > maxName:
		return "", wrong("%s is longer than %d bytes", by, maxName)
	}
	return folded, nil
}

// shows reports whether a character is drawn. Joiners, fillers, variation
// selectors and direction marks are not.
func shows(r rune) bool {
	const brailleBlank = '\u2800'
	return (unicode.IsPrint(r) || unicode.Is(unicode.Zs, r)) && r != brailleBlank && r != unicode.ReplacementChar &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !unicode.Is(unicode.Variation_Selector, r)
}

// SystemUser is who runs the program, as the system knows them: the name of
// the real user id, or "uid:1000" where the system has none for it. Nothing
// that the user sets themselves (USER, LOGNAME) is asked.
func SystemUser() string {
	uid := strconv.Itoa(os.Getuid())
	name := ""
	if libraryKnowsUsers {
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	} else if list, err := os.ReadFile("/etc/passwd"); err == nil {
		name = nameIn(list, uid)
	}
	return cmp.Or(strings.TrimSpace(name), "uid:"+uid)
}

// nameIn finds the name of a user id in a list as /etc/passwd is one. Without the
// C library os/user reads it too, but where the id is not in it takes $USER.
func nameIn(list []byte, uid string) string {
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		if field := strings.Split(lines.Text(), ":"); len(field) > 2 && field[2] == uid {
			return field[0]
		}
	}
	return ""
}
