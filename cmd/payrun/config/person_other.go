//go:build !linux

package config

// namesUsersAsTheSystem is true where the system has no user namespaces.
func namesUsersAsTheSystem() bool { return true }
