package app

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"payrun/cmd/payrun/password"
	"payrun/ledger"
)

// How long the one-time links work.
const (
	firstLinkFor  = 10 * time.Minute
	peopleLinkFor = 24 * time.Hour
)

// PersonRequest names a person, and what to change.
type PersonRequest struct {
	Name    string
	May     []string // roles, perhaps several in one text; none in a change: not changed
	System  string   // who they are at a terminal, as config.Settings.Terminal reads it; "": not changed
	Untie   bool     // in a change: they are no system user any more
	NewLink bool     // in a change: for a person who forgot the password
	Display string   // their name on pages; "": not changed

	NoFactors bool // in a change: for a person who lost their second factor
}

func (r PersonRequest) roles() []ledger.Role {
	words := strings.FieldsFunc(strings.ToLower(strings.Join(r.May, ",")), func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	return ledger.OrderedRoles(ledger.ListOf(words, func(word string) ledger.Role { return ledger.Role(word) }))
}

// Invited is a person who was added or changed. Link is the path at the desk where they choose their password,
// once and before Until; "" for none. It is shown to the person who asked, and not stored anywhere.
type Invited struct {
	Name  string
	May   []ledger.Role // the roles that they have
	Link  string
	Until time.Time
	Waits *ledger.PersonChange // what waits for another admin; nil for nothing
}

// People returns who may use the desk now.
func (a *App) People(ctx context.Context, call Call) (ledger.Users, error) {
	g, err := a.Glance(ctx, call)
	return g.People, err
}

// Glance is the audit head, who may use the desk, and the policy: what each page needs first.
type Glance struct {
	Head   ledger.AuditHead
	People ledger.Users
	Policy ledger.Policy // of the ledger and the configuration, the stricter of both
}

// MustAddFactor reports whether a person has to add a second factor before anything else.
func (g Glance) MustAddFactor(p ledger.Person) bool {
	return g.Policy.SecondFactor && p.Powerful() && len(p.Factors) == 0
}

// Glance reads them one after another. The people may be newer than the audit head.
func (a *App) Glance(ctx context.Context, call Call) (Glance, error) {
	return reading(ctx, a, call, func(o *operation) (g Glance, err error) {
		g.Policy = o.policy
		if g.Head, err = o.store.AuditHead(ctx); err == nil {
			g.People, _, err = o.store.UsersAndPolicy(ctx)
		}
		return g, err
	})
}

// AddPerson adds a person, who chooses their own password.
func (a *App) AddPerson(ctx context.Context, call Call, r PersonRequest) (Invited, error) {
	return a.changePerson(ctx, call, ledger.EventPersonAdded, r)
}

// ChangePerson changes a person's roles, link, system user, or several of these. If another
// admin asked for the same change and it waits, this confirms it.
func (a *App) ChangePerson(ctx context.Context, call Call, r PersonRequest) (Invited, error) {
	return a.changePerson(ctx, call, ledger.EventPersonChanged, r)
}

// RemovePerson takes all rights of a person and ends their logins. No one else can get their name.
func (a *App) RemovePerson(ctx context.Context, call Call, name string) error {
	_, err := a.changeOne(ctx, call, ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: PersonName(name)})
	return err
}

// AnswerGrant confirms or withdraws what another admin granted a person in the event with that number.
// kind is the kind of the answer's own event, and says which.
func (a *App) AnswerGrant(ctx context.Context, call Call, kind, name string, event int64) error {
	_, err := a.changeOne(ctx, call, ledger.PersonChange{Kind: kind, Name: PersonName(name), PendingGrant: event})
	return err
}

// changeOne records changes of one person by the caller, all or none, and returns the person after them.
func (a *App) changeOne(ctx context.Context, call Call, changes ...ledger.PersonChange) (p ledger.Person, err error) {
	err = a.decide(ctx, call, nil, func(o *operation) error {
		now := o.env.Now()
		for i := range changes {
			c := &changes[i]
			if c.Actor, c.At = o.call.Actor, now; c.First {
				c.Until = now.Add(firstLinkFor).UTC().Truncate(time.Second)
			}
		}
		p, err = o.changed(ctx, changes...)
		return err
	})
	return p, err
}

// changed records changes of one person, all or none, and returns the person after them. It refuses changes
// after which no admin could act in this ledger. The audit trail cannot check that: it does not show if a ledger
// is on a server. It also refuses to remove the last factor of a person of whom the policy asks for one.
func (o *operation) changed(ctx context.Context, changes ...ledger.PersonChange) (p ledger.Person, err error) {
	after, server := o.people, o.set.LedgerServer != ""
	for _, c := range changes {
		if p, _ := after.Find(c.Name); c.Kind == ledger.EventFactorRemoved && len(p.Factors) == 1 && o.policy.SecondFactor && p.Powerful() {
			return p, Fail(Usage, "the policy asks for a second factor, and this is your last: add another one first")
		}
		e, err := after.Decide(c)
		if err := errors.Join(err, after.Replay(e)); err != nil {
			return p, err
		}
	}
	if o.people.Administered(server, true) && !after.Administered(server, true) {
		return p, Fail(Usage, "no admin could act in this ledger any more: none has a password or is a system user here")
	}
	if err := o.store.ChangePeople(ctx, changes...); err != nil {
		return p, err
	}
	people, _, err := o.store.UsersAndPolicy(ctx)
	p, _ = people.Find(changes[0].Name)
	return p, err
}

// changePerson records a change of a person, with a one-time link if one is needed.
func (a *App) changePerson(ctx context.Context, call Call, kind string, r PersonRequest) (got Invited, err error) {
	err = a.decide(ctx, call, nil, func(o *operation) error {
		c := ledger.PersonChange{Kind: kind, Name: PersonName(r.Name), May: r.roles(), Untie: r.Untie, Display: strings.Join(strings.Fields(norm.NFC.String(r.Display)), " "), NoFactors: r.NoFactors, Actor: o.call.Actor, At: o.env.Now()}
		if c.Terminal, err = o.atTerminal(ctx, r.System); err != nil {
			return err
		}
		token := ""
		if kind == ledger.EventPersonAdded || r.NewLink {
			token = NewToken()
			c.Link, c.Until = linkSum(token), c.At.Add(peopleLinkFor).UTC().Truncate(time.Second)
		}
		if p, ok := o.people.Find(c.Name); ok && kind == ledger.EventPersonChanged {
			if o.confirms(p, c) {
				c, token = ledger.PersonChange{Kind: ledger.EventPersonConfirmed, Name: c.Name, PendingGrant: p.Waits.Event, Actor: c.Actor, At: c.At}, ""
			} else if len(c.May) == 0 {
				c.May = p.May
			}
		}
		p, err := o.changed(ctx, c)
		got = Invited{Name: p.Name, May: p.May, Waits: p.Waits}
		if token != "" {
			got.Link, got.Until = "/join/"+token, c.Until
		}
		return err
	})
	return got, err
}

// atTerminal returns the actor of a named system user or database role; "" for no name.
func (o *operation) atTerminal(ctx context.Context, name string) (actor string, err error) {
	actor = o.set.Terminal(name)
	if actor == "" && name != "" {
		return "", Fail(Usage, "this system has no user %s", ledger.Plain(name))
	}
	server, ok := o.store.(serverStore)
	if role, is := strings.CutPrefix(actor, ledger.DatabaseRole("", false)); ok && is {
		actor, err = server.RoleNamed(ctx, role)
	}
	return actor, err
}

// confirms reports whether a change is the same as the one that another admin asked for and that waits.
func (o *operation) confirms(p ledger.Person, c ledger.PersonChange) bool {
	w := p.Waits
	if w == nil || o.people.MayConfirm(c.Actor, *w) != nil || len(c.May) == 0 && len(w.Gives) > 0 {
		return false
	}
	return (len(c.May) == 0 || slices.Equal(c.May, w.May)) && c.Terminal == w.Terminal && c.Untie == w.Untie && c.NoFactors == w.NoFactors && (c.Display == "" || c.Display == w.Display) && (w.Kind == ledger.EventPersonAdded || (c.Link == "") == (w.Link == ""))
}

// PersonName returns a person's name as it is stored, from any way of typing it.
func PersonName(typed string) string {
	return strings.ToLower(strings.TrimSpace(norm.NFKC.String(typed)))
}

// NewToken returns 256 random bits as 43 characters for an address.
func NewToken() string {
	b := make([]byte, 32)
	rand.Read(b) //nolint:errcheck // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

func linkSum(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// First is the one-time link for the first person. Only the desk's memory has it.
type First struct {
	Token string
	Until time.Time
}

// FirstLink returns the link for the first person; the zero First if there are, or were, people.
func (a *App) FirstLink(ctx context.Context, call Call) (First, error) {
	var roster ledger.Users
	err := a.readOwn(ctx, call, func(o *operation) error { roster = o.people; return nil })
	if err != nil || !roster.Empty() {
		return First{}, err
	}
	return First{Token: NewToken(), Until: a.env.Now().Add(firstLinkFor)}, nil
}

// Open reports whether the token is still valid for the first person.
func (f First) Open(token string, now time.Time) bool {
	return f.Token != "" && linkSum(f.Token) == linkSum(token) && now.Before(f.Until)
}

// AddFirst adds the first person, an admin, with their password.
func (a *App) AddFirst(ctx context.Context, call Call, name, secret string) (ledger.Person, error) {
	name = PersonName(name)
	kept, err := a.keep(ctx, secret, ledger.Person{Name: name})
	if err != nil {
		return ledger.Person{}, err
	}
	call.Actor = name
	link := linkSum(NewToken())
	return a.changeOne(ctx, call,
		ledger.PersonChange{Kind: ledger.EventPersonAdded, First: true, Name: name, May: []ledger.Role{ledger.RoleAdmin}, Link: link},
		ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: name, Link: link, Stored: kept})
}

// InvitedBy returns the person whose password the link sets; ErrLinkOver if it sets none any more.
func (a *App) InvitedBy(ctx context.Context, call Call, token string) (ledger.Person, error) {
	roster, err := a.People(ctx, call)
	p, ok := roster.ByLink(linkSum(token), a.env.Now())
	if err == nil && !ok {
		err = ErrLinkOver
	}
	return p, err
}

// Join sets the password of the link's person, once.
func (a *App) Join(ctx context.Context, call Call, token, secret string) (ledger.Person, error) {
	p, err := a.InvitedBy(ctx, call, token)
	if err != nil {
		return p, err
	}
	kept, err := a.keep(ctx, secret, p)
	if err != nil {
		return p, err
	}
	call.Actor = p.Name
	return a.changeOne(ctx, call, ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: p.Name, Link: linkSum(token), Stored: kept})
}

// ErrLinkOver means that a link sets no password any more.
var ErrLinkOver = Fail(Usage, "this link was already used, or has expired").Then(Say("ask the person who gave it to you for a new link"))

// keep returns what to store of a person's password.
func (a *App) keep(ctx context.Context, secret string, p ledger.Person) (string, error) {
	if err := password.Guessable(secret, strings.FieldsFunc(p.Name+" "+p.Display, func(r rune) bool { return strings.ContainsRune(" .-_", r) })...); err != nil {
		return "", Fail(Usage, "%v", err).Because(err)
	}
	kept, err := a.passwords.Keep(ctx, secret)
	if errors.Is(err, password.ErrShort) {
		return "", Fail(Usage, "%v", err).Because(err)
	}
	return kept, err
}

// ChangePassword sets a new password for the caller, who has typed the old one before. It
// ends their logins and any open link of theirs.
func (a *App) ChangePassword(ctx context.Context, call Call, secret string) (p ledger.Person, err error) {
	kept, err := a.keep(ctx, secret, call.Person)
	if err != nil {
		return p, err
	}
	return a.changeOne(ctx, call, ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: call.Person.Name, Stored: kept})
}

// BrowserMark returns the mark of a browser in which a person has signed in. It is derived
// from what is stored of their password, so it is valid after a restart, until they change
// their password; "" for a person without one.
func (a *App) BrowserMark(ctx context.Context, call Call, name, browser string) (string, error) {
	_, kept, err := a.keptOf(ctx, call, name)
	if err != nil || kept == "" {
		return "", err
	}
	mac := hmac.New(sha256.New, []byte(kept))
	mac.Write([]byte("a browser of " + PersonName(name) + ": " + browser))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), nil
}

// IsBrowserMark reports whether a mark belongs to a browser and a person.
func (a *App) IsBrowserMark(ctx context.Context, call Call, name, browser, mark string) (bool, error) {
	want, err := a.BrowserMark(ctx, call, name, browser)
	return err == nil && want != "" && hmac.Equal([]byte(want), []byte(mark)), err
}

// keptOf returns the person with a name, and what is stored of their password; "" for none.
func (a *App) keptOf(ctx context.Context, call Call, name string) (p ledger.Person, kept string, err error) {
	err = a.read(ctx, call, func(o *operation) (err error) {
		p, _ = o.people.Find(PersonName(name))
		kept, err = o.store.StoredSecret(ctx, p, p.Password)
		return err
	})
	return p, kept, err
}

// ErrNotThem means that no person has that name and that password.
var ErrNotThem = Fail(CredentialsRefused, "the name or the password is not right")

// Prove returns the person named in l if the password is theirs. Otherwise it records the refusal with the
// details in l, and returns ErrNotThem. It takes the same time if no person has the name.
func (a *App) Prove(ctx context.Context, call Call, l ledger.Login, secret string) (ledger.Person, error) {
	p, kept, err := a.keptOf(ctx, call, l.Name)
	if err != nil {
		return p, err
	}
	if is, err := a.passwords.Is(ctx, secret, kept); err != nil || is {
		return p, err
	}
	l.Name, l.Kind = p.Name, ledger.EventLoginRefused
	return ledger.Person{}, cmp.Or(a.RecordLogin(ctx, call, l), error(ErrNotThem))
}

// RecordLogin records that a person signed in at the desk, signed out, or was refused.
func (a *App) RecordLogin(ctx context.Context, call Call, l ledger.Login) error {
	l.At = a.env.Now()
	call.Actor = l.Event().Actor
	return a.write(ctx, call, func(o *operation) error { return o.store.RecordLogin(ctx, l) })
}

// LeastPassword is the minimum length of a password, in characters.
const LeastPassword = password.Least

// Now is the clock for what the ledger records.
func (a *App) Now() time.Time { return a.env.Now() }
