package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version returns the module's version as the build recorded it, "devel" for a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// revision returns the commit that was built, or "unknown".
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

func versionCommand() *cli.Command {
	return command("version", "print the version", "", "", 0, nil, func(s *session) error {
		if s.json {
			return s.printJSON(map[string]string{"revision": revision(), "go": runtime.Version()})
		}
		fmt.Fprintf(s.stdout, "analyze %s (revision %s, %s)\n", version(), revision(), runtime.Version())
		return nil
	})
}
