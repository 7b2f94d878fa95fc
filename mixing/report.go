package mixing

import (
	"encoding/json"

	"github.com/islandsgd/islands/schedule"
)

// Options of Analyze. The zero value asks for the defaults.
type Options struct {
	Gammas []float64 // memory factors γ in [0, 1) of effective neighbors; default 0.9, 0.99
}

// Report says how a sequence mixes. A pointer is nil where the number does not exist: SLEM of a period of several
// matrices, the period norm of a random schedule, p where nothing contracts. docs/mixing.md explains every field.
type Report struct {
	N                   int  `json:"n"`
	Period              int  `json:"period"`
	DoublyStochastic    bool `json:"doubly_stochastic"` // every W: row and column sums 1 within 1e-12
	Symmetric           bool `json:"symmetric"`         // every W
	Nonnegative         bool `json:"nonnegative"`       // every entry of every W
	ConnectedOverPeriod bool `json:"connected_over_period"`

	// Of the single matrix, period 1.
	SLEM        *float64 `json:"slem"`         // spectral radius of W-J
	Sigma2      *float64 `json:"sigma2"`       // ‖W-J‖₂
	SpectralGap *float64 `json:"spectral_gap"` // 1 - sigma2
	Method      string   `json:"method"`       // how SLEM, or the products of a period, were found: a closed form says so
	SLEMError   *float64 `json:"slem_error"`   // bound on its error where W is normal or a power of it is J, else nil

	PeriodNorm       *float64     `json:"period_norm"`        // ‖Φ-J‖₂ of the worst phase
	PeriodRadius     *float64     `json:"period_radius"`      // spectral radius of Φ-J, the same for every phase; 0 when proven
	RatePerRound     *float64     `json:"rate_per_round"`     // radius^(1/period)
	PrefixNorms      []float64    `json:"prefix_norms"`       // ‖W_t…W_1-J‖₂, t = 1..2·period
	ExactAfter       *int         `json:"exact_after_rounds"` // first t with W_t…W_1 = J
	ExactProof       string       `json:"exact_proof"`        // how that is known: by a closed form or rational arithmetic, or only that it is within 1e-9
	ExactReason      string       `json:"exact_reason"`       // why there is none, or how far it was searched
	P                *float64     `json:"p"`                  // 1 - ‖product-J‖² over the worst aligned block of Tau rounds ...
	Tau              *int         `json:"tau"`
	EffectiveNbrs    []Effective  `json:"effective_neighbors"`
	Expected         *Expected    `json:"expected"`
	Certificate      *Certificate `json:"certificate"`
	SingularValues   []float64    `json:"singular_values"` // of Φ-J from the first phase, descending, n ≤ 64
	Periodic         bool         `json:"periodic"`        // connected, yet an eigenvalue of modulus 1 keeps it from converging (such as -1)
	Dobrushin        *float64     `json:"dobrushin"`       // of Φ: by what max x - min x shrinks per period, worst phase
	JointRadius      *JointRadius `json:"joint_spectral_radius"`
	PairsMet         *int         `json:"pairs_met"`         // pairs that exchange directly in a period ...
	Pairs            int          `json:"pairs"`             // ... of n(n-1)/2
	PairsPerRound    *float64     `json:"pairs_per_round"`   // mean number of pairs that exchange in a round
	Stationary       []float64    `json:"stationary"`        // π with π'Φ = π' where columns do not sum to 1: what the islands agree on
	StationaryFactor *float64     `json:"stationary_factor"` // ‖Φ-1π'‖ in the norm weighted by π
	Edges            []EdgeRow    `json:"edges"`
	Fingerprint      string       `json:"fingerprint"`
	Warnings         []string     `json:"warnings"`
}

// Effective is the effective number of neighbors n_W(γ) after the period's last round (Vogels, Hendrikx, Jaggi 2022):
// by how many islands noise is averaged, when each remembers with factor γ. It runs from 1 (alone) to n.
type Effective struct {
	Gamma float64  `json:"gamma"`
	Mean  *float64 `json:"mean"`
	Worst *float64 `json:"worst"` // least over the nodes
}

// Expected describes the contraction of a random schedule.
type Expected struct {
	P    *float64 `json:"p"`    // 1 - ‖E[W'W]-J‖₂
	Rate *float64 `json:"rate"` // spectral radius of S → E[W S W'] off consensus, per round
}

// JointRadius bounds the factor per round when an adversary chooses the order of the rounds: the joint spectral radius
// of the set {W-J}. Products of up to Length rounds were formed. Lower is the largest spectral radius^(1/length),
// Upper the least over lengths of the largest norm^(1/length).
type JointRadius struct {
	Lower  float64 `json:"lower"`
	Upper  float64 `json:"upper"`
	Length int     `json:"length"`
}

// EdgeRow is one off-diagonal entry, written as [i, j, W_ij]. A symmetric matrix lists each pair once, i < j.
type EdgeRow schedule.Edge

// MarshalJSON writes [i, j, weight].
func (e EdgeRow) MarshalJSON() ([]byte, error) { return json.Marshal([]any{e.I, e.J, e.Weight}) }
