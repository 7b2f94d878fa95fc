// Package notebooks holds Go notebooks that teach decentralized SGD from zero. They are in the format of GoNB
// (github.com/janpfeifer/gonb), with their outputs stored, so they read well without being run; the tests run every cell
// without Jupyter and compare.
package notebooks
