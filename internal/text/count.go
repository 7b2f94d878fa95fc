package text

import "strconv"

// Count is a number of things: "1 round", "2 rounds".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
