# make start | test | verify | fix | docs | bench | start-distributed | images | clean        (make help tells more)
SHELL := /bin/sh
NPM ?= npm
ARGS ?=

# Everything runs on the Node of package.json's optionalDependencies. A platform that npm has none for is left with the
# machine's own, and so is npm itself, which must not replace the program that it runs on.
machine_path := $(PATH)
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

sources := $(shell find libs services deploy e2e bench -name node_modules -prune -o -name dist -prune -o -name generated -prune -o \( -name '*.ts' -o -name '*.tsx' -o -name 'tsconfig.json' \) -print) tsconfig.base.json tsconfig.json
protos := $(wildcard proto/*.proto)
# What a browser gets: of the sources, only these make its files anew.
site := $(shell find services/console/src/web -name '*.test.ts' -prune -o -type f -print) services/console/build.mjs $(wildcard libs/naming/src/*.ts libs/auth/src/rbac/*.ts) libs/status/src/read-json.ts

.PHONY: help start start-distributed orch check build test verify fix docs bench bundles images package envtest kubectl-orch clean

help:
	@echo "make start [ARGS=--help]     run orch in one process on the embedded store, data in ./.orch"
	@echo "make start-distributed       run 2 gateways, 2 resource services, 2 watch caches, 2 controller managers, 3 etcd members"
	@echo "make orch ARGS=\"COMMAND …\"   every service and tool as one program (make orch lists them)"
	@echo "make check [ARGS=--help]     read all of a stopped server's data, tell what is damaged, repair it"
	@echo "make test                    everything that must pass: lint, layers, types, unit, conformance, e2e"
	@echo "make verify | fix            only the checks without tests | mend what a machine can"
	@echo "make docs                    write docs/flags.md anew, of the programs' own flags"
	@echo "make bench [ARGS=--help]     measure, with ratios to floors of the same run"
	@echo "make bundles | images        bundle every program into dist/bundles | build container images of them (podman or docker)"
	@echo "make package                 pack orch and orch-envtest for npm into dist/package"
	@echo "make -s envtest              make the folder for KUBEBUILDER_ASSETS, of a bundle, and print its path"
	@echo "make -s kubectl-orch         make the plugin kubectl-orch of this checkout, and print the folder for PATH"
	@echo "make clean                   remove what was built (not ./.orch)"

# A built tree starts without installing or compiling: each step leaves a stamp that is newer than what it read.
.stamps/install: package.json package-lock.json $(wildcard libs/*/package.json services/*/package.json) deploy/package.json e2e/package.json bench/package.json
	@mkdir -p .stamps
	@PATH="$(machine_path)" $(NPM) ci --no-audit --no-fund --loglevel=error
	@# A program for another C library than the machine's (musl) does not run: the machine's own Node serves.
	@node_modules/.bin/node --version >/dev/null 2>&1 || rm -f node_modules/.bin/node
	@touch $@

.stamps/generate: .stamps/install $(protos)
	$(NPM) run generate --workspaces --if-present --silent
	@touch $@

.stamps/compile: .stamps/generate $(sources)
	node_modules/.bin/tsc -b
	@touch $@

.stamps/site: $(site) package-lock.json | .stamps/compile
	node services/console/build.mjs
	@touch $@

.stamps/build: .stamps/compile .stamps/site
	@touch $@

build: .stamps/build

start: .stamps/build
	@# As installers of the reference turn it on: off is the reference's default of the program itself.
	@exec node services/standalone/dist/main.js --enable-admission-plugins=NodeRestriction $(ARGS)

start-distributed: .stamps/build
	@exec node deploy/dist/main.js $(ARGS)

orch: .stamps/build
	@node services/cli/dist/main.js $(ARGS)

check: .stamps/build
	@exec node services/standalone/dist/main.js check $(ARGS)

test: .stamps/build
	@node .ci/test.mjs $(ARGS)

verify: .stamps/build
	@node .ci/test.mjs --only=verify

fix: .stamps/install
	node_modules/.bin/biome check --write .

docs: .stamps/build
	@node .ci/flags-reference.mjs --write

bench: .stamps/build
	@node bench/dist/main.js $(ARGS)

bundles: .stamps/build
	@node deploy/images/bundle.mjs $(ARGS)

.stamps/bundle-cli: .stamps/build
	@node deploy/images/bundle.mjs cli >&2
	@touch $@

envtest: .stamps/bundle-cli
	@node dist/bundles/cli/orch-envtest.js path

kubectl-orch: .stamps/build
	@mkdir -p dist/kubectl
	@printf '#!/bin/sh\nexec "%s" "%s" "$$@"\n' "$$(command -v node)" "$(CURDIR)/services/cli/dist/history/plugin/main.js" >dist/kubectl/kubectl-orch
	@chmod 755 dist/kubectl/kubectl-orch
	@echo "$(CURDIR)/dist/kubectl"

package: .stamps/build
	@node deploy/package/pack.mjs $(ARGS)

images: .stamps/build
	@node deploy/images/bundle.mjs
	@node deploy/images/build.mjs $(ARGS)

clean:
	rm -rf .stamps dist libs/*/dist libs/*/generated services/*/dist deploy/dist e2e/dist bench/dist bench/peer/dist
