//go:build (cgo && !osusergo && unix && !android) || darwin || windows

package config

// libraryKnowsUsers: os/user asks the system, and never the environment.
const libraryKnowsUsers = true
