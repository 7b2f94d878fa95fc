package main

import (
	"embed"
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
			if err != nil {
				return err
			}
			return s.printText(script)
		}
		data, err := completionScripts.ReadFile("completion/" + shell)
		if err != nil {
			return inputf("completion: unknown shell %q%s", shell, text.DidYouMean(shell, shells))
		}
		return s.printText(string(data))
	})
}

func manCommand() *cli.Command {
	return command("man", "print the manual page", "", `
  analyze man`, 0, nil, func(s *session) error {
		page, err := manualPage()
		if err != nil {
			return err
		}
		return s.printText(page)
	})
}

// manualPage is the roff source of analyze(1).
func manualPage() (string, error) {
	return newApp(&strings.Builder{}, &strings.Builder{}).ToManWithSection(1)
}
