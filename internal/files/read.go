package files

import (
	"bytes"
	"os"
)

// mark is the byte order mark that some editors put before UTF-8. It is no part of the text.
var mark = []byte("\xef\xbb\xbf")

// Read returns the content of a file that the user names, without a byte order mark.
func Read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	return WithoutMark(data), err
}

// WithoutMark returns a text without the byte order mark that it may begin with.
func WithoutMark(data []byte) []byte { return bytes.TrimPrefix(data, mark) }
