//go:build !unix

package sqlite

import "os"

const openNoFollow = 0

// linksTo cannot be told here.
func linksTo(os.FileInfo) uint64 { return 1 }
