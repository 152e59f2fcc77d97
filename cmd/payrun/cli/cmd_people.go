package cli

import (
	"cmp"
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) peopleCommand() command {
	system := &urfave.StringFlag{Name: "system-user", Usage: "the person's system user, `USER` by name or id, or database role; \"\" for none"}
	may := &urfave.StringFlag{Name: "may", Usage: "`ROLES`, separated by commas: view, load, approve, pay; or admin alone"}
	return command{
		name:  "people",
		brief: "add and change people and their roles",
		long: `People log in at the desk with a name and a password, which they choose by a link that works once. The
audit trail has each change of them. No export has a password. A name is never given twice. The first
person is admin: payrun desk prints the link.

A person is a system user at a terminal or a login at the desk; --system-user ties both together. Once
there are people, a system user has the roles of the person it is tied to. One that is tied to no person
can load, initiate and submit, and is never a second person. On a ledger in PostgreSQL the role that logs
in takes the place of the system user. db:ROLE and uid:ID name either, before a ledger moves.

If there are two admins, another admin confirms the roles approve, pay and admin, a new link or a reset
of the second factor for a person who has one of them, and a system user: at the desk or with the same
command. Until then only what the change removes takes effect. The next change of the person replaces it.
For 72 hours after an admin was removed none of these can be given.`,
		sub: []command{
			{
				name: "add", args: "NAME",
				brief:    "add a person, and print the link for the password",
				examples: []string{"payrun people add ravi --may load", "payrun people add mina --may approve,pay --system-user mina", `payrun people add ravi --may load --display "Ravi Menon"`},
				exits:    []int{exitLocked, exitLedger},
				flags:    []urfave.Flag{may, system, &urfave.StringFlag{Name: "display", Usage: "the name that the desk shows, `\"Ravi Menon\"`"}},
				needs:    []string{"may"},
				run:      p.with(addPerson),
			},
			{
				name:     "list",
				brief:    "list the people and their roles",
				examples: []string{"payrun people list", "payrun people list --json"},
				exits:    []int{exitLedger},
				run:      p.with(listPeople),
			},
			{
				name: "change", args: "NAME",
				brief:    "change roles, name or link of a person; ends their logins",
				examples: []string{"payrun people change ravi --may load,pay", "payrun people change ravi --new-link", "payrun people change ravi --system-user ravi.k", `payrun people change ravi --system-user ""`},
				exits:    []int{exitLocked, exitLedger},
				flags: []urfave.Flag{may, system,
					&urfave.StringFlag{Name: "display", Usage: "the `NAME` that the desk shows"},
					&urfave.BoolFlag{Name: "reset-factors", Usage: "remove the second factor; the person adds a new one"},
					&urfave.BoolFlag{Name: "new-link", Usage: "print a link for a new password; the old one works until the link is used"}},
				usage: needsChange,
				run:   p.with(changePerson),
			},
			{
				name: "remove", args: "NAME",
				brief:    "remove a person; ends their logins",
				examples: []string{"payrun people remove ravi"},
				exits:    []int{exitLocked, exitLedger},
				run:      p.with(removePerson),
			},
		},
	}
}

func needsChange(c *urfave.Context) error {
	if strings.TrimSpace(c.String("may")) == "" && !c.Bool("new-link") && !c.Bool("reset-factors") && strings.TrimSpace(c.String("display")) == "" && !c.IsSet("system-user") {
		return usage("payrun people change needs --may ROLES, --display NAME, --system-user USER, --new-link or --reset-factors").Then(app.Do("help", "people", "change").Which("says which there are"))
	}
	return nil
}

func personRequest(c *urfave.Context) app.PersonRequest {
	return app.PersonRequest{Name: c.Args().First(), May: []string{c.String("may")}, NewLink: c.Bool("new-link"), NoFactors: c.Bool("reset-factors"), Display: c.String("display"), System: c.String("system-user")}
}

func addPerson(ctx context.Context, s *session, c *urfave.Context) error {
	got, err := s.app.AddPerson(ctx, s.call, personRequest(c))
	if err != nil {
		return err
	}
	return s.writeInvited(got, got.Name+" is on record, and may: "+mayWords(got.May)+".")
}

func changePerson(ctx context.Context, s *session, c *urfave.Context) error {
	r := personRequest(c)
	r.Untie = r.System == "" && c.IsSet("system-user")
	got, err := s.app.ChangePerson(ctx, s.call, r)
	if err != nil {
		return err
	}
	return s.writeInvited(got, got.Name+" may: "+mayWords(got.May)+".")
}

func removePerson(ctx context.Context, s *session, c *urfave.Context) error {
	name := app.PersonName(c.Args().First())
	if err := s.app.RemovePerson(ctx, s.call, name); err != nil {
		return err
	}
	return s.writeInvited(app.Invited{Name: name}, name+" may do nothing any more.")
}

// writeInvited writes payrun.people/v1 for one person, or the result in words.
func (s *session) writeInvited(got app.Invited, words string) error {
	s.term.Resultf("%s", words)
	if got.Waits != nil {
		s.term.Resultf("This waits for another admin, who confirms it at the desk or with the same command: %s.", ledger.Plain(waits(got.Waits)))
	}
	if got.Link != "" {
		s.term.Resultf("They choose their password once, until %s, at the desk's address with\n\n  %s\n\nKeep it secret: the first to open it is %s.", s.set.Clock(got.Until), got.Link, got.Name)
	}
	return s.document("payrun.people/v1", doc.People{Name: got.Name, May: doc.List(got.May), Link: got.Link, Until: ledger.Instant(got.Until), Waits: waits(got.Waits)})
}

// waits returns in words the change that waits for another admin, or "".
func waits(c *ledger.PersonChange) string {
	if c == nil {
		return ""
	}
	return c.Words()
}

func listPeople(ctx context.Context, s *session, _ *urfave.Context) error {
	roster, err := s.app.People(ctx, s.call)
	if err != nil {
		return err
	}
	people := []doc.Person{}
	t := s.term.Table(term.Columns{"Name", "May", "Since", "Password", "At a terminal", "Waits for another admin"})
	for _, p := range roster.People() {
		one := doc.Person{Name: p.Name, May: doc.List(p.May), Added: ledger.Instant(p.Added), State: s.joined(p), SystemUser: strings.Join(p.Terminals, ", "), Waits: waits(p.Waits), Display: p.Display, Factors: len(p.Factors)}
		t.Row(p.Shown(), mayWords(p.May), s.set.Clock(p.Added), passwordWords[one.State], strings.Join(doc.Each(p.Terminals, config.Who), ", "), one.Waits)
		people = append(people, one)
	}
	if len(people) == 0 {
		s.maySay(app.Do("desk").First("%s", app.TwoPeople(s.set)))
	} else {
		t.Render()
	}
	return s.document("payrun.people/v1", map[string]any{"people": people})
}

// passwordWords say whether a person has a password, by the state that the document has.
var passwordWords = map[string]string{"joined": "chosen", "invited": "not chosen yet", "link_over": "none; needs a new link"}

func (s *session) joined(p ledger.Person) string {
	switch {
	case p.Password != "":
		return "joined"
	case p.Link != "" && s.world.Now().Before(p.LinkUntil):
		return "invited"
	}
	return "link_over"
}

// mayWords returns the roles of a person in words.
func mayWords(may []ledger.Role) string { return cmp.Or(join(may), "nothing yet") }
