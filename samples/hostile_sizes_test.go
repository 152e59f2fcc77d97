package samples_test

import "testing"

func hostileSizes() []hostileGroup { return nil }

func (h hostile) lookApart(t *testing.T) looked { return looked{} }
