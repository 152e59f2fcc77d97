package sandbox

import (
	"fmt"
	"maps"
	"slices"

	"payrun/submitter/bankapi"
)

// read reads a body as strictly as the client reads an answer. The required strings must not be empty.
func read(body []byte, into any, required map[string]*string) error {
	if err := bankapi.Decode(body, into); err != nil {
		return err
	}
	return filled(required)
}

// filled returns an error if a value is absent, null or empty.
func filled(required map[string]*string) error {
	for _, name := range slices.Sorted(maps.Keys(required)) {
		if *required[name] == "" {
			return fmt.Errorf("%s is required", name)
		}
	}
	return nil
}
