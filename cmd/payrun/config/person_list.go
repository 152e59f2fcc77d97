//go:build !((cgo && !osusergo && unix && !android) || darwin || windows)

package config

// libraryKnowsUsers is false where os/user takes $USER for the name of a user
// that it does not find.
const libraryKnowsUsers = false
