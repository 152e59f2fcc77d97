//go:build !unix

package ingest

// openNoFollow has no equivalent on this system; openFile compares the file before and after opening.
const openNoFollow = 0
