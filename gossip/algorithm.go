package gossip

import (
	"fmt"

	"github.com/islandsgd/islands/internal/spec"
	"github.com/islandsgd/islands/internal/text"
)

// Algorithm names an algorithm and its settings. The zero value is atc.
type Algorithm struct {
	// Name is one of
	//
	//	atc   adapt then combine: H local steps, then x ← W x (the default; Koloskova et al. 2020)
	Name string
}

var algorithmNames = []string{"atc"}

// ParseAlgorithm reads an algorithm line such as "atc".
func ParseAlgorithm(line string) (Algorithm, error) {
	if line == "" {
		return Algorithm{}, nil
	}
	s, err := spec.Parse("algorithm", line)
	if err != nil {
		return Algorithm{}, err
	}
	a := Algorithm{Name: s.Name}
	if err := a.check(); err != nil {
		return Algorithm{}, err
	}
	return a, s.Finish()
}

// String returns the line that ParseAlgorithm reads.
func (a Algorithm) String() string { return a.name() }

func (a Algorithm) name() string {
	if a.Name == "" {
		return "atc"
	}
	return a.Name
}

func (a Algorithm) check() error {
	for _, known := range algorithmNames {
		if a.name() == known {
			return nil
		}
	}
	return fmt.Errorf("algorithm %q is unknown%s", a.Name, text.DidYouMean(a.Name, algorithmNames))
}
