# Plain go commands do everything; these are their short names.
.PHONY: figures test check update bench bench-simulate accept
figures: ## the nine-city study into figures/
	go run ./cmd/analyze plot
test: ## all tests
	go test ./...
check: ## tests, formatting, vet, linters
	bash .ci/run
update: ## renew golden files and notebook outputs after looking at the difference
	go test ./plots ./cmd/... ./notebooks -update
bench: ## benchmarks
	go test -run '^$$' -bench . ./...
bench-simulate: ## whole-process simulation times, beside a reference script where there is one
	bash .ci/bench $(wildcard ../shared/bench/numpy_dsgd.py)
accept: ## acceptance cases, where they are beside the project
	@if [ -f ../shared/accept/accept.py ]; then python3 ../shared/accept/accept.py; else echo "no acceptance cases here"; fi
