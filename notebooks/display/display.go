// Package display shows pictures and text in a Go notebook.
//
// Under GoNB (github.com/janpfeifer/gonb) a cell runs as a program of its own, which sends rich output through the named
// pipe in $GONB_PIPE as gob-encoded messages. This package writes such messages and needs nothing of GoNB. Without the
// variable, as in `go run`, it does nothing.
package display

import (
	"encoding/gob"
	"fmt"
	"os"
	"sync"
)

// Message is what travels through the pipe: data by MIME type, a string for text and []byte for a PNG.
type Message struct {
	Data      map[string]any
	Metadata  map[string]any
	DisplayID string
}

var encoder = sync.OnceValues(func() (*gob.Encoder, error) {
	path := os.Getenv("GONB_PIPE")
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	return gob.NewEncoder(f), nil
})

// MIME shows data of the given type, for instance "image/png" with []byte or "text/markdown" with a string.
func MIME(kind string, data any) error {
	e, err := encoder()
	if e == nil || err != nil {
		return err
	}
	return e.Encode(Message{Data: map[string]any{kind: data}})
}

// PNG shows a picture.
func PNG(data []byte) error { return MIME("image/png", data) }

// Markdown shows formatted text.
func Markdown(text string) error { return MIME("text/markdown", text) }
