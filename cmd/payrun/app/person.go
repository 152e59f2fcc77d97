package app

// systemPerson refuses a name that was only given, where two people have to
// agree: there a person is who the system says it is, or a login. Whatever needs
// a second person asks this first, for the first person as for the second.
func (c Call) systemPerson() error {
	if c.ActorBy == "" {
		return nil
	}
	return Fail(Usage, "two people have to agree on this, so a person is a system user of their own: %s is not taken", c.ActorBy).
		Then(Say("leave %s out, and run it as the person that you are; nothing was done", c.ActorBy))
}
