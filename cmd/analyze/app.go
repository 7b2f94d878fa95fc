package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// run is the whole program: arguments in, exit status out.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	app := newApp(stdout, stderr)
	args, err := arrange(app, args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	return exitCode(ctx, stderr, err)
}

func newApp(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name:                      "analyze",
		Usage:                     "convergence theory of decentralized SGD over a wide-area network",
		Description:               appDescription,
		Writer:                    stdout,
		ErrWriter:                 stderr,
		HideVersion:               true,
		EnableBashCompletion:      true,
		DisableSliceFlagSeparator: true, // a schedule such as ring:n=4,h=2 has commas of its own
		ExitErrHandler:            func(*cli.Context, error) {},
		Commands: []*cli.Command{
			plotCommand(), costCommand(), mixingCommand(), exactCommand(), simulateCommand(), boundsCommand(), explainCommand(),
			validateCommand(), optimizeCommand(), compareCommand(), trainCommand(), exportCommand(), reportCommand(), presetCommand(), topologyCommand(), scheduleCommand(), completionCommand(), manCommand(), versionCommand(),
		},
	}
}

const appDescription = `Islands of compute in several cities train one model together. Given a network, what its routers can do
(multicast replicates, in-line FPGAs sum), a payload and a step time: which schedule of rotating cliques keeps the
islands closest together per second, how fast does SGD then converge, and how far is that from one room?

  analyze plot                                        the nine-city study: figures/index.html
  analyze cost --schedule allreduce                   what a round costs under each capability
  analyze mixing --schedule rotating-cliques:k=3,n=9  how fast a schedule averages
  analyze validate                                    do bound, exact moments and simulation agree?

EXIT STATUS: 0 done, 1 failed, 2 wrong usage or input, 3 finished but a check or bound was violated, 130 interrupted.`

// common are the flags that every command takes, with the same meaning.
type common struct {
	seed    uint64
	jobs    int
	json    bool
	quiet   bool
	verbose bool
	timeout time.Duration
}

// session is one command at work: its context, its streams and what it shares with all others.
type session struct {
	common
	ctx            context.Context
	command        string
	args           []string
	stdout, stderr io.Writer
	warnings       []string
}

// command builds a cli.Command around an action that takes a session. Its flags are the command's own and the common
// ones. arguments is the usage text of the positional arguments, and max how many there may be (-1: any number).
func command(name, usage, arguments, description string, maxArgs int, flags []cli.Flag, action func(*session) error) *cli.Command {
	s := &session{command: name}
	own := append(flags, s.flags()...)
	for _, f := range own {
		sayDefault(f)
	}
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: arguments, Description: description,
		Flags:           own,
		HideHelpCommand: true,
		OnUsageError:    func(c *cli.Context, err error, _ bool) error { return inputf("%v (see analyze help %s)", err, path(c)) },
		Action: func(c *cli.Context) error {
			s.ctx, s.stdout, s.stderr, s.args = c.Context, c.App.Writer, c.App.ErrWriter, c.Args().Slice()
			if maxArgs >= 0 && len(s.args) > maxArgs {
				return inputf("%s: argument %q is one too many (see analyze help %s)", path(c), s.args[maxArgs], path(c))
			}
			for _, f := range own {
				if err := refuseZero(c, f); err != nil {
					return err
				}
			}
			if s.jobs < 0 {
				return inputf("--jobs %d is negative (0 means all cores)", s.jobs)
			}
			if s.timeout > 0 {
				var cancel context.CancelFunc
				s.ctx, cancel = context.WithTimeout(s.ctx, s.timeout)
				defer cancel()
			}
			err := heed(s.ctx, grace, func() error { return action(s) })
			if err == nil || errors.Is(err, errViolated) {
				s.printWarnings()
			}
			return err
		},
	}
}

// path is the name of a command with those above it: "topology check".
func path(c *cli.Context) string {
	return strings.TrimPrefix(c.Command.HelpName, c.App.Name+" ")
}

// grace is how long a command may go on after Ctrl-C or --timeout, to come to a place where it can stop and to print what
// it has so far.
const grace = 5 * time.Second

// heed does work and returns its error. Work that does not return within the grace period after the end of ctx is left
// alone, to end with the process.
func heed(ctx context.Context, grace time.Duration, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return ctx.Err()
	}
}

// sayDefault lets help print the default that a flag's usage ends with, as in "step size (default: 1/(4L))", where it
// would print the zero that stands for it, and nothing for switches, which are off.
func sayDefault(f cli.Flag) {
	split := func(usage, text *string) {
		if before, after, ok := strings.Cut(*usage, " (default: "); ok {
			*usage, *text = before, strings.TrimSuffix(after, ")")
		}
	}
	switch f := f.(type) {
	case *cli.IntFlag:
		split(&f.Usage, &f.DefaultText)
	case *cli.Float64Flag:
		split(&f.Usage, &f.DefaultText)
	case *cli.DurationFlag:
		split(&f.Usage, &f.DefaultText)
	case *cli.BoolFlag:
		f.DisableDefaultText = true
	}
}

// refuseZero refuses a 0 that was given where 0 stands for the default, as sayDefault prints it. Of the common flags,
// --jobs 0 is how to ask for all cores.
func refuseZero(c *cli.Context, f cli.Flag) error {
	standsFor := ""
	switch f := f.(type) {
	case *cli.IntFlag:
		if c.Int(f.Name) == 0 {
			standsFor = f.DefaultText
		}
	case *cli.Float64Flag:
		if c.Float64(f.Name) == 0 {
			standsFor = f.DefaultText
		}
	}
	if name := f.Names()[0]; standsFor != "" && name != "jobs" && c.IsSet(name) {
		return inputf("--%s 0: want a positive number, or leave it out for the default (%s)", name, standsFor)
	}
	return nil
}

func (s *session) flags() []cli.Flag {
	return []cli.Flag{
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "master seed of all randomness; equal seeds give equal results", Destination: &s.seed, Category: "common"},
		&cli.IntFlag{Name: "jobs", Usage: "worker goroutines, on which results do not depend (default: all cores)", Destination: &s.jobs, Category: "common"},
		&cli.BoolFlag{Name: "json", Usage: "print the result as one JSON object", Destination: &s.json, Category: "common"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no warnings on stderr", Destination: &s.quiet, Category: "common"},
		&cli.BoolFlag{Name: "verbose", Usage: "say more on stderr", Destination: &s.verbose, Category: "common"},
		&cli.DurationFlag{Name: "timeout", Usage: "give up after this time, for instance 30s (default: never)", Destination: &s.timeout, Category: "common"},
		&cli.StringFlag{Name: "config", Usage: "YAML file of flag values; flags and ANALYZE_* variables win over it", Category: "common"},
	}
}

// warn records a warning for the result and, unless --quiet, for stderr.
func (s *session) warn(format string, a ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, a...))
}

func (s *session) printWarnings() {
	if s.quiet || s.json {
		return
	}
	for _, w := range s.warnings {
		fmt.Fprintln(s.stderr, "warning: "+w)
	}
}
