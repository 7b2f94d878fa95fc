package network

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/islandsgd/islands/internal/doc"
	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/spec"
	"github.com/islandsgd/islands/internal/text"
)

//go:embed presets/*.yaml
var presetFiles embed.FS

// maxFile bounds what is read from disk, in bytes: the parser's own limit.
const maxFile = 32 << 20

// Presets returns the names of the built-in topologies, sorted.
func Presets() []string {
	entries, err := presetFiles.ReadDir("presets")
	if err != nil {
		panic(err) // the directory is compiled in
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// PresetSource returns the file behind a preset, comments with its sources included.
func PresetSource(name string) ([]byte, error) {
	if !slices.Contains(Presets(), name) {
		return nil, fmt.Errorf("unknown topology preset %q%s", name, text.DidYouMean(name, Presets()))
	}
	return presetFiles.ReadFile("presets/" + name + ".yaml")
}

// Load returns the topology that arg names: a preset, a family as in "star:n=9,latency=10ms", or the path of a file.
// A name with a path separator or a dot is always a path.
func Load(arg string) (*Topology, error) {
	arg = strings.TrimSpace(arg)
	if arg == "" {
		return nil, fmt.Errorf("topology has no name%s", text.DidYouMean("", known()))
	}
	if !looksLikePath(arg) {
		if slices.Contains(Presets(), arg) {
			data, err := PresetSource(arg)
			if err != nil {
				return nil, err
			}
			return Read(arg+".yaml", data)
		}
		if family, _, _ := strings.Cut(arg, ":"); families[family] != nil {
			sp, err := spec.Parse("topology", arg)
			if err != nil {
				return nil, err
			}
			return buildFamily(sp)
		}
	}
	info, err := os.Stat(arg)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if looksLikePath(arg) {
			return nil, fmt.Errorf("topology file %q does not exist", arg)
		}
		name, _, _ := strings.Cut(arg, ":")
		return nil, fmt.Errorf("unknown topology %q%s", name, text.DidYouMean(name, known()))
	case err != nil:
		return nil, fmt.Errorf("topology file %q: %w", arg, err)
	case info.IsDir():
		return loadDirectory(arg)
	}
	data, err := readFile(arg)
	if err != nil {
		return nil, err
	}
	return Read(arg, data)
}

// Read reads a topology out of a file's content, in whichever format it is: native YAML or JSON, GraphML, GML,
// node-link JSON, or a CSV table of links. name is the file's name, for messages and where the file has none of its own.
func Read(name string, data []byte) (*Topology, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d MB", filepath.Base(name), maxFile>>20)
	}
	start := strings.TrimLeftFunc(string(data[:min(len(data), sniffed)]), unicode.IsSpace)
	switch {
	case strings.HasPrefix(start, "<"):
		return readGraphML(name, data)
	case !strings.HasPrefix(start, "{") && gmlGraph.MatchString(start):
		return readGML(name, data)
	case csvHeader.MatchString(start):
		t, err := readTable(name, data)
		if err != nil {
			return nil, err
		}
		return readLinkTable(baseName(name), t, nil)
	}
	root, err := doc.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if isNodeLink(root) {
		return readNodeLink(name, root)
	}
	return withFile(filepath.Base(name))(readNative(root, baseName(name)))
}

// sniffed is how much of a file is looked at to recognize its format, in bytes.
const sniffed = 64 << 10

var (
	gmlGraph  = regexp.MustCompile(`(?m)^\s*graph\s*(\[|$)`)
	csvHeader = regexp.MustCompile(`^(?:#.*\n|\s*\n)*"?\w+"?(?:[ \t]*,[ \t]*"?\w+"?){2,}[ \t]*\r?(?:\n|$)`)
)

// baseName returns a file's name without directory and extension.
func baseName(name string) string {
	base := filepath.Base(name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// withFile validates what a reader returns and puts the file's name before errors that have no place.
func withFile(file string) func(*Topology, error) (*Topology, error) {
	return func(t *Topology, err error) (*Topology, error) {
		if err == nil {
			err = t.Validate()
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), file+":") {
				err = fmt.Errorf("%s: %w", file, err)
			}
			return nil, err
		}
		return t, nil
	}
}

// known returns every name that stands for a topology by itself.
func known() []string { return append(Presets(), Families()...) }

func looksLikePath(arg string) bool {
	name, _, _ := strings.Cut(arg, ":")
	return strings.ContainsAny(name, `/\.`)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("topology file %q: %w", path, err)
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("topology file %q: %w", path, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d MB", filepath.Base(path), maxFile>>20)
	}
	return files.WithoutMark(data), nil
}

// badName says why s cannot name a router or an island, or "".
func badName(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "is empty"
	case strings.TrimSpace(s) != s:
		return "begins or ends with a space"
	case strings.ContainsAny(s, ",|"):
		return "holds a comma or a bar, which separate names"
	case strings.ContainsFunc(s, unicode.IsControl):
		return "holds a control character"
	case len(s) > 200:
		return "is longer than 200 bytes"
	}
	return ""
}
