package presets

import (
	"context"
	"math"
)

// Quantities of training runs that send fragments of a model, whole or a few bits of every parameter, each H steps.
var streamingQuantities = map[string]quantity{
	"hours": {"hours of a training run: tokens / batch steps, each with the communication that nothing hides", func(_ context.Context, r *reader) float64 {
		steps := r.number("tokens") / r.number("batch")
		step := r.seconds("step_time")
		exposed := 0.0
		if r.has("bandwidth") { // without: infinitely fast
			exposed = exposedPerStep(r, r.rate("bandwidth"))
		}
		return steps * (step + exposed) / 3600
	}},
	"terabytes": {"terabytes exchanged in a training run: factor payloads of all parameters per synchronization", func(_ context.Context, r *reader) float64 {
		steps := r.number("tokens") / r.number("batch")
		return steps / r.number("local_steps") * r.number("factor") * payloadBits(r) / 8 / 1e12
	}},
	"peak-ratio":           {"bytes of a whole synchronization over those of one fragment", func(_ context.Context, r *reader) float64 { return r.number("fragments") }},
	"rate-for-utilization": {"least Gb/s, on a grid of 50 points from 0.1 to 1000, at which the target share of the time is computation", rateForUtilization},
}

// payloadBits is what one synchronization of all parameters carries.
func payloadBits(r *reader) float64 {
	bits := r.number("bytes") * 8
	if r.has("bits") {
		bits = r.number("bits")
	}
	return r.number("parameters") * bits
}

// exposedPerStep is the communication of a local step that no computation hides, in seconds: the fragments go one after
// the other, each over a ring of two (one payload each way), each hidden behind overlap local steps.
func exposedPerStep(r *reader, bitPerSecond float64) float64 {
	fragments, overlap := 1.0, 0.0
	if r.has("fragments") {
		fragments = r.number("fragments")
	}
	if r.has("overlap") {
		overlap = r.number("overlap")
	}
	one := payloadBits(r) / fragments / bitPerSecond
	return fragments * max(0, one-overlap*r.seconds("step_time")) / r.number("local_steps")
}

// backward is the share of a step that is its backward pass: twice the forward pass.
const backward = 2.0 / 3

// rateForUtilization searches the grid. Data parallelism (layers given) sends each layer's gradient as soon as its part of
// the backward pass is done, and starts the next step when all have arrived; fragments are sent behind the backward pass
// and overlap further steps.
func rateForUtilization(_ context.Context, r *reader) float64 {
	step, target, h := r.seconds("step_time"), r.number("target")/100, r.number("local_steps")
	bits := payloadBits(r)
	if r.has("factor") {
		bits *= r.number("factor")
	}
	exposed := func(rate float64) float64 {
		if r.has("layers") {
			layers := r.number("layers")
			late := bits/rate - backward*step*(1-1/layers)
			return h * max(late, bits/layers/rate)
		}
		fragments := r.number("fragments")
		if r.or("overlap", "0") == "outer" { // the whole of the next H steps hides it
			return max(0, bits/rate-h*step)
		}
		return fragments * max(0, bits/fragments/rate-(backward+r.number("overlap"))*step)
	}
	const points = 50
	for k := range points {
		gbps := 0.1 * math.Pow(10, 4*float64(k)/(points-1))
		if compute := h * step; compute/(compute+exposed(gbps*1e9)) >= target {
			return gbps
		}
	}
	r.missing("even 1000 Gb/s do not reach %g%%", 100*target)
	return math.NaN()
}
