//go:build !linux

package config

// namesUsersAsTheSystem returns true: the system has no user namespaces.
func namesUsersAsTheSystem() bool { return true }
