# `make` builds bin/nacre; `make help` lists the rest. On a fresh machine each target does the set-up it needs: Go
# fetches its modules, cmd/setup the physics library and the scenes of Meta-World into the user's cache. Without a C
# compiler or Python everything works but the MuJoCo families, and one line says so.

GO     ?= go
NACRE  := bin/nacre
# More arguments for the nacre command of a target, e.g. make run ARGS="--seeds 2"
ARGS   ?=
# Stamping the commit fails where git is absent or does not trust the folder's owner.
VCS    := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)
# What has kernels of its own for arm64. The second run of test-arm64 leaves plain Go out, which the first has tested.
ARM64   = ./core/op ./core/nn ./core/ref ./core/cpu ./tsne/internal/lanes
# Put before every go command that compiles: the flags for MuJoCo's headers, or none.
MUJOCO  = flags="$$($(GO) run ./cmd/setup flags)"; [ -z "$$flags" ] || eval "export $$flags";

# Put before WHAT COMMAND...: says after two seconds, and then every seven, for how long it has been going on.
BEAT    = sh -c 'what=$$1; shift; start=$$(date +%s); (pause=2; while sleep $$pause >/dev/null 2>&1 && kill -0 $$$$ 2>/dev/null; do \
	echo "$$what: $$(($$(date +%s) - start)) s"; pause=7; done) & beat=$$!; "$$@"; status=$$?; kill $$beat; exit $$status' beat

.PHONY: build setup web wasm site dist wheel wheel-test python-test dist-test conformance slurm-test browser screenshots gallery figures run study test test-all test-report test-other-go test-race test-arm64 stress-sim soak restarts attacks fuzz licences vulnerabilities bench gpu-check study-point-goal study-cheetah-vel study-push generate docs clean distclean help

build: setup web ## build bin/nacre (the default)
	@$(MUJOCO) $(BEAT) "compiling nacre" $(GO) build -buildvcs=$(VCS) -o $(NACRE) ./cmd/nacre
	@echo "built $(NACRE)"

setup: ## fetch what building needs; INSTALL=1 lets it install pip with apt-get where there is none
	@command -v $(GO) >/dev/null || { echo "nacre needs Go 1.26 or newer: https://go.dev/dl" >&2; exit 1; }
	@$(BEAT) "fetching Go modules" $(GO) mod download
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ]; then $(BEAT) "setting up" $(GO) run ./cmd/setup $(if $(INSTALL),--install); \
	else echo "Building without MuJoCo because there is no C compiler; to add it later, install one (gcc or clang) and run make again"; fi

web: ## build the browser front end, if its sources have changed (needs Node 18)
	@$(BEAT) "building the front end" web/build.sh

wasm: ## build the programs that run in the browser into bin/wasm (needs Node 18); NACRE_WASM_FAST=1 packs them less well
	@GO="$(GO)" $(BEAT) "building the browser's programs" wasm/build.sh

site: build wasm ## write the notebooks as static files that run without a server, to out/site
	$(NACRE) site notebooks --out out/site $(ARGS)

dist: setup web wasm ## write release archives for Linux, macOS and Windows to out/dist
	@GO="$(GO)" $(GO) run ./cmd/dist $(ARGS)

wheel: setup web ## write wheels for pip and uv (Linux on x86-64 and arm64, glibc 2.17) to out/wheel; fetches Zig's C compiler from PyPI
	@GO="$(GO)" $(GO) run ./cmd/dist -wheel $(ARGS)

wheel-test: setup web ## build the wheel for this machine, install it by pip and uv, train, run a notebook, move it: minutes
	@$(MUJOCO) NACRE_WHEEL=1 $(GO) test ./cmd/dist -run TestWheel -v -count=1 -timeout 1h

python-test: setup web ## compare with PyTorch, ONNX, W&B, MLflow, pandas, polars and Gymnasium's MuJoCo, which pip fetches: minutes
	@$(MUJOCO) NACRE_CLIENTS=1 $(GO) test ./python ./cmd/nacre/app ./sim/families -run 'Torch|ONNX|Wandb|MLflow|Parquet|Bridged' -v -count=1 -timeout 1h

dist-test: ## unpack the Linux release in an empty Debian and use it there (Debian, root; installs debootstrap with apt)
	@bench/release/check.sh

run: build ## build, then serve the notebooks and open the quickstart; Ctrl+C ends it
	$(NACRE) notebook notebooks/quickstart.ipynb $(ARGS)

study: build ## train the three arms of the quickstart study and write its report: minutes
	$(NACRE) study quickstart $(ARGS)

# The packages whose tests take longest begin first: go test begins them in the order in which they are named, and a
# browser that mostly waits would otherwise be waited for at the end, with the other cores at rest. Because tests of the
# browser, of kills and of locks wait so much, all tests take one package more than there are cores at a time. Only the
# quick tests vet: their vetting is that of all tests.
LONG := ./web/browser ./experiment/study ./sim/pyfamily ./fidelity ./kernel ./cmd/nacre ./experiment/sweep ./sim/verify

test: setup web ## vet, check formatting, run the quick tests; at the end: what was skipped and why
	@web/build.sh test
	@unformatted="$$("$$($(GO) env GOROOT)/bin/gofmt" -l $$(find . -name '*.go' -not -path './.*' -not -path './web/node_modules/*'))"; \
	[ -z "$$unformatted" ] || { echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; } >&2
	@$(MUJOCO) $(GO) run ./internal/testrun -short -vet=all -timeout 20m $(LONG) ./...

test-all: setup web ## run all tests, the heavy ones too; at the end: what was skipped and why
	@$(MUJOCO) $(GO) run ./internal/testrun -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -vet=off -timeout 40m $(LONG) ./...

test-report: setup web ## report coverage by room, flaky tests, slow ones and processor seconds, to out; ARGS="-cover -count 3"
	@$(MUJOCO) $(GO) run ./internal/testrun -report out -short -timeout 3h $(or $(ARGS),-cover -count 3) ./...

# The supported releases of Go are 1.27 and the one before. Programs that measure, and the browser's, need no second run.
test-other-go: setup ## build, and test briefly, with the Go release that GO is not, where it can be had
	@case "$$($(GO) env GOVERSION)" in go1.26*) other=go1.27.4 ;; *) other=go1.26.8 ;; esac; export GOTOOLCHAIN=$$other; \
	$(GO) version >/dev/null 2>&1 || { echo "Not tested with $$other, which cannot be fetched here"; exit 0; }; \
	echo "with $$other:"; $(MUJOCO) $(GO) test -short -vet=off -timeout 20m $$($(GO) list ./... | grep -v -e '^nacre/bench' -e '^nacre/web/browser')

browser: setup web ## run the front end's tests in a real Chromium; installs one with apt where that is allowed
	@web/build.sh chromium
	@$(MUJOCO) $(GO) test -count=1 -v ./web/browser

conformance: build ## run Jupyter's own clients and tests against bin/nacre (needs Python 3 with venv, Node 18, the network)
	@bench/clients/run.sh

slurm-test: build ## run a sweep on a real Slurm of one node, kill parts of it, compare (Debian, root; installs Slurm with apt)
	@bench/slurm/run.sh

screenshots: build ## run the notebooks that pages show and take the pictures (needs a Chromium)
	@web/build.sh chromium
	@mkdir -p out/notebooks
	@for name in quickstart tsne-study; do $(NACRE) execute notebooks/$$name.ipynb -o out/notebooks/$$name.ipynb || exit 1; done
	@$(GO) run ./web/screenshots -nacre $(NACRE) -folder out/notebooks -out docs/img

gallery: setup ## draw each kind of figure light, dark and as on paper, with its line of code, to out/gallery/index.html
	@$(MUJOCO) NACRE_GALLERY="$(CURDIR)/out/gallery" $(GO) test ./notebooks -run TestGallery -count 1

figures: build ## picture every kind of table and figure in both themes, to out/figures (needs a Chromium)
	@mkdir -p out/notebooks
	@$(NACRE) execute web/screenshots/kinds.ipynb -o out/notebooks/kinds.ipynb
	@$(GO) run ./web/screenshots -nacre $(NACRE) -folder out/notebooks -each kinds -out out/figures

test-race: setup web ## run all tests under the race detector (needs a C compiler)
	@$(MUJOCO) $(GO) test -race ./...

test-arm64: setup ## run the tests of the training core and of t-SNE's inner loops as an arm64 program, in plain Go and on NEON (an emulator from apt: qemu-user-static)
	@command -v qemu-aarch64-static >/dev/null || apt-get install -y qemu-user-static
	@CGO_ENABLED=0 GOARCH=arm64 $(GO) test -short -timeout 1h -exec qemu-aarch64-static $(ARM64)
	@GOTOOLCHAIN=go1.27.4 GOEXPERIMENT=simd CGO_ENABLED=0 GOARCH=arm64 $(GO) test -short -skip '/^go( |$$)' -timeout 1h -exec qemu-aarch64-static $(ARM64)

stress-sim: setup ## ten million environment steps, watching memory: some minutes
	@$(MUJOCO) NACRE_STRESS=10000000 $(GO) test ./sim/verify -run TestMemoryStaysWhereItIs -v -count=1 -timeout 2h

soak: setup web ## run a server with eight kernels, cut connections and kills for TIME (1h): nothing is lost, nothing stays
	@$(MUJOCO) NACRE_SOAK=$(or $(TIME),1h) $(GO) test ./cmd/nacre ./web/browser -run 'TestSoak|TestManyDisplays|TestKillsOnPython' -v -count=1 -timeout 25h

restarts: setup web ## kill and start a server 20 times under an open page: characters typed and lost, clicks (a Chromium)
	@web/build.sh chromium
	@$(MUJOCO) $(GO) test ./web/browser -run TestServerKilledTwentyTimes -count 1 -timeout 30m -v

attacks: setup web wasm ## try what once got through with OLD=PROGRAM and with this one, into docs/measurements (Linux, a Chromium)
	@web/build.sh chromium
	@$(MUJOCO) mkdir -p out && $(GO) run ./bench/attacks -old "$(OLD)" >out/attacks.json && cp out/attacks.json docs/measurements/attacks-$$(date +%F).json

licences: build ## list what the program and its page are made of, with licences; fails where one is not allowed
	@$(GO) run ./cmd/bom $(NACRE)

# GOVULNDB is a folder with the database's reports (data/osv of golang.org/x/vulndb) where the network is out of reach.
vulnerabilities: setup ## look for known vulnerabilities in the code that the program calls
	@$(MUJOCO) $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 $(if $(GOVULNDB),-db file://$(abspath $(GOVULNDB))) ./cmd/nacre

fuzz: setup ## fuzz every parser for TIME each (1m); ARGS="FuzzRead tsne" only some
	@$(MUJOCO) GO="$(GO)" FUZZTIME=$(or $(TIME),1m) bench/fuzz.sh $(ARGS)

bench: build ## time the training core and the simulator
	$(NACRE) bench update $(ARGS)
	$(NACRE) bench sim $(ARGS)

gpu-check: ## check and time training on this machine's NVIDIA GPU, into out/gpu; bench/gpu-check.sh says how to do it elsewhere
	@bench/gpu-check.sh build out/gpu-check && out/gpu-check/gpu-check.sh run out/gpu

study-point-goal: build ## the point robot to the end, 3 seeds: up to an hour on two cores
	$(NACRE) study point-goal --seeds 3 $(ARGS)

study-cheetah-vel: build ## the half-cheetah at many velocities: half an hour on two cores
	$(NACRE) study cheetah-vel $(ARGS)

study-push: build ## Meta-World push, both algorithms, two seeds: about two hours on two cores
	$(NACRE) study push $(ARGS)

generate: ## rewrite what cells can import, after exported names changed (library)
	@$(GO) generate ./library

docs: ## draw the pages' pictures and write their tables and lists again, from the committed data and the code
	@$(GO) run ./bench/pictures
	@$(GO) run ./internal/docs

clean: ## remove what was built; runs and reports stay
	rm -rf bin

distclean: clean ## remove what was fetched into this folder too; what `nacre setup` fetched stays in the user's cache
	rm -rf web/node_modules bench/clients/node_modules bench/tab/node_modules out/conformance .deps

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  %-20s %s\n", $$1, $$2 }'
