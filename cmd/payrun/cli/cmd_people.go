package cli

import (
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) peopleCommand() command {
	system := &urfave.StringFlag{Name: "system-user", Usage: "the `USER` of this system that they are: what that user does at a terminal, they do"}
	may := &urfave.StringFlag{Name: "may", Usage: "the `ROLES`, separated by commas: view, load, approve, pay, or admin alone"}
	return command{
		name: "people", group: groupOther,
		brief: "who may use the desk",
		long: `People of the desk log in with a name and a password that they choose themselves, by a link that
works once. They are kept in the ledger, and each change of them is an event of the audit trail;
what is kept of the passwords is in no export. A name is never given twice. The first person is
admin: payrun desk prints a link for them.

To approve, to pay, to be admin, a new link for who is or may, and a system user, wait until
another person who is admin or may approve confirms them at the desk; where there is none who
surely is another, for a day. Where policy.two_person holds, a decision at a terminal is taken
from a system user whom --system-user names, and from no other.

A change of somebody for whom something waits goes on with it; --take-back ends it.`,
		exits: []int{exitLedger},
		sub: []command{
			{
				name: "add", args: "NAME",
				brief:    "let somebody use the desk; prints the link by which they choose their password",
				examples: []string{"payrun people add ravi --may load", "payrun people add mina --may approve,pay --system-user mina"},
				exits:    []int{exitLocked, exitLedger},
				flags:    []urfave.Flag{may, system},
				least:    1, most: 1,
				usage: needsRoles,
				run:   p.with(addPerson),
			},
			{
				name:     "list",
				brief:    "list who may use the desk",
				examples: []string{"payrun people list", "payrun people list --json"},
				exits:    []int{exitLedger},
				run:      p.with(listPeople),
			},
			{
				name: "change", args: "NAME",
				brief:    "give a person other roles, or a new link; ends where they are logged in",
				examples: []string{"payrun people change ravi --may load,pay", "payrun people change ravi --new-link", "payrun people change ravi --system-user ravi.k", "payrun people change ravi --take-back"},
				exits:    []int{exitLocked, exitLedger},
				flags: []urfave.Flag{may, system,
					&urfave.BoolFlag{Name: "new-link", Usage: "a link to choose another password; the old one holds until it is used"},
					&urfave.BoolFlag{Name: "take-back", Usage: "what waits for them: roles, link and system user"}},
				least: 1, most: 1,
				usage: needsChange,
				run:   p.with(changePerson),
			},
			{
				name: "remove", args: "NAME",
				brief:    "end what a person may do, and where they are logged in",
				examples: []string{"payrun people remove ravi"},
				exits:    []int{exitLocked, exitLedger},
				least:    1, most: 1,
				run: p.with(removePerson),
			},
		},
	}
}

func needsRoles(c *urfave.Context) error {
	if strings.TrimSpace(c.String("may")) == "" {
		return usage("payrun people add needs --may ROLES").Then(app.Do("help", "people", "add").Which("says which there are"))
	}
	return nil
}

func needsChange(c *urfave.Context) error {
	if strings.TrimSpace(c.String("may")) == "" && !c.Bool("new-link") && !c.Bool("take-back") && c.String("system-user") == "" {
		return usage("payrun people change needs --may ROLES, --system-user USER, --new-link or --take-back").Then(app.Do("help", "people", "change").Which("says which there are"))
	}
	return nil
}

func personRequest(c *urfave.Context) app.PersonRequest {
	r := app.PersonRequest{Name: c.Args().First(), NewLink: c.Bool("new-link"), TakeBack: c.Bool("take-back"), System: c.String("system-user")}
	if may := strings.TrimSpace(c.String("may")); may != "" {
		r.May = strings.Split(may, ",")
	}
	return r
}

func addPerson(ctx context.Context, s *session, c *urfave.Context) error {
	got, err := s.app.AddPerson(ctx, s.call, personRequest(c))
	if err != nil {
		return err
	}
	return s.writeInvited(got, got.Name+" may use the desk: "+strings.Join(roleWords(got.May), ", ")+".")
}

func changePerson(ctx context.Context, s *session, c *urfave.Context) error {
	got, err := s.app.ChangePerson(ctx, s.call, personRequest(c))
	if err != nil {
		return err
	}
	return s.writeInvited(got, got.Name+" may at the desk: "+strings.Join(roleWords(got.May), ", ")+".")
}

func removePerson(ctx context.Context, s *session, c *urfave.Context) error {
	name := app.PersonName(c.Args().First())
	if err := s.app.RemovePerson(ctx, s.call, name); err != nil {
		return err
	}
	return s.writeInvited(app.Invited{Name: name}, name+" may not use the desk any more.")
}

// writeInvited writes payrun.people/v1 of one person, or what was done in words.
func (s *session) writeInvited(got app.Invited, words string) error {
	if s.term.JSON {
		return s.document(doc.People{Schema: "payrun.people/v1", Name: got.Name, May: roleWords(got.May), Link: got.Link, Until: ledger.Instant(got.Until), Waits: waits(got.Waits), SystemWait: systemWaits(got.Waits)})
	}
	s.term.Resultf("%s", words)
	if g := got.Waits; g != nil {
		parts := roleWords(g.Gives)
		if g.Link != "" {
			parts = append(parts, "the link")
		}
		if g.System != "" {
			parts = append(parts, "the system user "+g.System)
		}
		what := strings.Join(parts, " and ")
		if g.From.IsZero() {
			s.term.Resultf("Before that holds (%s), another person who is admin or may approve has to confirm it at the desk.", what)
		} else {
			s.term.Resultf("There is nobody yet to confirm it (%s): it holds from %s on, and everybody sees it at the desk until then.", what, s.set.Clock(g.From))
		}
	}
	if got.Link != "" {
		s.term.Resultf("They choose their password once, until %s, at the desk's address with\n\n  %s\n\nGive it to nobody else: whoever opens it first is %s.", s.set.Clock(got.Until), got.Link, got.Name)
	}
	return nil
}

// systemWaits is the system user that somebody is not yet.
func systemWaits(g *ledger.Grant) string {
	if g == nil {
		return ""
	}
	return g.System
}

// waits are the roles that somebody does not have yet.
func waits(g *ledger.Grant) []string {
	if g == nil {
		return nil
	}
	return roleWords(g.Gives)
}

func listPeople(ctx context.Context, s *session, _ *urfave.Context) error {
	roster, err := s.app.People(ctx, s.call)
	if err != nil {
		return err
	}
	out := doc.PeopleList{Schema: "payrun.people/v1", People: []doc.Person{}}
	for _, p := range roster.People() {
		out.People = append(out.People, doc.Person{Name: p.Name, May: roleWords(p.May), Added: ledger.Instant(p.Added), State: s.joined(p), SystemUser: p.System, Waits: waits(p.Waits), SystemWait: systemWaits(p.Waits)})
	}
	if s.term.JSON {
		return s.document(out)
	}
	if len(out.People) == 0 {
		s.last = "Nobody may use the desk yet: it prints a link for the first person.\nNext: payrun desk"
		return nil
	}
	t := s.term.Table(term.Columns{"Name", "May", "Since", "Password", "At a terminal"})
	for i, p := range roster.People() {
		t.Row(p.Name, mayWords(out.People[i]), s.set.Clock(p.Added), map[string]string{"joined": "chosen", "invited": "not chosen yet", "link_over": "none; needs a new link"}[out.People[i].State], terminalWords(out.People[i]))
	}
	t.Render()
	return nil
}

func (s *session) joined(p ledger.Person) string {
	switch {
	case p.Password != "":
		return "joined"
	case p.Link != "" && s.world.Now().Before(p.LinkUntil):
		return "invited"
	}
	return "link_over"
}

// mayWords are the roles of a person, with those that wait.
func mayWords(p doc.Person) string {
	words := strings.Join(p.May, ", ")
	if len(p.Waits) > 0 {
		words += " (" + strings.Join(p.Waits, ", ") + " not yet)"
	}
	return words
}

// terminalWords is who a person is at a terminal, or will be.
func terminalWords(p doc.Person) string {
	if p.SystemWait == "" || p.SystemWait == p.SystemUser {
		return p.SystemUser
	}
	return strings.TrimSpace(p.SystemUser + " (" + p.SystemWait + " not yet)")
}

func roleWords(may []ledger.Role) []string {
	words := make([]string, len(may))
	for i, r := range may {
		words[i] = string(r)
	}
	return words
}
