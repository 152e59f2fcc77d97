//go:build unix

package ingest

import "syscall"

// openNoFollow refuses a link, and does not wait for the other end of a pipe,
// that took the place of the file after it was looked at.
const openNoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
