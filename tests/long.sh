#!/usr/bin/env bash
# What takes longer than a commit should wait for: more kills, more random worlds, every split of every recording.
#
#   tests/long.sh                       all stages, about an hour on two cores
#   tests/long.sh kills                 one stage: kills, properties or splits
#   FOLKMOOT_KILLS=5000 tests/long.sh kills
#
# FOLKMOOT_KILLS       how many random instants a real process is killed at (2000)
# PROPTEST_CASES       how many random cases each property is held against (5000), where it does not fix the number itself
# FOLKMOOT_ROOMS       how many random rooms with the worst of models are played (500000)
# FOLKMOOT_CASSETTES   the folder with openai-chat.jsonl.gz, recorded answers of real servers; they are not part of the
#                      project. Without it the folder ../shared/cassettes is tried; without that, splits are skipped.
#
# It stops at the first error. Needs only what .ci/run needs, no terminal and no input.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

export FOLKMOOT_KILLS="${FOLKMOOT_KILLS:-2000}"
export PROPTEST_CASES="${PROPTEST_CASES:-5000}"
export FOLKMOOT_ROOMS="${FOLKMOOT_ROOMS:-500000}"
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
    cargo test --release -p folkmoot-tests --test it -- random rooms --nocapture
}

splits() {
    cargo test --release -p folkmoot-providers --test cassettes -- --include-ignored --nocapture
}

[ $# -gt 0 ] || set -- properties splits kills
for name in "$@"; do
    case $name in
        kills | properties | splits) ;;
        *) say "no stage $name: kills, properties, splits"; exit 2 ;;
    esac
    stage=$name
    begun=$SECONDS
    say "== $name"
    "$name"
    say "$name took $(((SECONDS - begun) / 60)) min $(((SECONDS - begun) % 60)) s"
done
stage=end
say "all good"
