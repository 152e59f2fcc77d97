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

	"golang.org/x/text/unicode/norm"

	"payrun/cmd/payrun/password"
	"payrun/ledger"
)

// How long the one-time links work.
const (
	firstLinkFor  = 10 * time.Minute
	peopleLinkFor = 24 * time.Hour
)

// PersonRequest names a person, and what they are to be.
type PersonRequest struct {
	Name    string
	May     []string // roles; empty in a change: as before
	System  string   // who they are at a terminal, as config.Settings.Terminal reads it; "" as before
	Untie   bool     // of a change: they are none any more
	NewLink bool     // of a change: for who forgot the password
	Display string   // how pages name them; "" as before

	NoFactors bool // of a change: for who lost their second factor
}

func (r PersonRequest) roles() []ledger.Role {
	return ledger.OrderedRoles(listOf(r.May, func(word string) ledger.Role { return ledger.Role(strings.ToLower(strings.TrimSpace(word))) }))
}

// Invited is a person who was added or changed. Link is the path of the desk at which they choose
// their password, once and before Until; "" for none. It is shown to the person who asked, and stored
// nowhere.
type Invited struct {
	Name  string
	May   []ledger.Role // that they have
	Link  string
	Until time.Time
	Waits *ledger.PersonChange // for another admin; nil for nothing
}

// People tells who may use the desk, as it is now.
func (a *App) People(ctx context.Context, call Call) (ledger.Users, error) {
	g, err := a.Glance(ctx, call)
	return g.People, err
}

// Glance is how far the audit trail has come, who may use the desk, and the policy: what
// each page asks first.
type Glance struct {
	Head   ledger.AuditHead
	People ledger.Users
	Policy ledger.Policy // of the ledger and the configuration, the stricter of both
}

// MustAddFactor reports whether a person has to add a second factor before anything else.
func (g Glance) MustAddFactor(p ledger.Person) bool {
	return g.Policy.SecondFactor && p.Powerful() && len(p.Factors) == 0
}

// Glance looks at all of it at once. The trail may have gone on by the time the people are read.
func (a *App) Glance(ctx context.Context, call Call) (Glance, error) {
	return reading(ctx, a, call, func(o *operation) (g Glance, err error) {
		g.Policy = o.policy
		if g.Head, err = o.store.AuditHead(ctx); err == nil {
			g.People, err = o.store.Users(ctx)
		}
		return g, err
	})
}

// AddPerson adds a person, who chooses their own password.
func (a *App) AddPerson(ctx context.Context, call Call, r PersonRequest) (Invited, error) {
	return a.changePerson(ctx, call, ledger.EventPersonAdded, r)
}

// ChangePerson gives a person other roles, a new link, another system user, or some
// of these. Where another admin gave them the same and it waits, it confirms that.
func (a *App) ChangePerson(ctx context.Context, call Call, r PersonRequest) (Invited, error) {
	return a.changePerson(ctx, call, ledger.EventPersonChanged, r)
}

// RemovePerson ends what a person may do, and where they are logged in. The name
// stays theirs.
func (a *App) RemovePerson(ctx context.Context, call Call, name string) error {
	_, err := a.changeOne(ctx, call, ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: PersonName(name)})
	return err
}

// AnswerGrant confirms what another admin gave a person by the event of that number, or takes it back:
// the kind of the answer's own event says which.
func (a *App) AnswerGrant(ctx context.Context, call Call, kind, name string, event int64) error {
	_, err := a.changeOne(ctx, call, ledger.PersonChange{Kind: kind, Name: PersonName(name), PendingGrant: event})
	return err
}

// changeOne records a person's change of one person, and returns who that is then.
func (a *App) changeOne(ctx context.Context, call Call, c ledger.PersonChange) (p ledger.Person, err error) {
	err = a.decide(ctx, call, nil, func(o *operation) error {
		c.Actor, c.At = o.call.Actor, o.env.Now()
		p, err = o.changed(ctx, c)
		return err
	})
	return p, err
}

// changePeople records changes of people, all or none. It refuses those after which no admin could
// act in this ledger: the audit trail does not tell whether it is in a file or on a server.
func (o *operation) changePeople(ctx context.Context, changes ...ledger.PersonChange) error {
	after, server := o.people, o.set.LedgerServer != ""
	for _, c := range changes {
		e, err := after.Decide(c)
		if err := errors.Join(err, after.Replay(e)); err != nil {
			return err
		}
	}
	if o.people.Administered(server, true) && !after.Administered(server, true) {
		return Fail(Usage, "no admin could act in this ledger any more: none has a password or is a system user here")
	}
	return o.store.ChangePeople(ctx, changes...)
}

// changePerson records a change of a person, with a one-time link where there is to
// be one.
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

// atTerminal is the actor of who is named as a system user or database role; "" for no name.
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

// confirms reports whether a change asks for what waits for a person by another
// admin's word.
func (o *operation) confirms(p ledger.Person, c ledger.PersonChange) bool {
	w := p.Waits
	if w == nil || o.people.MayConfirm(c.Actor, *w) != nil || len(c.May) == 0 && len(w.Gives) > 0 {
		return false
	}
	return (len(c.May) == 0 || slices.Equal(c.May, w.May)) && c.Terminal == w.Terminal && c.Untie == w.Untie && c.NoFactors == w.NoFactors && (c.Display == "" || c.Display == w.Display) && (w.Kind == ledger.EventPersonAdded || (c.Link == "") == (w.Link == ""))
}

// PersonName is how a person's name is kept, however it was typed.
func PersonName(typed string) string {
	return strings.ToLower(strings.TrimSpace(norm.NFKC.String(typed)))
}

// NewToken returns 256 random bits as 43 characters of an address.
func NewToken() string {
	b := make([]byte, 32)
	rand.Read(b) //nolint:errcheck // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

func linkSum(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// First is the one-time link by which the first person comes in. Only the desk's memory has it.
type First struct {
	Token string
	Until time.Time
}

// FirstLink returns the link for the first person; the zero First where there
// are, or were, people.
func (a *App) FirstLink(ctx context.Context, call Call) (First, error) {
	var roster ledger.Users
	err := a.readOwn(ctx, call, func(o *operation) (err error) {
		roster, err = o.store.Users(ctx)
		return err
	})
	if err != nil || !roster.Empty() {
		return First{}, err
	}
	return First{Token: NewToken(), Until: a.env.Now().Add(firstLinkFor)}, nil
}

// Open reports whether the token still lets the first person in.
func (f First) Open(token string, now time.Time) bool {
	return f.Token != "" && linkSum(f.Token) == linkSum(token) && now.Before(f.Until)
}

// AddFirst makes the first person, who is admin, with their password.
func (a *App) AddFirst(ctx context.Context, call Call, name, secret string) (ledger.Person, error) {
	name = PersonName(name)
	kept, err := a.keep(ctx, secret, ledger.Person{Name: name})
	if err != nil {
		return ledger.Person{}, err
	}
	call.Actor, call.LoggedIn = name, true
	now := a.env.Now()
	link := linkSum(NewToken())
	return a.join(ctx, call,
		ledger.PersonChange{Kind: ledger.EventPersonAdded, First: true, Name: name, May: []ledger.Role{ledger.RoleAdmin}, Link: link, Until: now.Add(firstLinkFor).UTC().Truncate(time.Second), Actor: name, At: now},
		ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: name, Link: link, Stored: kept, Actor: name, At: now})
}

// InvitedBy returns whose password the link sets.
func (a *App) InvitedBy(ctx context.Context, call Call, token string) (p ledger.Person, ok bool, err error) {
	roster, err := a.People(ctx, call)
	if err != nil {
		return p, false, err
	}
	p, ok = roster.ByLink(linkSum(token), a.env.Now())
	return p, ok, nil
}

// Join sets the password of the person whose link it is, once.
func (a *App) Join(ctx context.Context, call Call, token, secret string) (ledger.Person, error) {
	p, ok, err := a.InvitedBy(ctx, call, token)
	if err != nil {
		return p, err
	}
	if !ok {
		return p, errLinkOver
	}
	kept, err := a.keep(ctx, secret, p)
	if err != nil {
		return p, err
	}
	call.Actor, call.LoggedIn = p.Name, true
	return a.join(ctx, call, ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: p.Name, Link: linkSum(token), Stored: kept, Actor: p.Name, At: a.env.Now()})
}

var errLinkOver = Fail(Usage, "this link was already used, or has expired").Then(Say("ask the person who gave it to you for a new link"))

func (a *App) join(ctx context.Context, call Call, changes ...ledger.PersonChange) (p ledger.Person, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		p, err = o.changed(ctx, changes...)
		return err
	})
	return p, err
}

// changed records changes of one person, all or none, and returns the person as they are then.
func (o *operation) changed(ctx context.Context, changes ...ledger.PersonChange) (ledger.Person, error) {
	if err := o.changePeople(ctx, changes...); err != nil {
		return ledger.Person{}, err
	}
	people, err := o.store.Users(ctx)
	p, _ := people.Find(changes[0].Name)
	return p, err
}

// keep returns what to keep of a password of the person with this name.
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

// ChangePassword gives who asks another password, once they have typed the one before.
// It ends their logins, and a link of theirs that is open.
func (a *App) ChangePassword(ctx context.Context, call Call, secret string) (p ledger.Person, err error) {
	kept, err := a.keep(ctx, secret, call.Person)
	if err != nil {
		return p, err
	}
	return a.changeOne(ctx, call, ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: call.Person.Name, Stored: kept})
}

// BrowserMark returns the mark by which a browser is known as one that a person has signed
// in with. It is made with what is kept of their password, so it is good after a restart
// and until they have another password; "" for a person without one.
func (a *App) BrowserMark(ctx context.Context, call Call, name, browser string) (string, error) {
	_, kept, err := a.keptOf(ctx, call, name)
	if err != nil || kept == "" {
		return "", err
	}
	mac := hmac.New(sha256.New, []byte(kept))
	mac.Write([]byte("a browser of " + PersonName(name) + ": " + browser))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), nil
}

// IsBrowserMark reports whether a mark is the one of a browser and a person.
func (a *App) IsBrowserMark(ctx context.Context, call Call, name, browser, mark string) (bool, error) {
	want, err := a.BrowserMark(ctx, call, name, browser)
	return err == nil && want != "" && hmac.Equal([]byte(want), []byte(mark)), err
}

// keptOf is the person with a name, and what is kept of their password; "" for none.
func (a *App) keptOf(ctx context.Context, call Call, name string) (p ledger.Person, kept string, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		roster, err := o.store.Users(ctx)
		if err != nil {
			return err
		}
		var known bool
		if p, known = roster.Find(PersonName(name)); known {
			kept, err = o.store.StoredSecret(ctx, p, p.Password)
		}
		return err
	})
	return p, kept, err
}

// ErrNotThem: no person has that name and that password.
var ErrNotThem = Fail(CredentialsRefused, "the name or the password is not right")

// Prove is the person of the name in l, whose password it is: ErrNotThem where it is not they, which is
// recorded with what else l says. It takes as long if no person has the name.
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

// RecordLogin records that a person signed in at the desk, left it, or was refused.
func (a *App) RecordLogin(ctx context.Context, call Call, l ledger.Login) error {
	l.At = a.env.Now()
	call.Actor, call.LoggedIn = l.Event().Actor, true
	return a.write(ctx, call, func(o *operation) error { return o.store.RecordLogin(ctx, l) })
}

// LeastPassword is how many characters a password has at least.
const LeastPassword = password.Least

// Now is the clock that dates what the ledger records.
func (a *App) Now() time.Time { return a.env.Now() }
