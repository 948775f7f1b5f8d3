#!/usr/bin/env bash
# What takes longer than a commit should wait for: more kills, more random worlds, every split of every recording.
#
#   tests/long.sh                       all stages, about half a day on two cores
#   tests/long.sh kills                 one stage: properties, sim, splits, fuzz, cuts, disk, kills, postgres, load, mutants or mutation
#   FOLKMOOT_KILLS=5000 tests/long.sh kills
#
# FOLKMOOT_KILLS       how many random instants a real process is killed at, and how often a server under its clients (2000)
# FOLKMOOT_NODE_KILLS  how often a server is killed under clients in JavaScript (350)
# FOLKMOOT_SHOW_SEED   the seed of the ends of these servers (a new one each time; it is printed)
# FOLKMOOT_KILLS_AT_CALLS  at how many I/O calls one is killed, every second while it recovers (2000)
# FOLKMOOT_IO_FAULTS   how many I/O calls are made to fail, `all`, or all in one way: `io/once`, `full/lasting` (5000)
# FOLKMOOT_ROT         how many places of a store rot (5000)
# FOLKMOOT_BIN         the command that kills and disk break (the one they build)
# FOLKMOOT_CUTS        how many disks are built that a power cut could have left of a store (20000)
# FOLKMOOT_CUTS_SEED   the seed of the first recording that they are built of (0)
# FOLKMOOT_LOAD_WORLDS how many worlds carry the load of ten clients each (1000)
# PROPTEST_CASES       how many random cases each property is held against (5000), where it does not fix the number itself
# FOLKMOOT_ROOMS       how many random rooms with the worst of models are played (500000)
# FOLKMOOT_PROOF_STEP  every how many bytes of an evidence bundle are changed (1)
# FOLKMOOT_TAMPER_CASES  at how many places of real logs something is changed (1000)
# FOLKMOOT_FORKS       how many random forks are made of random rooms (10000)
# FOLKMOOT_SWEEP       every how many commits scripts are cut (1)
# FOLKMOOT_LINK_SWAPS  how often a folder is swapped for a link while file tools go through it (100000)
# FOLKMOOT_TEXT_BYTES  how long the hostile texts are that what reads models is measured with (300000)
# FOLKMOOT_SCHEDULES   in how many orders the threads of a store are run, for each of its tests of interleavings (5000)
# FOLKMOOT_FUZZ_SECONDS  how long each reader of foreign bytes is fuzzed (600)
# FOLKMOOT_FUZZ_TARGETS  which of them, by their names in tests/fuzz/targets.rs (all)
# FOLKMOOT_NODE_LIVES  how many random lives of nodes that share a ledger are lived (5000)
# FOLKMOOT_SIM_SEEDS   the seeds whose stories are lived, ten simulated minutes each (0..10000)
# FOLKMOOT_MUTANT_SHARDS  into how many shares the mutants of cargo-mutants are cut (100); FOLKMOOT_MUTANT_SHARD (0) is judged
# FOLKMOOT_POSTGRES_CASES  how many lists of operations ledgers in PostgreSQL and in memory answer alike (20000)
# FOLKMOOT_POSTGRES_KILLS  how often a server of PostgreSQL is killed under load (200)
# FOLKMOOT_POSTGRES_CUTS   how many statements to it are cut, before and behind (300)
# FOLKMOOT_FLEET_WORLDS  how many worlds a fleet of four nodes over one database has (200)
# FOLKMOOT_FLEET_KILLS, _PAUSES, _PARTITIONS, _OUTAGES  how often one of its nodes is killed, stopped and cut off, and the
#                      database killed (20 each)
# FOLKMOOT_FLEET_DEATHS  how often servers over one database are killed under their clients (100)
# FOLKMOOT_FLEET_APPROVALS  how many approvals are given from outside it while nodes die (1000)
# FOLKMOOT_CASSETTES   the folder with openai-chat.jsonl.gz and its like, recorded answers of real servers; they are not
#                      part of the project. Without it the folder ../shared/cassettes is tried; without that, splits are
#                      skipped.
#
# It stops at the first error. Needs what .ci/run needs, and a C++ compiler for fuzz; no terminal and no input.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

export FOLKMOOT_KILLS="${FOLKMOOT_KILLS:-2000}"
export FOLKMOOT_CUTS="${FOLKMOOT_CUTS:-20000}"
export FOLKMOOT_KILLS_AT_CALLS="${FOLKMOOT_KILLS_AT_CALLS:-2000}"
export FOLKMOOT_IO_FAULTS="${FOLKMOOT_IO_FAULTS:-5000}"
export FOLKMOOT_ROT="${FOLKMOOT_ROT:-5000}"
export FOLKMOOT_LOAD_WORLDS="${FOLKMOOT_LOAD_WORLDS:-1000}"
export PROPTEST_CASES="${PROPTEST_CASES:-5000}"
export FOLKMOOT_ROOMS="${FOLKMOOT_ROOMS:-500000}"
export FOLKMOOT_PROOF_STEP="${FOLKMOOT_PROOF_STEP:-1}"
export FOLKMOOT_FORKS="${FOLKMOOT_FORKS:-10000}"
export FOLKMOOT_SWEEP="${FOLKMOOT_SWEEP:-1}"
export FOLKMOOT_LINK_SWAPS="${FOLKMOOT_LINK_SWAPS:-100000}"
export FOLKMOOT_TEXT_BYTES="${FOLKMOOT_TEXT_BYTES:-300000}"
export FOLKMOOT_NODE_LIVES="${FOLKMOOT_NODE_LIVES:-5000}"
export FOLKMOOT_SIM_SEEDS="${FOLKMOOT_SIM_SEEDS:-0..10000}"
export FOLKMOOT_POSTGRES_CASES="${FOLKMOOT_POSTGRES_CASES:-20000}"
export FOLKMOOT_POSTGRES_KILLS="${FOLKMOOT_POSTGRES_KILLS:-200}"
export FOLKMOOT_POSTGRES_CUTS="${FOLKMOOT_POSTGRES_CUTS:-300}"
export FOLKMOOT_FLEET_WORLDS="${FOLKMOOT_FLEET_WORLDS:-200}"
export FOLKMOOT_FLEET_KILLS="${FOLKMOOT_FLEET_KILLS:-20}"
export FOLKMOOT_FLEET_PAUSES="${FOLKMOOT_FLEET_PAUSES:-20}"
export FOLKMOOT_FLEET_PARTITIONS="${FOLKMOOT_FLEET_PARTITIONS:-20}"
export FOLKMOOT_FLEET_OUTAGES="${FOLKMOOT_FLEET_OUTAGES:-20}"
export FOLKMOOT_FLEET_APPROVALS="${FOLKMOOT_FLEET_APPROVALS:-1000}"
stage=start
trap 'status=$?; [ "$status" -eq 0 ] || echo "long: FAILED in stage $stage (exit $status)" >&2' EXIT

say() { echo "long: $*"; }

kills() {
    say "$FOLKMOOT_KILLS kills"
    cargo build --release --workspace --bins
    FOLKMOOT_BIN="${FOLKMOOT_BIN:-$PWD/target/release/folkmoot}" \
        cargo test --release -p folkmoot-tests --test faults -- kills --nocapture
    FOLKMOOT_SHOW_SEED="${FOLKMOOT_SHOW_SEED:-$RANDOM}" FOLKMOOT_NODE_KILLS="${FOLKMOOT_NODE_KILLS:-350}" \
        cargo test --release -p folkmoot-tests --test server -- --nocapture --test-threads 1
    cargo test --release -p folkmoot-tests --test it -- real_time --nocapture
}

cuts() {
    say "$FOLKMOOT_CUTS images of power cuts"
    cargo test --release -p folkmoot-tests --test faults -- cuts --nocapture
}

load() {
    say "$FOLKMOOT_LOAD_WORLDS worlds"
    cargo test --release -p folkmoot-tests --test faults -- load --nocapture
}

disk() {
    say "$FOLKMOOT_IO_FAULTS I/O calls that fail, $FOLKMOOT_ROT places that rot"
    cargo build --release --workspace --bins
    FOLKMOOT_BIN="${FOLKMOOT_BIN:-$PWD/target/release/folkmoot}" \
        cargo test --release -p folkmoot-tests --test faults -- io:: rot:: --nocapture
}

properties() {
    say "$PROPTEST_CASES random histories for each property"
    cargo test --release --workspace --lib
    cargo test --release -p folkmoot-store --tests
    FOLKMOOT_SCHEDULES="${FOLKMOOT_SCHEDULES:-5000}" FOLKMOOT_SCHEDULE_SEED="$RANDOM" \
        cargo test --release -p folkmoot-store --features shuttle --lib interleavings -- --nocapture
    cargo test --release -p folkmoot-store --lib tampering -- --include-ignored --nocapture
    cargo test --release -p folkmoot-tools --features data --lib data:: -- --include-ignored --nocapture
    cargo test --release -p folkmoot-tests --test it -- random rooms forks --nocapture
    cargo test --release -p folkmoot-tests --test it -- --ignored --exact --nocapture \
        audit::every_forged_fact_is_found_unless_it_is_an_input
}

# Each guarantee is broken on purpose: the test that guards it must fail. In the dev profile, whose builds are short.
mutants() { tests/mutants/run; }

sim() {
    say "the stories of the seeds $FOLKMOOT_SIM_SEEDS"
    cargo test --release -p folkmoot-sim --test stories -- --nocapture
}

splits() {
    cargo test --release -p folkmoot-providers --test cassettes -- --include-ignored --nocapture
}

# Coverage-guided, with the fuzzing engine of LLVM on the ordinary compiler: the flags are what makes it see branches.
# What it finds stands in target/fuzz; an input that breaks a law belongs into tests/fuzz/corpus.
fuzz() {
    local host seconds="${FOLKMOOT_FUZZ_SECONDS:-600}" target=$PWD/target/fuzz names
    host=$(rustc -vV | sed -n 's/^host: //p')
    (
        cd tests/fuzz/guided
        RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
            -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
            -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing" \
            cargo build --release --locked --bins --target "$host" --target-dir "$target"
    )
    names="${FOLKMOOT_FUZZ_TARGETS:-$(sed -n 's/^    \([a-z_]*\): [a-z_]*::.*;$/\1/p' tests/fuzz/targets.rs)}"
    mkdir -p "$target/found"
    # shellcheck disable=SC2086  # one name a line
    printf '%s\n' $names | FOLKMOOT_FUZZ_BINARY="$target/$host/release/folkmoot-fuzz" FOLKMOOT_FUZZ_SECONDS="$seconds" \
        FOLKMOOT_FUZZ_WORK="$target" xargs -P 2 -n 1 bash tests/fuzz/guided/run
}

# Ledgers on real servers of PostgreSQL; where it is missing, each test says that it is skipped.
postgres() {
    cargo test --release -p folkmoot-store --features postgres --test postgres -- --nocapture
    cargo test --release -p folkmoot-store --features postgres --test ledger --test conformance -- postgres --nocapture
    cargo test --release -p folkmoot-tests --features nodes --test it -- sweep::database nodes:: --nocapture
    cargo test --release -p folkmoot-tests --features nodes --test fleet -- --nocapture --test-threads 1
    FOLKMOOT_FLEET_DEATHS="${FOLKMOOT_FLEET_DEATHS:-100}" \
        cargo test --release -p folkmoot-tests --features nodes --test server -- fleet --nocapture
}

# Mistakes that cargo-mutants makes in core and store, one of FOLKMOOT_MUTANT_SHARDS equal shares of them: do the tests of the
# crate notice? What was judged stands in target/mutants.out; survivors are listed there in missed.txt.
mutation() {
    command -v cargo-mutants >/dev/null || { say "cargo-mutants is not installed: cargo install cargo-mutants --locked"; return 1; }
    cargo mutants --package folkmoot-core --package folkmoot-store --baseline skip --minimum-test-timeout 120 \
        --shard "${FOLKMOOT_MUTANT_SHARD:-0}/${FOLKMOOT_MUTANT_SHARDS:-100}" --output target
}

[ $# -gt 0 ] || set -- properties sim splits fuzz cuts disk kills postgres load mutants mutation
for name in "$@"; do
    case $name in
        properties | sim | splits | fuzz | cuts | disk | kills | postgres | load | mutants | mutation) ;;
        *) say "no stage $name: properties, sim, splits, fuzz, cuts, disk, kills, postgres, load, mutants, mutation"; exit 2 ;;
    esac
    stage=$name
    begun=$SECONDS
    say "== $name"
    "$name"
    say "$name took $(((SECONDS - begun) / 60)) min $(((SECONDS - begun) % 60)) s"
done
stage=end
say "all good"
