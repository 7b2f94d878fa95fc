package study

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentedExample: the program in docs/bounds.md is the example that is run.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../docs/bounds.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("suite_example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(page), "```go\n")
	block, _, closed := strings.Cut(after, "```")
	if !ok || !closed || block != string(example) {
		t.Error("docs/bounds.md does not show suite_example_test.go as it is")
	}
}
