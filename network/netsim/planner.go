package netsim

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/islandsgd/islands/network"
	"github.com/islandsgd/islands/network/collective"
	"github.com/islandsgd/islands/schedule"
)

// jointPlans is the number of islands up to which the cliques of a round choose their collectives together. Beyond, each
// chooses as if it were alone: the search for the best joint choice would take longer than a thousand rounds.
const jointPlans = 32

// planner asks package collective how rounds are carried, on the network as it stands: without the links that are down.
// It remembers the rounds of a period.
type planner struct {
	o        *Options
	whole    *network.Graph
	intact   *standing
	carrier  *carrier
	networks map[string]*standing
	now      *standing
}

// standing is the network that is left at some time.
type standing struct {
	pricer *collective.Pricer
	arcs   []int // those of the whole network
	rounds map[*schedule.Round]*planned
}

// planned is how a round is carried.
type planned struct {
	parts     [][]int
	carriages [][]*carriage // of each part

	each  []*bulk // of each part, when it was asked for
	whole *bulk
}

func newPlanner(o *Options) (*planner, *fluid, error) {
	p := &planner{o: o, networks: map[string]*standing{}}
	if err := p.stand(nil); err != nil {
		return nil, nil, err
	}
	p.intact, p.whole = p.now, p.now.pricer.Graph()
	var capacity []float64
	for _, a := range p.whole.Arcs {
		capacity = append(capacity, a.Capacity)
	}
	f := newFluid(capacity)
	p.carrier = newCarrier(o, p.whole, f)
	return p, f, nil
}

// stand makes the network without some links, in ascending order, the present one.
func (p *planner) stand(down []int) error {
	var key []byte
	for _, l := range down {
		key = binary.AppendUvarint(key, uint64(l))
	}
	if s, ok := p.networks[string(key)]; ok {
		p.now = s
		return nil
	}
	t := *p.o.Topology
	t.Links = nil
	s := &standing{rounds: map[*schedule.Round]*planned{}}
	for l, link := range p.o.Topology.Links {
		if !slices.Contains(down, l) {
			t.Links = append(t.Links, link)
			s.arcs = append(s.arcs, 2*l, 2*l+1)
		}
	}
	for i := range 2 * len(t.Islands) {
		s.arcs = append(s.arcs, 2*len(p.o.Topology.Links)+i)
	}
	var err error
	if s.pricer, err = collective.NewPricer(&t, p.o.Capability, p.o.Collective); err != nil {
		if len(down) > 0 {
			err = fmt.Errorf("without the links that are down (%s): %w", strings.Join(p.linkNames(down), ", "), err)
		}
		return err
	}
	const remembered = 64 // states of the network; a longer history of failures is planned anew
	if len(p.networks) >= remembered {
		clear(p.networks)
		p.networks[""] = p.intact
	}
	p.networks[string(key)], p.now = s, s
	return nil
}

func (p *planner) linkNames(links []int) []string {
	var out []string
	for _, l := range links {
		out = append(out, LinkName(p.o.Topology, l))
	}
	return out
}

// plan returns how a round is carried on the present network. keep says that the round will come again, until it is
// forgotten.
func (p *planner) plan(r *schedule.Round, keep bool) (*planned, error) {
	return p.planOn(p.now, r, keep)
}

// parts returns who meets in a round.
func (p *planner) parts(r *schedule.Round) ([][]int, error) {
	known, err := p.planOn(p.intact, r, true)
	if err != nil {
		return nil, err
	}
	return known.parts, nil
}

// forget drops the plans of a round that will not come again.
func (p *planner) forget(r *schedule.Round) {
	for _, s := range p.networks {
		delete(s.rounds, r)
	}
}

func (p *planner) planOn(s *standing, r *schedule.Round, keep bool) (*planned, error) {
	if known, ok := s.rounds[r]; ok {
		return known, nil
	}
	plan, err := p.streams(s, r)
	if err != nil {
		return nil, err
	}
	out := &planned{parts: plan.Parts, carriages: make([][]*carriage, len(plan.Parts))}
	for i := range plan.Streams {
		x := &plan.Streams[i]
		out.carriages[x.Part] = append(out.carriages[x.Part], p.carrier.carry(x, func(a int) int { return s.arcs[a] }))
	}
	if keep {
		s.rounds[r] = out
	}
	return out, nil
}

// streams asks for the plan of a round.
func (p *planner) streams(s *standing, r *schedule.Round) (*collective.Plan, error) {
	if !p.alone() || !r.IsCliques() {
		return s.pricer.Plan(r)
	}
	out := &collective.Plan{}
	for _, members := range r.Cliques {
		one, err := s.pricer.Plan(&schedule.Round{LocalSteps: 1, Cliques: [][]int{members}})
		if err != nil {
			return nil, err
		}
		for _, x := range one.Streams {
			x.Part += len(out.Parts)
			out.Streams = append(out.Streams, x)
		}
		out.Parts = append(out.Parts, one.Parts...)
	}
	return out, nil
}

// alone reports whether cliques choose their collectives alone. Only best leaves a choice.
func (p *planner) alone() bool {
	name := p.o.Collective.Collective
	return len(p.o.Topology.Islands) > jointPlans && (name == "" || name == collective.Best)
}

// components splits islands by who still reaches whom, in island order.
func (p *planner) components(members []int) [][]int {
	g, islands := p.now.pricer.Graph(), p.o.Topology.Islands
	var out [][]int
next:
	for _, m := range members {
		for i := range out {
			if g.Connected(islands[out[i][0]].Router, islands[m].Router) {
				out[i] = append(out[i], m)
				continue next
			}
		}
		out = append(out, []int{m})
	}
	return out
}
