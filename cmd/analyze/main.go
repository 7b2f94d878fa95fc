// Command analyze prices, bounds, simulates and draws schedules of decentralized SGD over a wide-area network.
//
//	analyze plot                      draw the nine-city study into figures/
//	analyze cost --schedule allreduce what a round costs under each capability
//	analyze help                      every command
//
// # Exit status
//
//	0    done
//	1    failed
//	2    wrong usage or input
//	3    finished, but a check or bound was violated
//	130  interrupted
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	go func() { // the first Ctrl-C asks for a clean end, the second takes it
		<-ctx.Done()
		stop()
	}()
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}
