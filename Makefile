# make start | test | verify | fix | bench | start-distributed | clean        (make help tells more)
SHELL := /bin/sh
NPM ?= npm
ARGS ?=

sources := $(shell find libs services deploy e2e bench -name node_modules -prune -o -name dist -prune -o -name generated -prune -o \( -name '*.ts' -o -name 'tsconfig.json' \) -print) tsconfig.base.json tsconfig.json
protos := $(wildcard proto/*.proto)

.PHONY: help start start-distributed build test verify fix bench clean

help:
	@echo "make start [ARGS=--help]     run orch in one process on the embedded store, data in ./.orch"
	@echo "make start-distributed       run 2 gateways, 2 resource services, 2 watch caches, 2 controller managers, 3 etcd members"
	@echo "make test                    everything that must pass: lint, layers, types, unit, conformance, e2e"
	@echo "make verify | fix            only the checks without tests | mend what a machine can"
	@echo "make bench [ARGS=--help]     measure, with ratios to floors of the same run"
	@echo "make clean                   remove what was built (not ./.orch)"

# A built tree starts without installing or compiling: each step leaves a stamp that is newer than what it read.
.stamps/install: package.json package-lock.json $(wildcard libs/*/package.json services/*/package.json) deploy/package.json e2e/package.json bench/package.json
	@mkdir -p .stamps
	@# Not npm ci: it refuses a lock file that lacks other platforms' optional packages, which not every registry has.
	$(NPM) install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

.stamps/generate: .stamps/install $(protos)
	$(NPM) run generate --workspaces --if-present --silent
	@touch $@

.stamps/build: .stamps/generate $(sources)
	node_modules/.bin/tsc -b
	@touch $@

build: .stamps/build

start: .stamps/build
	@exec node services/standalone/dist/main.js $(ARGS)

start-distributed: .stamps/build
	@exec node deploy/dist/main.js $(ARGS)

test: .stamps/build
	@node .ci/test.mjs $(ARGS)

verify: .stamps/build
	@node .ci/test.mjs --only=verify

fix: .stamps/install
	node_modules/.bin/biome check --write .

bench: .stamps/build
	@node bench/dist/main.js $(ARGS)

clean:
	rm -rf .stamps libs/*/dist libs/*/generated services/*/dist deploy/dist e2e/dist bench/dist
