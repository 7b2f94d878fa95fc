package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/text"
)

//go:embed completion
var completionScripts embed.FS

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() *cli.Command {
	return command("completion", "print a completion script for a shell", "SHELL", `
  analyze completion bash
  analyze completion fish

bash: source <(analyze completion bash); zsh: source <(analyze completion zsh); fish: analyze completion fish | source;
PowerShell: analyze completion powershell | Out-String | Invoke-Expression.`, 1, nil, func(s *session) error {
		if len(s.args) == 0 {
			return inputf("completion needs a shell: %s", strings.Join(shells, ", "))
		}
		shell := s.args[0]
		if shell == "fish" {
			script, err := newApp(s.stdout, s.stderr).ToFishCompletion()
			if err == nil {
				_, err = fmt.Fprint(s.stdout, script)
			}
			return err
		}
		data, err := completionScripts.ReadFile("completion/" + shell)
		if err != nil {
			return inputf("completion: unknown shell %q%s", shell, text.DidYouMean(shell, shells))
		}
		_, err = s.stdout.Write(data)
		return err
	})
}

func manCommand() *cli.Command {
	return command("man", "print the manual page", "", `
  analyze man`, 0, nil, func(s *session) error {
		page, err := manualPage()
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(s.stdout, page)
		return err
	})
}

// manualPage is the roff source of analyze(1).
func manualPage() (string, error) {
	return newApp(&strings.Builder{}, &strings.Builder{}).ToManWithSection(1)
}
