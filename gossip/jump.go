package gossip

import (
	"context"
	"math/bits"
)

// jumper advances moments by many rounds at once. The maps of 1, 2, 4, … periods are made when first needed.
type jumper struct {
	p      *program
	powers []affine // powers[k]: 2^k periods
}

func (j *jumper) periodMap() affine {
	if len(j.powers) == 0 {
		j.powers = []affine{j.p.period()}
	}
	return j.powers[0]
}

func (j *jumper) power(k int) affine {
	j.periodMap()
	for len(j.powers) <= k {
		last := j.powers[len(j.powers)-1]
		j.powers = append(j.powers, last.then(last))
	}
	return j.powers[k]
}

const (
	// maxJumpSize is the largest state for which matrix products are used to jump: beyond it they need too much memory.
	maxJumpSize = 512

	// productCost is roughly what the dense products of one jump (squaring included) cost, in multiples of size³;
	// stepping costs about roundCost·size² for each round.
	productCost, roundCost = 6, 12

	// checkEvery is how many rounds pass between two looks at the context.
	checkEvery = 1024
)

// worthJumping reports whether the products for so many periods cost less than their rounds.
func (j *jumper) worthJumping(periods int) bool {
	size := j.p.size()
	return size <= maxJumpSize && periods*len(j.p.rounds)*roundCost > size*productCost*bits.Len(uint(periods))+
		len(j.p.rounds)*roundCost
}

// advance brings s to round t.
func (j *jumper) advance(ctx context.Context, s *moments, t int) error {
	period := len(j.p.rounds)
	for s.t < t {
		if s.t%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if periods := (t - s.t) / period; s.t >= j.p.prefix && (s.t-j.p.prefix)%period == 0 && j.worthJumping(periods) {
			for ; periods > 0; periods &= periods - 1 {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				k := bits.TrailingZeros(uint(periods))
				s.jump(j.power(k), period<<k)
			}
			continue
		}
		s.round()
	}
	return nil
}

// firstOverflow finds the first round in (before, t] after which the moments are not finite, by bisection.
func (j *jumper) firstOverflow(ctx context.Context, weights []float64, before, t int) (int, error) {
	for t-before > 1 {
		middle := before + (t-before)/2
		s := j.p.begin()
		if err := j.advance(ctx, s, middle); err != nil {
			return 0, err
		}
		if s.measure(weights).finite() {
			before = middle
		} else {
			t = middle
		}
	}
	return t, nil
}
