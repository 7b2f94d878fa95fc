package bounds

import "fmt"

// best returns, for each of the three moments, the least of the guarantees that apply, round by round: it is a
// guarantee itself.
func best(all []Bound, at []int) []Bound {
	var out []Bound
	for _, quantity := range []string{Centroid, Consensus, MSE} {
		b := Bound{ID: "best-" + quantity, Name: "least of the guarantees that apply", Source: "the minimum of guarantees is one",
			Kind: Guarantee, Quantity: quantity, Vacuous: true, Points: []Point{}}
		from := ""
		for _, g := range all {
			if g.Kind != Guarantee || g.Quantity != quantity || !g.Applicable || len(g.Points) != len(at) {
				continue
			}
			b.Vacuous = b.Vacuous && g.Vacuous
			for i, p := range g.Points {
				switch {
				case len(b.Points) <= i:
					b.Points = append(b.Points, p)
				case p.Value < b.Points[i].Value:
					b.Points[i] = p
				default:
					continue
				}
				if i == len(at)-1 {
					from = g.ID
				}
			}
			b.Applicable = true
		}
		b.apply(assumptions{is("a guarantee applies", b.Applicable, "no guarantee applies")})
		if b.Vacuous = b.Vacuous && b.Applicable; from != "" {
			b.Detail = fmt.Sprintf("at t=%d it is %s", at[len(at)-1], from)
		}
		out = append(out, b)
	}
	return out
}
