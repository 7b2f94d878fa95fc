// Package files writes a folder of results so that nobody loses anything: nothing of the user's is written over, files
// appear whole or not at all, and a manifest says what was made, by which version and settings.
//
// A file may be replaced if --force is given, or if the folder's own manifest.json lists it with the hash that it
// still has: then it is ours and untouched. All such checks come before the first byte is written.
package files

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ManifestName is the file that lists what was written.
const ManifestName = "manifest.json"

// Manifest says how the files of a folder were made. It carries no clock, no host and no command line, so that equal
// runs give equal bytes.
type Manifest struct {
	Tool           string            `json:"tool"`
	Version        string            `json:"version"`
	Revision       string            `json:"revision"`
	Go             string            `json:"go"`
	Platform       string            `json:"platform"`
	Seed           uint64            `json:"seed"`
	SeedDerivation string            `json:"seed_derivation"`
	Settings       map[string]string `json:"settings"`
	Files          []Entry           `json:"files"`
}

// Entry is one file of a manifest.
type Entry struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// File is a name and its whole content.
type File struct {
	Name string
	Data []byte
}

// ErrExists is returned for a file that is not ours to replace.
type ErrExists struct{ Path string }

func (e ErrExists) Error() string {
	return fmt.Sprintf("%s exists and is not listed unchanged in %s (use --force to replace it, or another --out)", e.Path, ManifestName)
}

// Write writes all files and the manifest into dir, which is made where it is missing. m.Files is filled in; entries
// of an earlier manifest whose files are still unchanged are kept.
func Write(dir string, files []File, m Manifest, force bool) error {
	old, err := readManifest(dir)
	if err != nil && !force {
		return err
	}
	if !force {
		for _, f := range files {
			path := filepath.Join(dir, f.Name)
			switch hash, err := hashFile(path); {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return err
			case old[f.Name] != hash:
				return ErrExists{path}
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	m.Files = nil
	written := map[string]bool{}
	for _, f := range files {
		written[f.Name] = true
		m.Files = append(m.Files, Entry{f.Name, hash(f.Data)})
	}
	for name, h := range old {
		if got, err := hashFile(filepath.Join(dir, name)); err == nil && got == h && !written[name] {
			m.Files = append(m.Files, Entry{name, h})
		}
	}
	slices.SortFunc(m.Files, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range append(slices.Clone(files), File{ManifestName, append(data, '\n')}) {
		if err := replace(filepath.Join(dir, f.Name), f.Data); err != nil {
			return err
		}
	}
	return nil
}

// replace writes beside the target, then renames.
func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // gone already after the rename
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// readManifest returns the hashes by name; a missing manifest is an empty one, one that is not ours an error.
func readManifest(dir string) (map[string]string, error) {
	path := filepath.Join(dir, ManifestName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil || m.Tool == "" {
		return nil, ErrExists{path}
	}
	out := map[string]string{}
	for _, f := range m.Files {
		if filepath.IsLocal(f.Name) {
			out[f.Name] = f.SHA256
		}
	}
	return out, nil
}

func hashFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return hash(data), nil
}

func hash(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
