package main

import (
	"context"
	"errors"
	"testing"
)

// TestHeed: work that stops says how it ended; work that does not is abandoned after the end of the context.
func TestHeed(t *testing.T) {
	own := errors.New("own")
	if err := heed(context.Background(), grace, func() error { return own }); !errors.Is(err, own) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := heed(ctx, grace, func() error { <-ctx.Done(); return own }); !errors.Is(err, own) {
		t.Errorf("error %v of work that stops", err)
	}
	forever := make(chan struct{})
	defer close(forever)
	if err := heed(ctx, 0, func() error { <-forever; return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of work that does not", err)
	}
}
