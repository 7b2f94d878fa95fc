package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteProtectsWhatIsNotOurs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	m := Manifest{Tool: "analyze", Seed: 1}
	a1, a2, b := File{"a.svg", []byte("one")}, File{"a.svg", []byte("two")}, File{"b.svg", []byte("b")}
	if err := Write(dir, []File{a1}, m, false); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, []File{a2, b}, m, false); err != nil {
		t.Fatalf("our own unchanged file was not replaced: %v", err)
	}
	if err := Write(dir, []File{b}, m, false); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, []File{a1}, m, false); err != nil {
		t.Fatalf("a file of an earlier run was forgotten: %v", err)
	}

	path := filepath.Join(dir, "a.svg")
	if err := os.WriteFile(path, []byte("edited by hand"), 0o644); err != nil {
		t.Fatal(err)
	}
	var exists ErrExists
	if err := Write(dir, []File{{"c.svg", nil}, a2}, m, false); !errors.As(err, &exists) || exists.Path != path {
		t.Fatalf("error %v, want one that names %s", err, path)
	}
	if got := read(t, path); got != "edited by hand" {
		t.Errorf("the edited file now holds %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "c.svg")); err == nil {
		t.Error("a file was written although another was refused")
	}
	if err := Write(dir, []File{a2}, m, true); err != nil || read(t, path) != "two" {
		t.Errorf("--force did not replace: %v", err)
	}
}

func TestWriteRefusesAForeignManifest(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ManifestName), []byte(`{"name": "someone's web app"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	var exists ErrExists
	if err := Write(dir, []File{{"a", nil}}, Manifest{Tool: "analyze"}, false); !errors.As(err, &exists) {
		t.Errorf("error %v, want a refusal", err)
	}
}

func TestEqualRunsGiveEqualBytes(t *testing.T) {
	dir := t.TempDir()
	m := Manifest{Tool: "analyze", Settings: map[string]string{"b": "2", "a": "1"}}
	files := []File{{"z", []byte("z")}, {"y", []byte("y")}}
	if err := Write(dir, files, m, false); err != nil {
		t.Fatal(err)
	}
	first := read(t, filepath.Join(dir, ManifestName))
	if err := Write(dir, files, m, false); err != nil {
		t.Fatal(err)
	}
	if second := read(t, filepath.Join(dir, ManifestName)); first != second {
		t.Errorf("manifests differ:\n%s\n%s", first, second)
	}
}
