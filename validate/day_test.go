package validate

import (
	"testing"
	"time"
)

// A day in a finding is the day where its reader is: a sheet loaded on an evening in UTC was loaded on the
// next day in India.
func TestTheDaysOfFindingsAreThoseOfTheConfiguredZone(t *testing.T) {
	india := time.FixedZone("IST", 19800)
	c := &check{o: Options{Now: time.Date(2026, 11, 23, 9, 0, 0, 0, india)}}
	if got := c.day(time.Date(2026, 11, 22, 22, 16, 0, 0, time.UTC)); got != "2026-11-23" {
		t.Errorf("a sheet loaded at 03:46 on 2026-11-23 in India was loaded on %s", got)
	}
}
