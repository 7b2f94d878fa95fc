// Package doc reads the YAML and JSON files of this program strictly: every value knows its line and column, a key
// that nobody asked for is an error with a suggestion, and nothing is converted silently (4.5 is no integer, NaN is
// no number).
//
// The parsing is goccy/go-yaml's; this package walks its syntax tree. A reader asks a Node for what it expects (a
// map with these keys, a list, a number), and every refusal comes back as "file:line:column: message".
//
// Files come from strangers, so the size and the nesting are bounded and aliases are refused: a short file cannot
// unfold into a long one, and nothing outside the file is opened.
package doc

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/text"
)

const (
	maxSize  = 32 << 20 // bytes; a 1000 × 1000 matrix with full digits is 20 MB
	maxDepth = 64       // nesting of brackets or of indentation: the deepest format has 6 levels
)

// Node is one value of a document.
type Node struct {
	file string
	n    ast.Node
}

// Parse reads one document. name is used in messages, shortened to its last element.
func Parse(name string, data []byte) (Node, error) {
	file := filepath.Base(name)
	data = files.WithoutMark(data) // callers that read the file themselves need not know of it
	if len(data) > maxSize {
		return Node{}, fmt.Errorf("%s: larger than %d MB", file, maxSize>>20)
	}
	if err := checkDepth(file, data); err != nil {
		return Node{}, err
	}
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) > 0 && t[0] == '{' {
		data = spaceTabs(data)
	}
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return Node{}, syntaxError(file, err)
	}
	if len(f.Docs) == 0 || f.Docs[0].Body == nil {
		return Node{}, fmt.Errorf("%s: the file is empty", file)
	}
	if len(f.Docs) > 1 {
		return Node{}, fmt.Errorf("%s: holds %d documents, want one", file, len(f.Docs))
	}
	return Node{file, f.Docs[0].Body}, nil
}

// spaceTabs turns tabs outside strings into spaces: JSON may indent with tabs, YAML may not.
func spaceTabs(data []byte) []byte {
	out := bytes.Clone(data)
	inString := false
	for i := 0; i < len(out); i++ {
		switch {
		case inString && out[i] == '\\':
			i++
		case out[i] == '"':
			inString = !inString
		case !inString && out[i] == '\t':
			out[i] = ' '
		}
	}
	return out
}

// checkDepth bounds the nesting before the recursive parser sees the file.
func checkDepth(file string, data []byte) error {
	depth, line := 0, 1
	for _, c := range data {
		switch c {
		case '\n':
			line++
		case '[', '{':
			if depth++; depth > maxDepth {
				return fmt.Errorf("%s:%d: nested deeper than %d levels", file, line, maxDepth)
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	for i, l := range bytes.Split(data, []byte("\n")) {
		indent := len(l) - len(bytes.TrimLeft(l, " "))
		dashes := 0
		for rest := bytes.TrimLeft(l, " "); bytes.HasPrefix(rest, []byte("- ")); rest = bytes.TrimLeft(rest[2:], " ") {
			dashes++
		}
		if dashes > maxDepth || indent > 16*maxDepth {
			return fmt.Errorf("%s:%d: nested deeper than %d levels", file, i+1, maxDepth)
		}
	}
	return nil
}

func syntaxError(file string, err error) error {
	var se *yaml.SyntaxError
	if errors.As(err, &se) && se.Token != nil {
		return fmt.Errorf("%s:%d:%d: %s", file, se.Token.Position.Line, se.Token.Position.Column, oneLine(se.Message))
	}
	return fmt.Errorf("%s: %s", file, oneLine(err.Error()))
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// Errorf returns an error that begins with the file, line and column of the value.
func (n Node) Errorf(format string, a ...any) error {
	pos := n.n.GetToken().Position
	if m, ok := n.n.(*ast.MappingNode); ok && len(m.Values) > 0 { // its own token is the first colon
		pos = m.Values[0].Key.GetToken().Position
	}
	if m, ok := n.n.(*ast.MappingValueNode); ok {
		pos = m.Key.GetToken().Position
	}
	return fmt.Errorf("%s:%d:%d: %s", n.file, pos.Line, pos.Column, fmt.Sprintf(format, a...))
}

func (n Node) describe() string {
	switch v := n.n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a map"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.AliasNode, *ast.AnchorNode:
		return "an alias or anchor (write the value out)"
	default:
		s := v.String()
		if len(s) > 40 {
			s = s[:40] + "…"
		}
		return strconv.Quote(s)
	}
}

// Fields is a map whose keys were checked.
type Fields struct {
	node   Node
	values map[string]Node
}

// Map returns the node's fields. A key outside allowed, or a key given twice, is an error.
func (n Node) Map(allowed ...string) (Fields, error) {
	var pairs []*ast.MappingValueNode
	switch v := n.n.(type) {
	case *ast.MappingNode:
		pairs = v.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{v}
	default:
		return Fields{}, n.Errorf("%s where a map with %s is expected", n.describe(), strings.Join(allowed, ", "))
	}
	f := Fields{n, make(map[string]Node, len(pairs))}
	for _, p := range pairs {
		key := Node{n.file, p.Key}
		name, err := key.Text()
		if err != nil {
			return Fields{}, err
		}
		known := false
		for _, a := range allowed {
			known = known || a == name
		}
		if !known {
			return Fields{}, key.Errorf("unknown field %q%s", name, text.DidYouMean(name, allowed))
		}
		if _, twice := f.values[name]; twice {
			return Fields{}, key.Errorf("field %q stands twice", name)
		}
		f.values[name] = Node{n.file, p.Value}
	}
	return f, nil
}

// Get returns a field; a field that is given as null counts as absent.
func (f Fields) Get(key string) (Node, bool) {
	v, ok := f.values[key]
	if ok {
		if _, null := v.n.(*ast.NullNode); null {
			return Node{}, false
		}
	}
	return v, ok
}

// Require returns a field that must be there.
func (f Fields) Require(key string) (Node, error) {
	v, ok := f.Get(key)
	if !ok {
		return Node{}, f.node.Errorf("field %q is missing", key)
	}
	return v, nil
}

// Keys returns the names of a map's fields in the order of the file, without checking them: for telling formats apart.
func (n Node) Keys() []string {
	var pairs []*ast.MappingValueNode
	switch v := n.n.(type) {
	case *ast.MappingNode:
		pairs = v.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{v}
	}
	var keys []string
	for _, p := range pairs {
		if s, err := (Node{n.file, p.Key}).Text(); err == nil {
			keys = append(keys, s)
		}
	}
	return keys
}

// List returns the elements of a list.
func (n Node) List() ([]Node, error) {
	s, ok := n.n.(*ast.SequenceNode)
	if !ok {
		return nil, n.Errorf("%s where a list is expected", n.describe())
	}
	out := make([]Node, len(s.Values))
	for i, v := range s.Values {
		out[i] = Node{n.file, v}
	}
	return out, nil
}

// IsList reports whether the node is a list.
func (n Node) IsList() bool {
	_, ok := n.n.(*ast.SequenceNode)
	return ok
}

// IsMap reports whether the node is a map.
func (n Node) IsMap() bool {
	switch n.n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// Text returns a scalar as it is written: a string, or a number or boolean taken as a name.
func (n Node) Text() (string, error) {
	switch v := n.n.(type) {
	case *ast.StringNode:
		return v.Value, nil
	case *ast.LiteralNode:
		return v.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NanNode, *ast.InfinityNode:
		return v.GetToken().Value, nil
	}
	return "", n.Errorf("%s where a text is expected", n.describe())
}

// Bool returns true or false.
func (n Node) Bool() (bool, error) {
	if v, ok := n.n.(*ast.BoolNode); ok {
		return v.Value, nil
	}
	return false, n.Errorf("%s where true or false is expected", n.describe())
}

// Float returns a finite number.
func (n Node) Float() (float64, error) {
	switch n.n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		if v, err := strconv.ParseFloat(strings.ReplaceAll(n.n.GetToken().Value, "_", ""), 64); err == nil && !math.IsInf(v, 0) {
			return v, nil
		}
	case *ast.StringNode: // YAML 1.2 reads 1e-3 as a number, the parser as a string
		if v, err := strconv.ParseFloat(n.n.GetToken().Value, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v, nil
		}
	}
	return 0, n.Errorf("%s where a finite number is expected", n.describe())
}

// Int returns a whole number of at least min.
func (n Node) Int(min int) (int, error) {
	f, err := n.Float()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, n.Errorf("%s where a whole number is expected", n.describe())
	}
	if int(f) < min {
		return 0, n.Errorf("%d is below %d", int(f), min)
	}
	return int(f), nil
}

// Quantity returns a value with a unit, read by one of the readers of package units.
func (n Node) Quantity(read func(string) (float64, error)) (float64, error) {
	s, err := n.Text()
	if err != nil {
		return 0, err
	}
	v, err := read(s)
	if err != nil {
		return 0, n.Errorf("%v", err)
	}
	return v, nil
}

// Floats returns a list of finite numbers.
func (n Node) Floats() ([]float64, error) {
	list, err := n.List()
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(list))
	for i, v := range list {
		if out[i], err = v.Float(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
