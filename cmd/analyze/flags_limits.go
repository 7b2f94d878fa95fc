package main

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/islandsgd/islands/internal/units"
	"github.com/islandsgd/islands/network/collective"
)

// limitFlags switch on what real routers, transports and encodings add to the cost model.
type limitFlags struct {
	ingest, buffer, jitter, recovery, window, mss, header, packet, chunk, fec, routing string
	contexts, connections, integerBits, maxTrees                                       int
	loss                                                                               float64
	paced, bounds                                                                      bool
}

func (f *limitFlags) flags() []cli.Flag {
	const category = "limits (off unless given)"
	text := func(name, usage string, to *string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Destination: to, Category: category}
	}
	whole := func(name, usage string, to *int) cli.Flag {
		return &cli.IntFlag{Name: name, Usage: usage, Destination: to, Category: category}
	}
	return []cli.Flag{
		text("ingest", "rate at which an aggregator takes in what it merges, for instance 100Gbps", &f.ingest),
		whole("contexts", "trees that an aggregator merges in one round (default: no limit)", &f.contexts),
		text("buffer", "memory of an aggregator, for instance 1GB", &f.buffer),
		&cli.BoolFlag{Name: "paced", Usage: "senders start so that inputs of a merge arrive together", Destination: &f.paced, Category: category},
		text("jitter", "skew of paced inputs, for instance 1ms", &f.jitter),
		text("recovery", "round trip that a lost packet adds to a merge, for instance 50ms", &f.recovery),
		text("tcp-window", "window of a TCP connection, for instance 4MiB", &f.window),
		text("mss", "TCP segment size for the Mathis rate, for instance 1460B", &f.mss),
		&cli.Float64Flag{Name: "loss", Usage: "packet loss probability for the Mathis rate", Destination: &f.loss, Category: category},
		whole("connections", "parallel TCP connections between two ends (default: 1)", &f.connections),
		text("fec", "N,R: of N packets of a multicast, R are repair", &f.fec),
		text("header", "overhead of every packet, for instance 66B", &f.header),
		text("packet", "payload of a packet (default: 1460B)", &f.packet),
		text("chunk", "pieces that are pipelined, for instance 4MB", &f.chunk),
		whole("integer-bits", "width of integer payloads, which grow when they are summed (default: floats, which do not)", &f.integerBits),
		whole("max-trees", "packed: trees for each clique at most (default: no limit)", &f.maxTrees),
		text("routing", "shortest (default) or optimal", &f.routing),
		&cli.BoolFlag{Name: "bounds", Usage: "compute the partition, egress and packing bounds as well", Destination: &f.bounds, Category: category},
	}
}

// apply fills the options that these flags decide.
func (f *limitFlags) apply(o *collective.Options) error {
	for _, q := range []struct {
		flag, value string
		to          *float64
		read        func(string) (float64, error)
	}{
		{"ingest", f.ingest, &o.Limits.Ingest, units.Bandwidth}, {"buffer", f.buffer, &o.Limits.Buffer, units.Bytes},
		{"jitter", f.jitter, &o.Limits.Jitter, units.Seconds}, {"recovery", f.recovery, &o.Limits.Recovery, units.Seconds},
		{"tcp-window", f.window, &o.Limits.Window, units.Bytes}, {"mss", f.mss, &o.Limits.MSS, units.Bytes},
		{"header", f.header, &o.Limits.Header, units.Bytes}, {"packet", f.packet, &o.Limits.Packet, units.Bytes}, {"chunk", f.chunk, &o.Limits.Chunk, units.Bytes},
	} {
		if q.value == "" {
			continue
		}
		v, err := q.read(q.value)
		if err != nil {
			return inputf("--%s: %w", q.flag, err)
		}
		*q.to = v
	}
	if f.fec != "" {
		n, r, ok := strings.Cut(f.fec, ",")
		var err1, err2 error
		o.Limits.FECPackets, err1 = strconv.Atoi(n)
		o.Limits.FECRepair, err2 = strconv.Atoi(r)
		if !ok || err1 != nil || err2 != nil {
			return inputf("--fec %q is not N,R (for instance 20,2)", f.fec)
		}
	}
	if !(f.loss >= 0 && f.loss < 1) {
		return inputf("--loss %g is no probability below 1", f.loss)
	}
	for _, q := range []struct {
		flag  string
		value int
	}{{"contexts", f.contexts}, {"connections", f.connections}, {"integer-bits", f.integerBits}, {"max-trees", f.maxTrees}} {
		if q.value < 0 {
			return inputf("--%s %d is negative", q.flag, q.value)
		}
	}
	o.Limits.Contexts, o.Limits.Connections, o.Limits.IntegerBits = f.contexts, f.connections, f.integerBits
	o.Limits.Loss, o.Limits.Paced = f.loss, f.paced
	o.MaxTrees, o.Routing, o.Bounds = f.maxTrees, f.routing, f.bounds
	return nil
}
