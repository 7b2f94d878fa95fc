package main

import (
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/doc"
	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/text"
)

// arrange puts the arguments into the order that the flag parser needs, flags first, and checks what the parser would
// let pass or word badly: unknown commands, unknown flags, flags after arguments. Values of the ANALYZE_* environment
// and of --config come first, so that flags on the command line win over them.
func arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{app.Name}, nil
	}
	if args[len(args)-1] == "--generate-bash-completion" { // the shell asks, the parser answers
		return args, nil
	}
	out := []string{app.Name}
	rest := args[1:]
	commands := app.Commands
	var cmd *cli.Command
	for len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && len(commands) > 0 {
		name := rest[0]
		if cmd == nil && (name == "help" || name == "h") {
			return helpOn(app, rest[1:])
		}
		next := find(commands, name)
		if next == nil {
			return nil, inputf("unknown command %q%s", strings.Join(append(out[1:], name), " "), text.DidYouMean(name, names(commands)))
		}
		cmd, commands, rest = next, next.Subcommands, rest[1:]
		out = append(out, next.Name)
	}
	if cmd == nil {
		for _, a := range rest {
			if a != "-h" && a != "--help" {
				return nil, inputf("unknown flag %s (flags stand after the command; see analyze help)", a)
			}
		}
		return append(out, rest...), nil
	}
	flags, positional, err := split(cmd, strings.Join(out[1:], " "), rest)
	if err != nil {
		return nil, err
	}
	preset, err := presetFlags(cmd, flags)
	if err != nil {
		return nil, err
	}
	out = append(out, preset...)
	out = append(out, flags...)
	if len(positional) > 0 {
		out = append(append(out, "--"), positional...)
	}
	return out, nil
}

// helpOn turns "help COMMAND SUBCOMMAND" into "COMMAND SUBCOMMAND --help", which the parser also answers for subcommands.
func helpOn(app *cli.App, words []string) ([]string, error) {
	out := []string{app.Name}
	commands := app.Commands
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		next := find(commands, w)
		if next == nil {
			return nil, inputf("help: unknown command %q%s", strings.Join(append(out[1:], w), " "), text.DidYouMean(w, names(commands)))
		}
		out, commands = append(out, next.Name), next.Subcommands
	}
	return append(out, "--help"), nil
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func names(commands []*cli.Command) []string {
	var out []string
	for _, c := range commands {
		out = append(out, c.Name)
	}
	return out
}

// split separates the flags, each as --name=value or --name, from the positional arguments. path is how help calls cmd.
func split(cmd *cli.Command, path string, args []string) (flags, positional []string, err error) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return flags, append(positional, args[i+1:]...), nil
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			positional = append(positional, a)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(a, "-"), "=")
		flag := findFlag(cmd, name)
		switch {
		case name == "help" || name == "h":
			flags = append(flags, "--help")
		case flag == nil:
			return nil, nil, inputf("unknown flag --%s%s", name, text.DidYouMean(name, flagNames(cmd)))
		case hasValue:
			flags = append(flags, "--"+name+"="+value)
		case isBool(flag):
			flags = append(flags, "--"+name)
		case i+1 == len(args):
			return nil, nil, inputf("flag --%s needs a value (see analyze help %s)", name, path)
		default:
			i++
			flags = append(flags, "--"+name+"="+args[i])
		}
	}
	return flags, positional, nil
}

func findFlag(cmd *cli.Command, name string) cli.Flag {
	for _, f := range cmd.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func flagNames(cmd *cli.Command) []string {
	var out []string
	for _, f := range cmd.Flags {
		if n := f.Names()[0]; len(n) > 1 {
			out = append(out, "--"+n)
		}
	}
	return out
}

func isBool(f cli.Flag) bool {
	_, ok := f.(*cli.BoolFlag)
	return ok
}

// presetFlags returns the flags that the environment or the config file sets and the command line does not.
func presetFlags(cmd *cli.Command, given []string) ([]string, error) {
	var out []string
	config := os.Getenv("ANALYZE_CONFIG")
	isGiven := map[string]bool{}
	for _, g := range given {
		name, value, _ := strings.Cut(strings.TrimPrefix(g, "--"), "=")
		if f := findFlag(cmd, name); f != nil {
			isGiven[f.Names()[0]] = true
		}
		if name == "config" {
			config = value
		}
	}
	for _, f := range cmd.Flags {
		name := f.Names()[0]
		if v, ok := os.LookupEnv(envName(name)); ok && !isGiven[name] && name != "config" {
			out = append(out, "--"+name+"="+v)
			isGiven[name] = true
		}
	}
	if config == "" {
		return out, nil
	}
	values, err := readConfig(cmd, config)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		name, _, _ := strings.Cut(strings.TrimPrefix(v, "--"), "=")
		if !isGiven[name] {
			out = append(out, v)
		}
	}
	return out, nil
}

// envName is the environment variable of a flag: --step-time is ANALYZE_STEP_TIME.
func envName(flag string) string {
	return "ANALYZE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// readConfig reads flag values from a YAML map; a list sets a repeatable flag several times.
func readConfig(cmd *cli.Command, file string) ([]string, error) {
	data, err := files.Read(file)
	if err != nil {
		return nil, input(err)
	}
	root, err := doc.Parse(file, data)
	if err != nil {
		return nil, input(err)
	}
	var known []string
	for _, n := range flagNames(cmd) {
		known = append(known, strings.TrimPrefix(n, "--"))
	}
	fields, err := root.Map(known...)
	if err != nil {
		return nil, input(err)
	}
	var out []string
	for _, name := range root.Keys() {
		node, ok := fields.Get(name)
		if !ok {
			continue
		}
		nodes := []doc.Node{node}
		if node.IsList() {
			nodes, _ = node.List()
		}
		for _, n := range nodes {
			v, err := n.Text()
			if err != nil {
				return nil, input(err)
			}
			out = append(out, "--"+name+"="+v)
		}
	}
	return out, nil
}
