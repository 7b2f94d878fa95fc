package plots

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the coastlines are part of the program
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed coast/land-110m.json.gz
var landFile []byte

// ring is the closed outline of a piece of land as longitudes and latitudes in degrees.
type ring [][2]float64

// coastlines returns the world's land at 1:110 million (Natural Earth, public domain; see coast/NOTICE). The file is
// TopoJSON: outlines are cut into arcs, which neighbors share; an arc is a list of integer differences.
var coastlines = sync.OnceValues(func() ([]ring, error) {
	z, err := gzip.NewReader(bytes.NewReader(landFile))
	if err != nil {
		return nil, fmt.Errorf("coastlines: %w", err)
	}
	var topo struct {
		Transform struct{ Scale, Translate [2]float64 }
		Arcs      [][][2]float64
		Objects   struct {
			Land struct {
				Geometries []struct{ Arcs [][][]int } // multipolygons: polygons of rings of arcs
			}
		}
	}
	if err := json.NewDecoder(z).Decode(&topo); err != nil {
		return nil, fmt.Errorf("coastlines: %w", err)
	}
	arcs := make([]ring, len(topo.Arcs))
	for i, differences := range topo.Arcs {
		var x, y float64
		for _, d := range differences {
			x, y = x+d[0], y+d[1]
			arcs[i] = append(arcs[i], [2]float64{
				x*topo.Transform.Scale[0] + topo.Transform.Translate[0],
				y*topo.Transform.Scale[1] + topo.Transform.Translate[1],
			})
		}
	}
	var out []ring
	for _, g := range topo.Objects.Land.Geometries {
		for _, polygon := range g.Arcs {
			for _, indices := range polygon {
				out = append(out, join(arcs, indices))
			}
		}
	}
	return out, nil
})

// join strings arcs together; ^i stands for arc i backwards, and each arc begins where the last one ended.
func join(arcs []ring, indices []int) ring {
	var r ring
	for _, i := range indices {
		part := ring(nil)
		if i >= 0 {
			part = append(part, arcs[i]...)
		} else {
			back := arcs[^i]
			for k := len(back) - 1; k >= 0; k-- {
				part = append(part, back[k])
			}
		}
		if len(r) > 0 {
			part = part[1:]
		}
		r = append(r, part...)
	}
	return r
}
