# SPDX-License-Identifier: GPL-2.0
#
# The only entry: `make help` lists the targets. All generated files are in build/. The kernel is in build/linux; its
# pristine source and its images are in the cache (kernel/build.sh says why). V=1 shows commands.

# Neither make nor the kernel's Makefiles can do with such a path.
ifneq ($(words $(CURDIR)) $(findstring :,$(CURDIR)),1 )
  $(error hytrace is not built below a path with spaces or colons, such as $(CURDIR): move the clone)
endif

MAKEFLAGS += --no-builtin-rules --no-builtin-variables
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := user

B       := build
# The kernel: 6.12, or another one that has a series of its own, such as 7.3.
LINUX   ?= 6.12
export LINUX
PREFIX  ?= /usr/local
DESTDIR ?=

ifeq ($(V),1)
  Q   :=
  msg  =
else
  Q   := @
  msg  = @printf '  %-8s %s\n' '$(1)' '$(2)';
  MAKEFLAGS += --no-print-directory
endif

# $(call have,PROGRAM...): a recipe line that fails and names `make deps` if one of them is missing.
have = @for p in $(1); do command -v $$p >/dev/null || { \
	echo "$@: $$p is not installed; \`make deps\` installs what is needed" >&2; exit 1; }; done

help: ## this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' Makefile | \
		while IFS='	' read -r t d; do printf '  make %-18s %s\n' "$$t" "$$d"; done
	@echo
	@echo '  V=1 shows the commands; HYTRACE_CACHE= moves the cache. LINUX=7.3 builds, runs and tests that kernel, not 6.12.'
	@echo '  make test ARCH=i386 or ARCH=arm64 runs the tests for ftracetest on such a machine.'

## ---------------------------------------------------------------- packages

deps: ## install all packages that are needed, with apt (sudo if not root); prints which and why
	@./.ci/deps all
	@kernel/series.sh --fetch

# Goals that do more than compile install what they need themselves.
deps-run deps-test: deps-%:
	@./.ci/deps $*
	@kernel/series.sh --fetch

## ---------------------------------------------------------------- libbpf and bpftool

# Built once from the kernel's source, and shared by all clones; on a machine without that source, the distribution's
# (kernel/tools.sh). Only goals that compile need them. The others call make again after `make deps`.
COMPILED := $(filter user bpf unit man install $(B)/%,$(or $(MAKECMDGOALS),user))

# Two makes that compile in one clone would write the same files. So the second one waits, and then begins again. All
# processors compile, unless -j says how many, or other goals have to come before or after.
ifneq ($(and $(COMPILED),$(filter-out $(HYTRACE_MAKE_LOCKED),$(abspath $(B)))),)

.PHONY: locked $(or $(MAKECMDGOALS),user)
$(or $(MAKECMDGOALS),user): locked ;
locked:
	$(Q)mkdir -p $(B); \
	flock --nonblock $(B)/.make.lock true || echo 'make: waiting for another make in this clone' >&2; \
	HYTRACE_MAKE_LOCKED=$(abspath $(B)) flock --close $(B)/.make.lock \
		$(MAKE) $(if $(filter -j% --jobserver%,$(MAKEFLAGS))$(filter-out $(COMPILED),$(or $(MAKECMDGOALS),user)),,-j$(shell nproc)) \
		$(MAKECMDGOALS)

else

ifneq ($(COMPILED),)
  TOOLS := $(shell kernel/tools.sh --print)
  ifeq ($(TOOLS),)
    # It has said why.
    $(error hytrace cannot be compiled)
  endif
endif
BPFTOOL := $(TOOLS)/bpftool

ifneq ($(TOOLS),)
$(TOOLS)/libbpf.a $(TOOLS)/bpftool &:
	$(Q)kernel/tools.sh >/dev/null
endif

## ---------------------------------------------------------------- user: the loader

CC       := gcc
CLANG    := clang-19
CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter
USER_PKGS := libtracefs smartcols libcap json-c libzstd libsystemd sqlite3
USER_CFLAGS := $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(WARN) $(if $(WERROR),-Werror) -D_GNU_SOURCE -MMD -MP \
	-I$(B)/bpf -I$(B)/vmlinux-headers -Ibpf -Iuser -include base/common.h -isystem $(TOOLS)/include \
	$(shell pkg-config --cflags $(USER_PKGS) 2>/dev/null)
USER_LIBS := $(TOOLS)/libbpf.a $(shell pkg-config --libs $(USER_PKGS) 2>/dev/null) -ldw -lelf -lZydis -lz -lpthread
BPF_CFLAGS := -g -O2 -target bpf -D__TARGET_ARCH_x86 -mcpu=v3 $(WARN) $(if $(WERROR),-Werror) \
	-I$(B)/vmlinux-headers -Ibpf -isystem $(TOOLS)/include

# Names missing programs and how to install them, because a compiler would do so less clearly.
programs:
	$(call have,$(CC) $(CLANG) pkg-config)
	@pkg-config --exists $(USER_PKGS) || { pkg-config --print-errors $(USER_PKGS) 2>&1 | \
		sed -n 's/^Package //p' >&2; echo "\`make deps\` installs what is needed" >&2; exit 1; }

USER_SRC := $(wildcard user/*.c user/*/*.c)
USER_OBJ := $(USER_SRC:user/%.c=$(B)/user/%.o)
BPF_SRC  := $(wildcard bpf/*.bpf.c)
BPF_OBJ  := $(BPF_SRC:bpf/%.bpf.c=$(B)/bpf/%.bpf.o)
SKEL     := $(BPF_SRC:bpf/%.bpf.c=$(B)/bpf/%.skel.h)

user: $(B)/hytrace ## the loader, build/hytrace, and its BPF objects (default)
bpf: $(BPF_OBJ) $(SKEL)

# Made from the patched 6.12's BTF if this clone has built it; otherwise it is the hand-written header. make
# checks it each time, and writes it only if it differs. So building a kernel rebuilds the BPF objects once.
# With TYPES_BY_HAND=1 it is always the hand-written header.
$(B)/vmlinux-headers/vmlinux.h: FORCE | programs $(BPFTOOL)
	$(Q)mkdir -p $(@D)
	$(Q)if [ -z "$(TYPES_BY_HAND)" ] && \
			vmlinux=$$(HYTRACE_OTHER_LINUX=6.12 HYTRACE_STALE_OK=1 kernel/build.sh --print-vmlinux 2>/dev/null); then \
		$(BPFTOOL) btf dump file "$$vmlinux" format c >$@.tmp; \
	else \
		cp vmlinux-headers/vmlinux.h $@.tmp; \
	fi
	$(Q)if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(B)/vmlinux-headers/vmlinux.h $(wildcard bpf/*.h) $(TOOLS)/libbpf.a | programs
	$(call msg,BPF,$<)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c -o $@.tmp $< && $(BPFTOOL) gen object $@ $@.tmp && rm $@.tmp

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(call msg,SKEL,$@)$(BPFTOOL) gen skeleton $< name $*_bpf >$@

# Objects are compiled again if the flags have changed.
$(B)/flags: FORCE
	$(Q)mkdir -p $(@D) && echo '$(subst ','\'',$(filter-out -Werror,$(CC) $(USER_CFLAGS) $(SAN_CFLAGS)))' >$@.tmp && \
		if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi

$(B)/user/%.o: user/%.c $(TOOLS)/libbpf.a $(B)/flags | programs $(SKEL)
	$(call msg,CC,$<)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) -c -o $@ $<

# These files go into the program as they are, each between two symbols such as _binary_page_html_*: the pages of `report
# -f html` and `tailor -f html`, the style of the picture of `boot -f svg`, the tables of a store in SQLite and other engines,
# and of `hytrace tailor` the program that asks Kconfig and the lists of options to keep.
EMBEDDED := user/report/page.html user/report/page.js user/report/head.html user/boot/picture.css $(wildcard user/store/*.sql) \
	user/tailor/tailored.html user/tailor/kconfig/ask.c $(wildcard user/tailor/keep/*.keep)
EMBEDDED_OBJ := $(EMBEDDED:user/%=$(B)/user/%.o)

$(EMBEDDED_OBJ): $(B)/user/%.o: user/%
	$(call msg,EMBED,$<)mkdir -p $(@D)
	$(Q)cd $(<D) && ld -r -b binary -z noexecstack -o $(abspath $@) $(<F)

# The programs take from the library what they use. `hytrace NAME` becomes hytrace-NAME where it has no such command itself.
PROGRAMS := $(patsubst user/%/main.c,$(B)/hytrace-%,$(wildcard user/*/main.c))

$(B)/user/loader.a: $(filter-out %/main.o,$(USER_OBJ)) $(EMBEDDED_OBJ)
	$(Q)rm -f $@ && ar qcs $@ $^

$(PROGRAMS): $(B)/hytrace-%: $(B)/user/%/main.o $(B)/user/loader.a $(TOOLS)/libbpf.a
	$(call msg,LINK,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/user/loader.a $(USER_LIBS) -lm

$(B)/hytrace: $(B)/user/main.o $(B)/user/loader.a $(TOOLS)/libbpf.a $(PROGRAMS)
	$(call msg,LINK,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/user/loader.a $(USER_LIBS) -lm

# For the unit tests, the same sources are compiled once more, with sanitizers that stop at errors. They are put into
# an archive, so that a test only links what it uses. q is for files of the same name in two folders. Without
# optimization this takes a third of the time; `make test-nightly` also does it with -O2.
SAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SAN_CFLAGS ?= -O0
SAN_OBJ := $(patsubst user/%.c,$(B)/user-san/%.o,$(filter-out %/main.c,$(USER_SRC)))

$(B)/user-san/%.o: user/%.c $(TOOLS)/libbpf.a $(B)/flags | programs $(SKEL)
	$(call msg,CC SAN,$<)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) $(SAN_CFLAGS) $(SAN) -c -o $@ $<

$(B)/user-san/loader.a: $(SAN_OBJ) $(EMBEDDED_OBJ)
	$(call msg,AR,$@)rm -f $@ && ar qcs $@ $^

# The loader's tests are in folders of the same names.
USER_UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/*/*.c))
KERNEL_UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/*.c))

$(USER_UNIT): $(B)/tests/unit/%: tests/unit/%.c $(B)/user-san/loader.a
	$(call msg,CC SAN,$<)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) $(SAN_CFLAGS) -Itests/unit -include test.h $(SAN) -o $@ $< $(B)/user-san/loader.a $(USER_LIBS) \
		-lcriterion -lm

# What tests/host/picture.sh opens in a browser.
$(B)/tests/host/made_picture: tests/host/made_picture.c $(B)/user-san/loader.a
	$(call msg,CC SAN,$<)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) $(SAN_CFLAGS) $(SAN) -o $@ $< $(B)/user-san/loader.a $(USER_LIBS) -lm

MAN := $(patsubst docs/%.scd,$(B)/docs/%,$(wildcard docs/*.[0-9].scd))

man: $(MAN)

$(B)/docs/%: docs/%.scd
	$(call msg,MAN,$@)mkdir -p $(@D)
	$(Q)scdoc <$< >$@.tmp && mv $@.tmp $@

-include $(USER_OBJ:.o=.d) $(SAN_OBJ:.o=.d) $(patsubst %,%.d,$(USER_UNIT) $(KERNEL_UNIT))

## ---------------------------------------------------------------- the kernel

kernel: ## the patched kernel (kernel/build.sh), or only the objects OBJ='kernel/trace/trace.o ...'
	$(Q)kernel/build.sh $(OBJ:%=--object=%)

series: ## write mails to build/series, and check that they give the same tree
	$(Q)kernel/series.sh --mails

export CMD
vm: ## a shell in a guest on the patched kernel, or CMD='...'
	$(Q)kernel/vm.sh $(if $(CMD),-- sh -c "$$CMD")

## ---------------------------------------------------------------- the main job

run: deps-run ## everything, end to end: cover boot and a workload on the patched kernel, show it
	$(Q)tests/guest/main-job.sh

screenshot: ## docs/report.png, the picture of the page that `make run` has written
	$(call have,chromium pngquant)
	$(Q)tests/guest/screenshot.sh

FROM ?= base

tailor: deps ## a smaller kernel, by what ran: found, built, booted, held against what was predicted (FROM=cloud: Debian's)
	$(Q)$(MAKE) kernel
	$(Q)$(MAKE) user
	$(Q)tests/guest/tailor.sh $(FROM) $(TAILOR)

## ---------------------------------------------------------------- tests

unit: $(USER_UNIT) $(KERNEL_UNIT) $(B)/tests/host/made_picture

# Tests of the kernel's code run with the sanitizers. A set that all CPUs use at once without a lock runs with the
# thread sanitizer, which cannot be combined with the others.
KERNEL_SAN = $(if $(filter oneshot_set_threads,$*),-fsanitize=thread,$(SAN))

# The kernel's functions that parse its command line, for the test of how early tracing is asked for.
$(B)/tests/unit/early_cmdline: $(B)/tests/unit/kernel_cmdline.h
$(B)/tests/unit/early_cmdline: USER_CFLAGS += -I$(B)/tests/unit

# LINUX= may be another kernel than the last time.
$(B)/tests/unit/kernel_cmdline.h: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)source=$$(kernel/build.sh --print-source) && cd "$$source" && \
		sed -n '/^char \*skip_spaces(/,/^}/p; /^char \*next_arg(/,/^}/p; /^int kstrtobool(/,/^}/p' \
			lib/string_helpers.c lib/cmdline.c lib/kstrtox.c >$(abspath $@).tmp && \
		sed -n '/^static char dash2underscore(/,/^}/p; /^bool parameqn\?(/,/^}/p' \
			kernel/params.c >>$(abspath $@).tmp
	$(Q)if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi

$(B)/tests/unit/%: tests/unit/%.c
	$(call msg,CC,$<)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) $(SAN_CFLAGS) $(KERNEL_SAN) -Ikernel/files/kernel/trace -include tests/unit/test.h -o $@ $< -lcriterion -lpthread

FUZZ_SECONDS ?= 60
FUZZ_FLAGS   := -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ         := fuzz-fevent_parse fuzz-document

.PHONY: $(FUZZ)
fuzz: $(FUZZ) ## any text against the parser of function events and the reader of recordings, each for FUZZ_SECONDS=60

# Inputs that reach new code stay in build/fuzz/corpus-* for the next run. An input that breaks something is kept in
# build/fuzz/crash-*. The log is long, and has nothing of interest until something is found.
$(FUZZ): fuzz-%:
	$(Q)$(MAKE) --no-print-directory $(B)/fuzz/$*
	$(Q)mkdir -p $(B)/fuzz/corpus-$* $(B)/fuzz/seeds-$*
	$(Q)awk -v dir=$(B)/fuzz/seeds-$* '{ f = dir "/" NR; printf "%s", $$0 >f; close(f) }' tests/fuzz/$*.seeds
	$(Q)$(B)/fuzz/$* -max_total_time=$(FUZZ_SECONDS) -max_len=4200 -timeout=10 -print_final_stats=1 \
		-dict=tests/fuzz/$*.dict -artifact_prefix=$(B)/fuzz/ $(FUZZ_OPTIONS) \
		$(B)/fuzz/corpus-$* $(B)/fuzz/seeds-$* >$(B)/fuzz/$*.log 2>&1 || \
		{ grep -v '^#' $(B)/fuzz/$*.log | tail -n 60; \
		echo "make fuzz: found something, see $(B)/fuzz/$*.log" >&2; exit 1; }
	@awk '/^stat::number_of_executed_units/ { n = $$2 } \
		END { print "fuzz     $*: " n " texts, nothing found" }' $(B)/fuzz/$*.log

# The messages about texts that are refused are left out.
fuzz-document: FUZZ_OPTIONS := -close_fd_mask=2

$(B)/fuzz/%: tests/fuzz/%.c
	$(call have,$(CLANG))
	$(call msg,FUZZ,$<)mkdir -p $(@D)
	$(Q)$(CLANG) $(CFLAGS) -std=gnu11 $(WARN) $(if $(WERROR),-Werror) -MMD -MP $(FUZZ_FLAGS) -o $@ $<

# obstack of the C library aligns by an offset from NULL.
$(B)/fuzz/document: tests/fuzz/document.c $(foreach d,base document kernel run store,$(filter user/$d/%,$(USER_SRC))) \
		$(wildcard user/*/*.h) $(EMBEDDED_OBJ) $(TOOLS)/libbpf.a
	$(call have,$(CLANG))
	$(call msg,FUZZ,$<)mkdir -p $(@D)
	$(Q)$(CLANG) $(filter-out -MMD -MP,$(USER_CFLAGS)) $(FUZZ_FLAGS) -fno-sanitize=pointer-overflow -o $@ \
		$(filter %.c %.o,$^) $(USER_LIBS) -lm

-include $(wildcard $(B)/fuzz/*.d)

# What the other machines have. An ARCH in the environment is for the kernel's own build.
TESTS_i386  := ftracetest/oneshot ftracetest/early-ftrace
TESTS_arm64 := ftracetest/oneshot

ifeq ($(origin ARCH),command line)
test: deps
	$(Q)kernel/build.sh --arch $(ARCH)
	$(Q)tests/run.pl --kernel patched-$(ARCH) $(or $(T),$(TESTS_$(ARCH)))
else
test: $(if $(findstring long/,$(T)),deps,deps-test) ## the tests that have not passed yet (ALL=1: all), or those with T= in their names; ends with `N passed, N failed`
	$(Q)$(MAKE) -j4 built $(if $(T),,stock-kernels)
	$(Q)tests/run.pl $(if $(GATE),--gate,$(if $(ALL),--all)) $(T)
endif

test-nightly: deps-test ## what `make test` leaves out: second kernels, Linux 6.1, more fuzzing, -O2, text slots (two hours)
	$(Q)$(MAKE) -j4 built stock-kernels
	$(Q)tests/run.pl --nightly

test-quick: ## unit tests, the documents' examples and the basics in a guest: two minutes
	$(Q)$(MAKE) -j4 built
	$(Q)tests/run.pl unit/ guest/t-doc ftracetest/oneshot/basic.tc ftracetest/function-events/basic.tc

# All that tests need. The loader is compiled beside the parts of the kernel's build that use one processor. Then the
# kernel's types are known; BPF programs, and what has them in it, are compiled again.
built: kernel loader
	$(Q)$(MAKE) user unit

loader:
	$(Q)$(MAKE) user unit

# Fetches the stock kernels before the tests begin, so that these need no network. Without one, tests on a kernel that
# was never fetched are skipped; in .ci/run they fail, but for those on 7.3, which Debian may have replaced.
stock-kernels:
	$(Q)for kernel in stock-6.12 stock-6.1 stock-7.3; do \
		kernel/vm.sh --kernel $$kernel --dry-run >/dev/null || echo "the tests on $$kernel are skipped" >&2; done

# Runs tests that use the kernel's part most, the most important ones first. MINUTES= limits the time, T= chooses
# other tests, and KERNEL=kcsan looks for data races.
MINUTES     ?= $(if $(filter-out 6.12,$(LINUX)),60,40)
KERNEL      ?= debug
DEBUG_TESTS := t-stress t-livepatch $(addprefix ftracetest/,oneshot/toggle.tc function-events/stress.tc) \
	boot/suspend t-shared-filter t-nmi t-boot-size t-fevent-boot \
	$(addprefix ftracetest/,oneshot/module.tc function-events/module.tc)
KCSAN_TESTS := $(filter-out t-livepatch t-shared-filter boot/suspend,$(DEBUG_TESTS))

test-debug: deps-test ## a stress test and others on a kernel that watches memory and locks (MINUTES=), or races (KERNEL=kcsan)
	$(Q)kernel/build.sh --$(KERNEL)
	$(Q)$(MAKE) user
	$(Q)tests/run.pl --kernel $(KERNEL) --minutes $(MINUTES) \
		$(or $(T),$(if $(filter kcsan,$(KERNEL)),$(KCSAN_TESTS),$(DEBUG_TESTS)))

test-debian13: deps ## in a new Debian 13: the loader with no kernel source, make run, and make test-quick
	$(Q)tests/guest/debian13.sh

# GUESTS=1: mutants that need guests and a kernel built for each. M='rows ...': only these tests, files or functions.
mutants: ## break one line at a time, and run the test that must notice: unit and host tests, or GUESTS=1
	$(Q)$(MAKE) user unit
	$(Q)tests/mutants.pl $(if $(GUESTS),--guests) $(M)

kselftest: ## the kernel's whole ftracetest suite, patched against unpatched
	$(Q)tests/guest/kselftest.sh

bench: ## the comparison: build/bench/{results,complete}.{json,md}, results.svg; tables.md: all of docs/results.json
	$(Q)$(MAKE) kernel
	$(Q)$(MAKE) user
	$(Q)status=0; for part in complete run many-ops document; do tests/bench/$$part.sh || status=$$?; done; exit $$status

bench-quick: ## only getppid() with the tracers and the BPF engine (three minutes): build/bench-quick
	$(Q)$(MAKE) kernel
	$(Q)$(MAKE) user
	$(Q)tests/bench/run.sh --quick

bench-store: ## a store of 1,000 recordings of make run: what it costs to keep and to ask, also in ClickHouse and PostgreSQL (10 minutes)
	$(Q)$(MAKE) user
	$(Q)tests/bench/store.sh

bench-affected: ## what an answer of hytrace affected costs: a change of 10,908 functions, 10,000 runs (five minutes, after make run)
	$(Q)$(MAKE) user
	$(Q)tests/bench/affected.sh

bench-native: $(B)/bench/oneshot_set $(B)/bench/text_layout ## times of look-ups and calls of trampolines, on this machine, in ns
	$(Q)$(B)/bench/oneshot_set
	$(Q)$(B)/bench/text_layout

# It reads kernels as the loader does.
$(B)/bench/reachable: tests/bench/native/reachable.c $(B)/user/loader.a
	$(call msg,CC,$<)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) -o $@ $^ $(USER_LIBS) -lm

$(B)/bench/text_layout: tests/bench/native/text_layout.c
	$(call msg,CC,$<)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -D_GNU_SOURCE -std=gnu11 $(WARN) $(if $(WERROR),-Werror) -o $@ $<

$(B)/bench/oneshot_set: tests/bench/native/oneshot_set.c $(wildcard kernel/files/kernel/trace/oneshot_set.* tests/unit/kernel_shim.h)
	$(call msg,CC,$<)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=gnu11 $(WARN) $(if $(WERROR),-Werror) -o $@ $<

check: ## what finds faults without a run: checkpatch, sparse, W=1, shellcheck, compiler warnings as errors
	$(Q).ci/check

## ---------------------------------------------------------------- install, packages, clean

# Where zsh looks for functions that others than a distribution have made.
ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions

install: $(B)/hytrace $(MAN) ## install the loader, its man pages, schemas and completion under DESTDIR/PREFIX
	install -D -m 755 $(B)/hytrace $(DESTDIR)$(PREFIX)/bin/hytrace
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec/hytrace $(PROGRAMS)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(MAN)
	$(Q)for page in $(notdir $(MAN)); do \
		for name in $$(sed -n '/^# NAME/,/^# [^N]/s/,* - .*//p' docs/$$page.scd | tr -d ,); do \
			[ $$name.1 = $$page ] || ln -sf $$page $(DESTDIR)$(PREFIX)/share/man/man1/$$name.1 || exit; \
		done; \
	done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/hytrace/schema docs/schema/*.json docs/schema/store.md
	install -D -m 644 user/hytrace.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/hytrace
	install -D -m 644 user/_hytrace $(DESTDIR)$(ZSH_FUNCTIONS)/_hytrace

deb: ## hytrace as a Debian package, build/deb/hytrace_*.deb; kernel/build.sh --cloud --deb packs a kernel
	$(Q)user/debian/make-deb.sh

# build/am and build/am.old have patches that did not apply, and somebody's work on them.
clean: ## remove what was built here; the kernel work trees and the cache stay
	$(Q)for f in $(B)/* ; do case $$f in $(B)/linux | $(B)/linux-[0-9]* | $(B)/am | $(B)/am.old) ;; *) rm -rf "$$f" ;; esac; done

distclean: clean ## clean, and the kernel work tree, unless it has work not written back
	$(Q)rm -rf $(B)/linux*.tmp
	$(Q)for tree in $(B)/linux $(B)/linux-[0-9]*; do \
		name=$${tree#$(B)/linux}; \
		[ ! -d $$tree ] || LINUX=$${name#-} kernel/series.sh --drop-tree || exit; \
	done
	$(Q)for f in $(B)/am $(B)/am.old; do if [ -d $$f ]; then \
		echo "distclean: $$f has patches that did not apply; remove it when it is not needed" >&2; exit 1; \
		fi; done
	$(Q)rm -rf $(B)

FORCE:
.PHONY: FORCE deps-run deps-test $(shell sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' Makefile)

endif
