//go:build unix

package ingest

import "syscall"

// openNoFollow refuses a link, and does not block on a pipe, that replaced the file after it was examined.
const openNoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
