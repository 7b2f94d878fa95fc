package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// CharsetReader reads what an XML file declares its characters to be, for xml.Decoder. Graph files from before UTF-8
// was common are in ISO-8859-1.
func CharsetReader(charset string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "utf-8", "us-ascii", "ascii":
		return in, nil
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1":
		data, err := io.ReadAll(in)
		return strings.NewReader(FromLatin1(data)), err
	}
	return nil, fmt.Errorf("encoding %q is not read: save the file as UTF-8", charset)
}

// FromLatin1 returns a text of which every byte is a character, as in ISO-8859-1.
func FromLatin1(data []byte) string {
	var b strings.Builder
	b.Grow(len(data))
	for _, c := range data {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// Decode returns a text that is UTF-8 or else ISO-8859-1, which any bytes are, and whether it was the latter.
func Decode(data []byte) (s string, latin1 bool) {
	if utf8.Valid(data) {
		return string(data), false
	}
	return FromLatin1(data), true
}
