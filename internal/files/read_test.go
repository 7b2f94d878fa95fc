package files

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadDropsTheByteOrderMark(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"\xef\xbb\xbfname: x\n", "name: x\n"}, {"name: x\n", "name: x\n"}, {"", ""}, {"a\xef\xbb\xbf", "a\xef\xbb\xbf"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path); string(got) != c.want || err != nil {
			t.Errorf("%q is read as %q, %v", c.content, got, err)
		}
	}
}
