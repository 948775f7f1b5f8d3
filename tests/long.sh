#!/usr/bin/env bash
# What takes longer than a commit should wait for: more kills, more random worlds, every split of every recording.
#
#   tests/long.sh                       all stages, about two hours on two cores
#   tests/long.sh kills                 one stage: kills, properties, splits or fuzz
#   FOLKMOOT_KILLS=5000 tests/long.sh kills
#
# FOLKMOOT_KILLS       how many random instants a real process is killed at (2000)
# PROPTEST_CASES       how many random cases each property is held against (5000), where it does not fix the number itself
# FOLKMOOT_ROOMS       how many random rooms with the worst of models are played (500000)
# FOLKMOOT_PROOF_STEP  every how many bytes of an evidence bundle are changed (1)
# FOLKMOOT_TAMPER_CASES  at how many places of real logs something is changed (1000)
# FOLKMOOT_FORKS       how many random forks are made of random rooms (10000)
# FOLKMOOT_FUZZ_SECONDS  how long each decoder is fuzzed (600)
# FOLKMOOT_CASSETTES   the folder with openai-chat.jsonl.gz and its like, recorded answers of real servers; they are not
#                      part of the project. Without it the folder ../shared/cassettes is tried; without that, splits are
#                      skipped.
#
# It stops at the first error. Needs what .ci/run needs, and a C++ compiler for fuzz; no terminal and no input.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

export FOLKMOOT_KILLS="${FOLKMOOT_KILLS:-2000}"
export PROPTEST_CASES="${PROPTEST_CASES:-5000}"
export FOLKMOOT_ROOMS="${FOLKMOOT_ROOMS:-500000}"
export FOLKMOOT_PROOF_STEP="${FOLKMOOT_PROOF_STEP:-1}"
export FOLKMOOT_FORKS="${FOLKMOOT_FORKS:-10000}"
stage=start
trap 'status=$?; [ "$status" -eq 0 ] || echo "long: FAILED in stage $stage (exit $status)" >&2' EXIT

say() { echo "long: $*"; }

kills() {
    say "$FOLKMOOT_KILLS kills"
    cargo build --release --workspace --bins
    cargo test --release -p folkmoot-tests --test it -- kill real_time --nocapture
}

properties() {
    say "$PROPTEST_CASES random histories for each property"
    cargo test --release --workspace --lib
    cargo test --release -p folkmoot-store --tests
    cargo test --release -p folkmoot-store --lib tampering -- --include-ignored --nocapture
    cargo test --release -p folkmoot-tests --test it -- random rooms forks --nocapture
    cargo test --release -p folkmoot-tests --test it -- --ignored --exact --nocapture \
        audit::every_forged_fact_is_found_unless_it_is_an_input
}

splits() {
    cargo test --release -p folkmoot-providers --test cassettes -- --include-ignored --nocapture
}

# Coverage-guided, with the fuzzing engine of LLVM on the ordinary compiler: the flags are what makes it see branches.
# What it finds stands in target/fuzz; an input that breaks a law belongs into providers/tests/survival/corpus.
fuzz() {
    local host seconds="${FOLKMOOT_FUZZ_SECONDS:-600}" target=$PWD/target/fuzz running=() wire
    host=$(rustc -vV | sed -n 's/^host: //p')
    (
        cd providers/fuzz
        RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
            -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
            -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing" \
            cargo build --release --locked --bins --target "$host" --target-dir "$target"
    )
    for wire in sse openai-chat openai-responses anthropic-messages google-generate-content; do
        say "fuzzing $wire for $seconds s"
        mkdir -p "$target/corpus/$wire" "$target/found"
        local given=()
        [ ! -d "providers/tests/fixtures/$wire" ] || given=("providers/tests/fixtures/$wire")
        "$target/$host/release/$wire" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
            -artifact_prefix="$target/found/$wire-" "$target/corpus/$wire" "${given[@]}" >"$target/$wire.log" 2>&1 &
        running+=("$!")
        [ "${#running[@]}" -lt 2 ] || { wait "${running[0]}" || { tail -n 40 "$target"/*.log; return 1; }; running=("${running[@]:1}"); }
    done
    wait "${running[@]}" || { tail -n 40 "$target"/*.log; return 1; }
    for log in "$target"/*.log; do say "$(basename "$log" .log): $(tail -n 1 "$log")"; done
}

[ $# -gt 0 ] || set -- properties splits fuzz kills
for name in "$@"; do
    case $name in
        kills | properties | splits | fuzz) ;;
        *) say "no stage $name: kills, properties, splits, fuzz"; exit 2 ;;
    esac
    stage=$name
    begun=$SECONDS
    say "== $name"
    "$name"
    say "$name took $(((SECONDS - begun) / 60)) min $(((SECONDS - begun) % 60)) s"
done
stage=end
say "all good"
