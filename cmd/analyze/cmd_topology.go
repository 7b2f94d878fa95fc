package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/text"
	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network"
)

func topologyCommand() *cli.Command {
	return &cli.Command{
		Name: "topology", Usage: "show and check networks",
		UsageText:       "analyze topology show|check|convert|list [options] [arguments]",
		Subcommands:     []*cli.Command{topologyShow(), topologyCheck(), topologyConvert(), topologyList()},
		HideHelpCommand: true,
		Action: func(*cli.Context) error {
			return inputf("topology needs one of: show, check, convert, list (see analyze help topology)")
		},
	}
}

// topologyArgument is the positional argument, or else the default network.
func topologyArgument(s *session) (*network.Topology, error) { return strictly(s, false) }

// strictly is topologyArgument that, if strict, refuses a file of which anything was guessed or changed.
func strictly(s *session, strict bool) (*network.Topology, error) {
	arg := "nine-city"
	if len(s.args) > 0 {
		arg = s.args[0]
	}
	t, err := network.Load(arg)
	if err != nil {
		return nil, fileError(err)
	}
	if err := refuseChanges(t, strict); err != nil {
		return nil, err
	}
	s.warnings = append(s.warnings, t.Warnings...)
	return t, nil
}

// refuseChanges is what --strict does.
func refuseChanges(t *network.Topology, strict bool) error {
	if strict && len(t.Warnings) > 0 {
		return inputf("%s: --strict: %s", t.Name, strings.Join(t.Warnings, "; "))
	}
	return nil
}

func strictFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "strict", Usage: "refuse a file of which anything had to be guessed or changed", Destination: to, Category: "network"}
}

func topologyShow() *cli.Command {
	return command("show", "routers, links, islands, diameter and bridges of a network", "[TOPOLOGY]", `
  analyze topology show
  analyze topology show star:n=8,bandwidth=100Gbps --json
  analyze topology show my-network.yaml`, 1, nil, func(s *session) error {
		t, err := topologyArgument(s)
		if err != nil {
			return err
		}
		sum := t.Summary()
		if s.json {
			return s.printJSON(sum)
		}
		fmt.Fprintf(s.stdout, "%s: %s, %s, %s", sum.Name, text.Count(sum.Routers, "router"), text.Count(sum.Links, "link"), text.Count(sum.Islands, "island"))
		if sum.DiameterSeconds != nil {
			fmt.Fprintf(s.stdout, ", diameter %s one way\n", units.FormatSeconds(*sum.DiameterSeconds))
		} else {
			fmt.Fprintf(s.stdout, ", in %d pieces\n", sum.Components)
		}
		if len(sum.Bridges) > 0 {
			var pairs []string
			for _, b := range sum.Bridges {
				pairs = append(pairs, b[0]+"-"+b[1])
			}
			fmt.Fprintf(s.stdout, "bridges (their loss disconnects): %s\n", strings.Join(pairs, ", "))
		}
		fmt.Fprintln(s.stdout)
		links := table{head: []string{"from", "to", "bandwidth", "one-way latency"}}
		for _, l := range t.Links {
			links.add(t.Routers[l.A].ID, t.Routers[l.B].ID, units.FormatBandwidth(l.Bandwidth), units.FormatSeconds(l.Latency))
		}
		links.write(s.stdout)
		fmt.Fprintln(s.stdout)
		islands := table{head: []string{"island", "router", "egress", "ingress"}}
		for _, i := range t.Islands {
			islands.add(i.ID, t.Routers[i.Router].ID, units.FormatBandwidth(i.Egress), units.FormatBandwidth(i.Ingress))
		}
		islands.write(s.stdout)
		return nil
	})
}

func topologyCheck() *cli.Command {
	var strict bool
	return command("check", "read a network and say whether it is usable", "TOPOLOGY", `
  analyze topology check my-network.yaml --strict`, 1, []cli.Flag{strictFlag(&strict)}, func(s *session) error {
		if len(s.args) == 0 {
			return inputf("topology check needs a file or a name")
		}
		t, err := strictly(s, strict)
		if err != nil {
			return err
		}
		sum := t.Summary()
		if !sum.Connected {
			s.warn("%s falls into %d pieces: a clique that spans two of them has no price", sum.Name, sum.Components)
		}
		if sum.Islands == 0 {
			s.warn("%s has no island: only topology show, check and convert can use it", sum.Name)
		}
		if s.json {
			return s.printJSON(sum)
		}
		fmt.Fprintf(s.stdout, "%s is usable: %s, %s, %s\n", sum.Name, text.Count(sum.Routers, "router"), text.Count(sum.Links, "link"), text.Count(sum.Islands, "island"))
		return nil
	})
}

func topologyConvert() *cli.Command {
	var out string
	var force bool
	flags := []cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "file to write (default: stdout)", Destination: &out, Category: "output"},
		&cli.BoolFlag{Name: "force", Usage: "replace an existing file", Destination: &force, Category: "output"},
	}
	return command("convert", "write a network in the native YAML form", "TOPOLOGY", `Reads any known format, recognized by content: native YAML or JSON, GraphML, GML, node-link JSON, CSV tables, or a folder
of CSV files. What was guessed or changed is a warning.

  analyze topology convert geant
  analyze topology convert ring:n=5 --out ring.yaml`, 1, flags, func(s *session) error {
		if len(s.args) == 0 {
			return inputf("topology convert needs a file or a name")
		}
		t, err := topologyArgument(s)
		if err != nil {
			return err
		}
		data, err := network.Write(t)
		if err != nil {
			return err
		}
		if out == "" || out == "-" {
			return s.printText(string(data))
		}
		return writeFile(out, data, force)
	})
}

// writeFile writes one file that the user named, and never over another unless told to.
func writeFile(path string, data []byte, force bool) error {
	flag := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flag, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return inputf("%s exists (use --force to replace it)", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func topologyList() *cli.Command {
	return command("list", "the built-in networks and families", "", "", 0, nil, func(s *session) error {
		if s.json {
			return s.printJSON(map[string][]string{"presets": network.Presets(), "families": network.Families()})
		}
		fmt.Fprintf(s.stdout, "presets:  %s\nfamilies: %s\n", strings.Join(network.Presets(), ", "), strings.Join(network.Families(), ", "))
		return nil
	})
}
