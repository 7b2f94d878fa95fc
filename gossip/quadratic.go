package gossip

// Quadratic is the problem on which everything can be computed exactly: n islands, d parameters,
//
//	f_i(x) = ½ (x - b_i)' A_i (x - b_i),   stochastic gradient A_i (x - b_i) + ξ_i,   E ξ_i ξ_i' = N_i,
//
// noise white in time and independent between islands. Diagonal problems keep only diagonals. A Quadratic is made by
// NewQuadratic, ParseProblem or ReadProblem, which check it; it does not change afterwards.
type Quadratic struct {
	N, D int

	Diagonal bool        // every A_i and N_i is diagonal: then A[i], Noise[i] hold d values, else d × d row-major
	A        [][]float64 // curvature, symmetric positive semidefinite
	B        [][]float64 // own optimum b_i, d values
	Noise    [][]float64 // noise covariance N_i
	Start    [][]float64 // start of each island, d values
	Weights  []float64   // island weights, sum 1; nil: equal
}
