package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

var errCanceled, errDeadline = context.Canceled, context.DeadlineExceeded

// progress shows one line on stderr that rewrites itself. It is silent off a terminal, with --quiet, and in CI.
type progress struct {
	w     io.Writer
	what  string
	last  time.Time
	shown bool
}

func (s *session) progress(what string) *progress {
	f, ok := s.stderr.(*os.File)
	if s.quiet || !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("CI") != "" || os.Getenv("TERM") == "dumb" {
		return &progress{}
	}
	return &progress{w: s.stderr, what: what}
}

// update is called from one goroutine at a time.
func (p *progress) update(done, total int) {
	const interval = 100 * time.Millisecond
	if p.w == nil || time.Since(p.last) < interval && done < total {
		return
	}
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.w, "\r\x1b[K%d of %d %s (%d%%)", done, total, p.what, 100*done/max(1, total))
}

func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
