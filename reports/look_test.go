package reports

import (
	"testing"
)

func TestLook(t *testing.T) { writeAll(t, month(), Options{Dir: "/tmp/look"}) }
