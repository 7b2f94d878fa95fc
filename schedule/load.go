package schedule

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/islandsgd/islands/internal/files"
	"github.com/islandsgd/islands/internal/spec"
	"github.com/islandsgd/islands/internal/text"
)

// Options say what a schedule that does not say so itself is about.
type Options struct {
	N     int      // number of nodes where the schedule gives none; default len(Nodes), else 9
	Nodes []string // names of the nodes, such as a topology's islands; a schedule must then fit them. Default: numbers
}

// defaultNodes is the number of nodes where nothing says otherwise: the nine cities.
const defaultNodes = 9

func (o Options) size() int {
	switch {
	case len(o.Nodes) > 0:
		return len(o.Nodes)
	case o.N > 0:
		return o.N
	}
	return defaultNodes
}

// fits refuses a schedule of another size than the given names.
func (o Options) fits(n int) error {
	if len(o.Nodes) > 0 && n != len(o.Nodes) {
		return fmt.Errorf("the schedule has %d nodes, but there are %d islands", n, len(o.Nodes))
	}
	return nil
}

// Load returns the schedule that arg names: a family line such as "ring:n=8,weights=best-constant", or the path of a
// file (YAML or JSON). A name that is a family is never taken for a file.
func Load(arg string, o Options) (*Schedule, error) {
	name := familyName(arg)
	if f, ok := family(name); ok {
		return f.load(arg, o)
	}
	data, err := files.Read(arg)
	if err == nil {
		return Read(arg, data, o)
	}
	if looksLikePath(arg) {
		return nil, fmt.Errorf("schedule %s: %w", arg, reason(err))
	}
	return nil, fmt.Errorf("unknown schedule %q%s", name, text.DidYouMean(name, familyNames()))
}

func familyName(line string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
	return name
}

func looksLikePath(arg string) bool {
	switch strings.ToLower(filepath.Ext(arg)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return strings.ContainsRune(arg, filepath.Separator) || strings.ContainsRune(arg, '/')
}

// reason strips the path, which the caller has named already, from a file error.
func reason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// ParseCliques reads a one-round schedule such as "AMS,FRA|BAR,LAX": cliques separated by bars, members by commas,
// each named or numbered from 0. Nodes that are not mentioned are idle. Without Options the nodes are as many as the
// largest number asks for.
func ParseCliques(s string, o Options) (*Schedule, error) {
	fail := func(format string, a ...any) (*Schedule, error) {
		return nil, fmt.Errorf("cliques %q: %s", s, fmt.Sprintf(format, a...))
	}
	var cliques [][]string
	for part := range strings.SplitSeq(s, "|") {
		var c []string
		for name := range strings.SplitSeq(part, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return fail("a member is empty (want a form like \"0,1|2,3\")")
			}
			c = append(c, name)
		}
		cliques = append(cliques, c)
	}
	out := &Schedule{Name: "cliques", N: o.size(), Nodes: o.Nodes}
	if o.N == 0 && len(o.Nodes) == 0 {
		out.N = 1
		for _, c := range cliques {
			for _, name := range c {
				if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < MaxNodes {
					out.N = max(out.N, i+1)
				}
			}
		}
	}
	index := out.index()
	round := Round{LocalSteps: 1, Cliques: make([][]int, len(cliques))}
	for k, c := range cliques {
		for _, name := range c {
			i, err := index.lookup(name)
			if err != nil {
				return fail("%v", err)
			}
			round.Cliques[k] = append(round.Cliques[k], i)
		}
	}
	out.Rounds = []Round{round}
	if err := out.Validate(); err != nil {
		return fail("%v", strings.TrimPrefix(err.Error(), "round 0: "))
	}
	return out, nil
}

// nodeIndex finds nodes by name, or by number where no node has that name.
type nodeIndex struct {
	n      int
	names  []string
	byName map[string]int
}

func (s *Schedule) index() nodeIndex {
	x := nodeIndex{s.N, s.Nodes, make(map[string]int, len(s.Nodes))}
	for i, name := range s.Nodes {
		x.byName[name] = i
	}
	return x
}

func (x nodeIndex) lookup(name string) (int, error) {
	if i, ok := x.byName[name]; ok {
		return i, nil
	}
	i, err := strconv.Atoi(name)
	switch {
	case err == nil && i >= 0 && i < x.n:
		return i, nil
	case err == nil:
		return 0, fmt.Errorf("node %d does not exist (there are %d, counted from 0)", i, x.n)
	case len(x.names) > 0:
		return 0, fmt.Errorf("unknown node %q%s", name, text.DidYouMean(name, x.names))
	}
	return 0, fmt.Errorf("unknown node %q (the nodes are numbered 0 to %d)", name, x.n-1)
}

// Family describes one family of schedules, for help.
type Family struct {
	Name  string
	Keys  []string // its own keys, as they stand in a line: "k=", "graph=ring"
	About string   // one sentence

	graph bool // static graph: takes weights=
	build func(b *builder) error
}

// CommonKeys are understood by every family; weights= by the graphs alone, and target= (shares with slashes, such as
// 0.5/0.3/0.2) with weights=reversible.
var CommonKeys = []string{"n=", "h=", "lazy=", "weights=", "target="}

// Families returns all families in the order of their kinds: one clique, graphs, directed, rotating, random.
func Families() []Family { return append([]Family(nil), families...) }

func family(name string) (*Family, bool) {
	for i := range families {
		if families[i].Name == name {
			return &families[i], true
		}
	}
	return nil, false
}

func familyNames() []string {
	names := make([]string, len(families))
	for i := range families {
		names[i] = families[i].Name
	}
	return names
}

// builder is what a family's recipe works on.
type builder struct {
	*spec.Spec
	o   Options
	out *Schedule
}

// n returns the number of nodes asked for.
func (b *builder) n() int { return b.Int("n", b.o.size(), 1, MaxNodes) }

// terms refuses a schedule that would list too much.
func (b *builder) terms(n float64, remedy string) error {
	if n > MaxTerms {
		return b.Errorf("would list %.3g members and edges, more than %d%s", n, MaxTerms, remedy)
	}
	return nil
}

// unknown is the error of a value that is none of those known.
func (b *builder) unknown(key, value string, known []string) error {
	return b.Errorf("%s=%s is unknown%s", key, value, text.DidYouMean(value, known))
}

// round appends a round.
func (b *builder) round(r Round) { b.out.Rounds = append(b.out.Rounds, r) }

// shares reads "0.5/0.3/0.2".
func shares(s string) ([]float64, error) {
	if s == "" {
		return nil, fmt.Errorf("weights=reversible needs the nodes' shares, such as target=0.5/0.3/0.2")
	}
	var out []float64
	for part := range strings.SplitSeq(s, "/") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", part)
		}
		out = append(out, v)
	}
	return out, nil
}

func (f *Family) load(line string, o Options) (*Schedule, error) {
	sp, err := spec.Parse("schedule", line)
	if err != nil {
		return nil, err
	}
	b := &builder{sp, o, &Schedule{Name: strings.TrimSpace(line)}}
	h := sp.Int("h", 1, 1, 1<<30)
	lazy := sp.Float("lazy", 0, 0, 1)
	if sp.Has("lazy") && lazy == 0 {
		return nil, sp.Errorf("lazy=0 never mixes (want a value in (0, 1]; the family local does not mix)")
	}
	if err := f.build(b); err != nil {
		return nil, err
	}
	rule, target := "", []float64(nil)
	if f.graph {
		rule = sp.OneOf("weights", "metropolis", Rules...)
		if rule == "reversible" {
			if target, err = shares(sp.String("target", "")); err != nil {
				return nil, sp.Errorf("target: %v", err)
			}
		}
	}
	if err := sp.Finish(); err != nil {
		return nil, err
	}
	s := b.out
	if err := o.fits(s.N); err != nil {
		return nil, sp.Errorf("%v", err)
	}
	if len(o.Nodes) > 0 {
		s.Nodes = o.Nodes
	}
	finish := func(r *Round) {
		r.LocalSteps = h
		if lazy < 1 {
			r.Lazy = lazy
		}
		if len(r.Edges) > 0 {
			r.Rule, r.Target = rule, target
		}
	}
	for i := range s.Rounds {
		finish(&s.Rounds[i])
	}
	if s.Random != nil {
		s.Random.LocalSteps = h
		if lazy < 1 {
			s.Random.Lazy = lazy
		}
		s.Random.list()
	}
	if err := s.Validate(); err != nil {
		return nil, sp.Errorf("%v", err)
	}
	return s, nil
}
