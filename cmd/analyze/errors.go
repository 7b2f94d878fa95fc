package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Exit codes, as documented in the package comment.
const (
	exitDone        = 0
	exitFailed      = 1
	exitInput       = 2
	exitViolated    = 3
	exitInterrupted = 130
)

// inputError is a mistake of the person at the keyboard: wrong usage, or a file that says something impossible.
type inputError struct{ err error }

func (e inputError) Error() string { return e.err.Error() }
func (e inputError) Unwrap() error { return e.err }

// input marks an error as a mistake in the input; nil stays nil.
func input(err error) error {
	if err == nil {
		return nil
	}
	return inputError{err}
}

func inputf(format string, a ...any) error { return inputError{fmt.Errorf(format, a...)} }

// errViolated ends a command that finished and printed its result, in which a check failed.
var errViolated = errors.New("a check was violated")

// exitCode prints the error, if any, as one line and maps it to the exit status.
func exitCode(ctx context.Context, stderr io.Writer, err error) int {
	var in inputError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errViolated):
		return exitViolated
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintln(stderr, "analyze: stopped by --timeout")
		return exitFailed
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(stderr, "analyze: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "analyze: "+strings.Join(strings.Fields(err.Error()), " "))
	if errors.As(err, &in) {
		return exitInput
	}
	return exitFailed
}
