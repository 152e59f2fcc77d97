//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package folder

// lock cannot lock a folder on this system, so what killed runs left stays.
func lock(string, bool) (release func(), ok bool) { return nil, false }
