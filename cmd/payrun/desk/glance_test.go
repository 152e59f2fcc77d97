package desk

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// Whoever comes while somebody looks is told what a look says that began after they
// came; they share it, and one that goes away takes it from nobody.
func TestALookIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gs := newGlances()
		looks, end := int64(0), make(chan struct{})
		look := func(ctx context.Context) (app.Glance, error) {
			looks++
			<-end
			return app.Glance{Head: ledger.AuditHead{Length: looks}}, ctx.Err()
		}
		told := make(chan int64, 9)
		come := func(ctx context.Context) {
			go func() {
				g, err := gs.at(ctx, look)
				if errors.Is(err, context.Canceled) {
					g.Head.Length = -1
				}
				told <- g.Head.Length
			}()
			synctest.Wait()
		}
		come(t.Context())
		ctx, leave := context.WithCancel(t.Context())
		come(ctx) // who looks for the others
		for range 3 {
			come(t.Context())
		}
		leave()
		end <- struct{}{}
		synctest.Wait()
		if first := <-told; first != 1 || len(told) != 0 || looks != 2 {
			t.Fatalf("after the first look: told %d, %d more, %d looks", first, len(told), looks)
		}
		end <- struct{}{}
		synctest.Wait()
		count := map[int64]int{}
		for len(told) > 0 {
			count[<-told]++
		}
		if count[2] < 3 || count[2]+count[-1] != 4 || looks != 2 {
			t.Errorf("those who came meanwhile were told %v by %d looks", count, looks)
		}
	})
}
