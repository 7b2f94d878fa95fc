package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"analyze": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
	}})
}

// TestScripts runs the command lines in testdata/*.txt and checks what they print, write and return.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and checks its exit status: exits 2 analyze polt.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := "0"
	if e, ok := err.(interface{ ExitCode() int }); ok {
		status = strconv.Itoa(e.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if status != args[0] {
		ts.Fatalf("exit status %s, want %s", status, args[0])
	}
}
