package text

import (
	"io"
	"strings"
	"testing"
)

// Byte 0xFC is ü in ISO-8859-1 (Unicode's first 256 characters are that table).
func TestCharsets(t *testing.T) {
	for _, c := range []struct{ charset, in, want string }{
		{"ISO-8859-1", "Z\xfcrich", "Zürich"}, {"latin1", "plain", "plain"}, {"US-ASCII", "plain", "plain"}, {"UTF-8", "Zürich", "Zürich"},
	} {
		r, err := CharsetReader(c.charset, strings.NewReader(c.in))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); string(got) != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.charset, got, err, c.want)
		}
	}
	if _, err := CharsetReader("EBCDIC", strings.NewReader("")); err == nil || !strings.Contains(err.Error(), "save the file as UTF-8") {
		t.Errorf("EBCDIC: %v", err)
	}
	if s, latin1 := Decode([]byte("Z\xfcrich")); s != "Zürich" || !latin1 {
		t.Errorf("%q, %v", s, latin1)
	}
	if s, latin1 := Decode([]byte("Zürich")); s != "Zürich" || latin1 {
		t.Errorf("%q, %v", s, latin1)
	}
}
