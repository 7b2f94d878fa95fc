package study

import (
	"gonum.org/v1/gonum/mat"

	"github.com/islandsgd/islands/mixing"
	"github.com/islandsgd/islands/schedule"
)

// Matrices are the mixing matrices of one period and their running product.
type Matrices struct {
	Schedule string        `json:"schedule"`
	Nodes    []string      `json:"nodes"`
	Rounds   [][][]float64 `json:"rounds"`   // W_t
	Products [][][]float64 `json:"products"` // W_t … W_1
	Norms    []float64     `json:"norms"`    // ‖W_t … W_1 - J‖₂
}

// exactNorm is the norm below which a product of some rounds counts as exact averaging: what is left is rounding.
const exactNorm = 1e-12

// MatricesOf writes out the matrices of a periodic schedule.
func MatricesOf(s *schedule.Schedule) (*Matrices, error) {
	seq, err := mixing.New(s)
	if err != nil {
		return nil, err
	}
	m := &Matrices{Schedule: s.Name}
	for i := range s.N {
		m.Nodes = append(m.Nodes, s.NodeName(i))
	}
	var product *mat.Dense
	for t := range seq.Steps {
		w := seq.Steps[t].W.Dense()
		next := mat.DenseCopyOf(w)
		if product != nil {
			next.Mul(w, product)
		}
		product = next
		m.Rounds = append(m.Rounds, rows(w))
		m.Products = append(m.Products, rows(product))
		norm := mixing.DisagreementNorm(product)
		if norm < exactNorm {
			norm = 0
		}
		m.Norms = append(m.Norms, norm)
	}
	return m, nil
}

func rows(d *mat.Dense) [][]float64 {
	r, _ := d.Dims()
	out := make([][]float64, r)
	for i := range out {
		out[i] = mat.Row(nil, i, d)
	}
	return out
}
