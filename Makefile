# Makefile: the front door. Meson does the building; this knows what to install and what to start.

PREFIX  ?= /usr/local
DESTDIR ?=
PORT    ?= 8000
DATA    ?=

.DEFAULT_GOAL := help
.PHONY: help run cluster cluster-stop build test test-quick torture torture-cluster analyze coverage bench bench-growth bench-postgres install dist deb clean format check-style deps deps-test deps-bench
.NOTPARALLEL:

help:
	@echo 'Onefold: a DynamoDB-compatible database in one small C program.'
	@echo
	@echo '  make run          install what is missing, build, start on 127.0.0.1:$(PORT) with the studio'
	@echo '                    and a demonstration (PORT=9000 another port, DATA=some/folder your own data)'
	@echo '  make cluster      three servers on a PostgreSQL with two synchronous standbys, behind HAProxy on 127.0.0.1:$(PORT),'
	@echo '                    and what to kill to see it go on (docs/scale.md); make cluster-stop ends it'
	@echo '  make test         install what is missing, build, run every test'
	@echo '  make test-quick   the tests to run between edits, under two minutes'
	@echo '  make torture      kill, lose power, fail and flip everything, hours (PARTS="kill power" only these);'
	@echo '                    writes docs/reliability.md; make torture-cluster is what of it is about PostgreSQL, under an hour'
	@echo '  make analyze      cppcheck, clang-tidy and gcc -fanalyzer over src'
	@echo '  make coverage     which lines and branches the tests run, by folder; ten minutes; writes docs/reliability.md'
	@echo '  make build        build/onefold with the studio, and the library'
	@echo '  make bench        side by side with nginx, LMDB, dynalite and dynoxide, half an hour (QUICK=1: five minutes;'
	@echo '                    BENCH_PEER=name=url measures another endpoint too); writes docs/performance.md'
	@echo '  make bench-growth 10 thousand to 10 million items, indexes, connections, start, memory, import; 20 minutes'
	@echo '  make bench-postgres  Onefold on PostgreSQL beside pgbench, and among 10 million rows; 20 minutes; writes docs/scale.md'
	@echo '  make install      program, man pages, library, header (PREFIX=$(PREFIX), DESTDIR)'
	@echo '  make dist         build/onefold-VERSION.tar.gz, which builds offline and without Node.js'
	@echo '  make deb          Debian packages of program, service and library, in build/'
	@echo '  make check-style  the style check alone'
	@echo '  make format       clang-format over src, tests and fuzz'
	@echo '  make clean        remove everything that was built, with the demonstration; other data stays'

run: build
	@echo '== starting build/onefold on port $(PORT)'
	@exec /usr/bin/python3 tools/run '$(PORT)' '$(DATA)'

cluster: build
	@tools/bootstrap cluster
	@exec /usr/bin/python3 tools/cluster start '$(PORT)'

cluster-stop:
	@/usr/bin/python3 tools/cluster stop

build: deps
	@tools/build --program build

test: deps-test
	@/usr/bin/python3 tests/run

test-quick: deps-test
	@/usr/bin/python3 tests/run --quick

# The page is written also where a part failed: it says so.
torture-cluster: PARTS = failover commit-cuts cluster-history libpq
torture torture-cluster: deps-test
	@/usr/bin/python3 tests/torture/run --full $(PARTS); code=$$?; /usr/bin/python3 tests/torture/report; exit $$code

# The build writes headers that the sources include.
analyze: build
	@tools/bootstrap analyze
	@/usr/bin/python3 tools/analyze

coverage: deps-test
	@/usr/bin/python3 tools/coverage --write

# BENCH_COMMAND is what the results say they were made with.
bench: deps-bench build
	@ninja -C build bench-programs >build/bench-programs.log || { cat build/bench-programs.log; exit 1; }
	@BENCH_COMMAND='make bench$(if $(QUICK), QUICK=1)$(if $(BENCH_PEER), BENCH_PEER=$(BENCH_PEER))' bench/run $(if $(QUICK),--quick)
	@$(if $(QUICK),,bench/report)

bench-postgres: deps-test build
	@bench/postgres

bench-growth: build
	@ninja -C build bench-programs >build/bench-programs.log || { cat build/bench-programs.log; exit 1; }
	@BENCH_COMMAND='make bench-growth' bench/run --growth
	@bench/report

# Installs into its own build folder, so that a changed PREFIX does not touch the development build.
install: deps
	@tools/build build-install -Dprefix='$(abspath $(PREFIX))' -Dlibdir=lib -Dtests=false
	@DESTDIR='$(DESTDIR)' meson install -C build-install --no-rebuild --quiet >build-install/install.log 2>&1 || \
	    { grep 'Error' build-install/install.log >&2; echo 'not installed: as root, or with another PREFIX or DESTDIR?' >&2; exit 1; }
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ] && [ -x /sbin/ldconfig ]; then /sbin/ldconfig; fi
	@echo '== installed under $(DESTDIR)$(abspath $(PREFIX))'

dist: build
	@tools/dist

deb: deps
	@tools/bootstrap package
	@tools/deb

# What runs from build would go on without anybody who knows of it.
clean:
	@[ ! -d build/cluster ] || /usr/bin/python3 tools/cluster idle
	rm -rf build build-*
	rm -rf tests/clients/node_modules tests/studio/node_modules studio/node_modules bench/peers/node_modules

format:
	@command -v clang-format >/dev/null || { echo 'clang-format is not installed'; exit 1; }
	git ls-files '*.c' '*.h' | xargs clang-format -i

check-style:
	@/usr/bin/python3 tools/check-style

deps:
	@tools/bootstrap build node-if-it-can-be-had

deps-test: build/stamps/clients build/stamps/studio
	@tools/bootstrap test

# What make bench compares with. What cannot be had is missing in the table, and no reason to stop.
deps-bench:
	@tools/bootstrap bench || echo '== going on without nginx or wrk: the table will name them as missing'
	@$(MAKE) --no-print-directory build/stamps/peers || echo '== going on without the peers from npm: the table will name them as missing'

build/stamps/peers: bench/peers/package-lock.json
	@tools/bootstrap node
	@echo '== installing the peers from npm'
	@cd bench/peers && NODE_EXTRA_CA_CERTS=$${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt} \
	    $(CURDIR)/build/tools/npm-command ci --no-audit --no-fund --no-update-notifier --loglevel=error \
	    --ignore-scripts
	@mkdir -p $(@D) && touch $@

# What the tests of tests/clients and tests/studio take from npm.
build/stamps/%: tests/%/package-lock.json | deps-node
	@echo '== installing what tests/$* needs from npm'
	@cd tests/$* && NODE_EXTRA_CA_CERTS=$${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt} \
	    $(CURDIR)/build/tools/npm-command ci --no-audit --no-fund --no-update-notifier --loglevel=error \
	    --ignore-scripts
	@mkdir -p $(@D) && touch $@

.PHONY: deps-node
deps-node:
	@tools/bootstrap test node
