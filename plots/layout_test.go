package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/islandsgd/islands/network"
)

// No two routers fall on one spot, however alike they are; networks on a line stay on it.
func TestGraphLayout(t *testing.T) {
	c := draw.NewCanvas(new(recorder.Canvas), 400, 240)
	for _, line := range []string{"star:n=2", "star:n=9", "star:n=40", "mesh:n=18", "mesh:n=32", "ring:n=40", "path:n=7", "dumbbell:left=3,right=3"} {
		top, err := network.Load(line)
		if err != nil {
			t.Fatal(err)
		}
		at := graphLayout(c, top)
		closest := vg.Length(math.Inf(1))
		for i, p := range at {
			if !c.Contains(p) {
				t.Errorf("%s: router %d at %v, off the canvas", line, i, p)
			}
			for _, q := range at[:i] {
				d := p.Sub(q)
				closest = min(closest, vg.Length(math.Hypot(float64(d.X), float64(d.Y))))
			}
		}
		if closest < 2*routerRadius {
			t.Errorf("%s: two routers %v points apart, less than their disks", line, closest)
		}
		if line == "path:n=7" {
			for _, p := range at {
				if math.Abs(float64(p.Y-120)) > 1 {
					t.Errorf("path: a router at height %v, want 120", p.Y)
				}
			}
		}
	}
}

// A router without coordinates stands amid its neighbors, across the antimeridian too; where most have none the network
// is no map.
func TestLocated(t *testing.T) {
	top, err := network.Load("path:n=5")
	if err != nil {
		t.Fatal(err)
	}
	for i, lon := range []float64{170, 175, 0, -175, -170} {
		if i != 2 {
			top.Routers[i].HasPosition, top.Routers[i].Lon = true, lon
		}
	}
	got, guessed := located(top)
	if r := got.Routers[2]; guessed != 1 || !r.HasPosition || math.Abs(r.Lat) > 1e-9 || math.Abs(math.Abs(r.Lon)-180) > 1e-9 {
		t.Errorf("guessed %d, router %+v, want 0, ±180", guessed, r)
	}
	if top.Routers[2].HasPosition {
		t.Error("the network itself was changed")
	}
	top.Routers[0].HasPosition = false
	if got, guessed := located(top); guessed != 0 || onMap(got) {
		t.Errorf("three of five located: guessed %d", guessed)
	}
}
