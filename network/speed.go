package network

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Link labels of published maps hide speeds in many spellings: "OC-192c", "2x10Gb/s", "<45Mb", "STM-16", "GigE".

var (
	// labelRate is a number with a bit rate: an optional count before it, an optional upper end of a range after it.
	labelRate = regexp.MustCompile(`(?i)(?:\b(\d{1,3})\s*[x×*]\s*)?(\d+(?:\.\d+)?)\s*(?:[-/]\s*\d+(?:\.\d+)?\s*)?(k|m|g|t)(?:bit/?s?|bps|b/s|b|ige|igabits?|ig|e)\b`)
	// labelLetter is a number with a bare prefix, capital so that meters and thousands do not count: "10G".
	labelLetter = regexp.MustCompile(`(?:\b(\d{1,3})\s*[x×*]\s*)?(\d+(?:\.\d+)?)\s?(M|G|T)\b`)
	// labelCarrier is a step of one of the telephone hierarchies.
	labelCarrier = regexp.MustCompile(`(?i)(?:\b(\d{1,3})\s*[x×*]\s*|\b)(OC|STM|STS|DS|T|E)-?(\d{1,4})c?\b`)
	labelEther   = regexp.MustCompile(`(?i)\b(fast|gigabit|gig)\s*-?\s*e(?:thernet)?\b`)
)

// carriers give the bit/s of the steps that do not follow from multiplication (ITU-T G.702, ANSI T1.107).
var carriers = map[string]float64{
	"T1": 1.544e6, "T3": 44.736e6, "DS1": 1.544e6, "DS3": 44.736e6,
	"E1": 2.048e6, "E2": 8.448e6, "E3": 34.368e6, "E4": 139.264e6,
}

// speedOf reads a speed in bit/s out of a label. Of a range it takes the lower end.
func speedOf(label string) (float64, bool) {
	if m := labelRate.FindStringSubmatch(label); m != nil {
		return rate(m[1], m[2], m[3])
	}
	if m := labelCarrier.FindStringSubmatch(label); m != nil {
		n, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return 0, false
		}
		switch family := strings.ToUpper(m[2]); family {
		case "OC", "STS":
			n *= 51.84e6 // SONET, ANSI T1.105
		case "STM":
			n *= 155.52e6 // SDH, ITU-T G.707
		default:
			n = carriers[family+m[3]]
		}
		if n > 0 {
			return times(m[1], n)
		}
	}
	if m := labelEther.FindStringSubmatch(label); m != nil {
		if strings.EqualFold(m[1], "fast") {
			return 100e6, true
		}
		return 1e9, true
	}
	if m := labelLetter.FindStringSubmatch(label); m != nil {
		return rate(m[1], m[2], m[3])
	}
	return 0, false
}

func rate(count, number, prefix string) (float64, bool) {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	scale := map[string]float64{"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
	return times(count, v*scale[strings.ToUpper(prefix)])
}

func times(count string, v float64) (float64, bool) {
	if count != "" {
		n, err := strconv.Atoi(count)
		if err != nil {
			return 0, false
		}
		v *= float64(n)
	}
	return v, isBandwidth(v)
}

const (
	earthRadius = 6371.0 // km, mean
	fiberSpeed  = 204.0  // km per ms: light in glass of refractive index 1.47
	detour      = 1.4    // how much longer fiber is than the great circle, typically
)

// greatCircle returns the distance in km of two routers with positions (haversine formula).
func greatCircle(a, b Router) float64 {
	const degree = math.Pi / 180
	dLat, dLon := (b.Lat-a.Lat)*degree/2, (b.Lon-a.Lon)*degree/2
	h := math.Sin(dLat)*math.Sin(dLat) + math.Cos(a.Lat*degree)*math.Cos(b.Lat*degree)*math.Sin(dLon)*math.Sin(dLon)
	return 2 * earthRadius * math.Asin(math.Sqrt(min(1, h)))
}

// fiberLatency returns the one-way seconds of a fiber between places that far apart.
func fiberLatency(km float64) float64 { return km * detour / fiberSpeed / 1e3 }
