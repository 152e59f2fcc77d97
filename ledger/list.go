package ledger

import "slices"

// ListOf returns what of gives for each element of a list; nil for an empty list.
func ListOf[T, U any](list []T, of func(T) U) (all []U) {
	all = slices.Grow(all, len(list))
	for _, v := range list {
		all = append(all, of(v))
	}
	return all
}

// First returns the first of a list for which is returns true.
func First[T any](list []T, is func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Where returns the elements of a list for which is returns true; nil if there are none.
func Where[T any](list []T, is func(T) bool) (some []T) {
	for _, v := range list {
		if is(v) {
			some = append(some, v)
		}
	}
	return some
}

// FirstOrNew is First for a list that grows: if is returns true for no element, it appends fresh.
func FirstOrNew[T any](list *[]T, is func(T) bool, fresh T) *T {
	i := slices.IndexFunc(*list, is)
	if i < 0 {
		i, *list = len(*list), append(*list, fresh)
	}
	return &(*list)[i]
}
