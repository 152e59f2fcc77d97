package app

import (
	"context"
	"errors"

	"payrun/submitter/sandbox"
)

// SandboxOptions are those of the bank to rehearse with.
type SandboxOptions = sandbox.Options

// SandboxSMS is what its bank sends to the registered mobile.
type SandboxSMS = sandbox.SMS

// SandboxReady tells how to reach it: payrun.sandbox/v1.
type SandboxReady = sandbox.Ready

// Sandbox serves a bank to rehearse against, until ctx ends. ready is called
// when it listens.
func Sandbox(ctx context.Context, opt SandboxOptions, ready func(SandboxReady) error) error {
	s, err := sandbox.Start(ctx, opt)
	if err != nil {
		return Fail(Failed, "the sandbox cannot start: %v", err).Because(err).Then(Do("sandbox", "--addr", "127.0.0.1:0").Which("takes a free port"))
	}
	if err := ready(s.Ready()); err != nil {
		return errors.Join(err, s.Close())
	}
	<-ctx.Done()
	return s.Close()
}
