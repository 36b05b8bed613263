#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs each for a while, from its committed seeds.
#   tests/fuzz/run.sh [SECONDS [TARGET...]]
# Without targets all but `detector`, which takes minutes to build.
# Findings and the inputs that widened coverage stay in build/fuzz/NAME/.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd -- "$root"
if ! command -v clang++-14 >/dev/null; then
    echo "clang++-14 is not installed; scripts/install-packages installs it" >&2
    exit 77
fi
seconds=${1:-10}
shift || true
targets=("$@")
if ((${#targets[@]} == 0)); then
    for folder in tests/fuzz/seeds/*/; do
        [[ $folder == */detector/ ]] || targets+=("$(basename "$folder")")
    done
fi
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"
# A finding must not be an endless loop or a greedy allocation either.
limits=(-timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024)
for target in "${targets[@]}"; do
    work=build/fuzz/work/$target
    mkdir -p "$work"
    echo "fuzzing $target for $seconds s"
    if ! "build/fuzz/bin/fuzz_$target" "${limits[@]}" -max_total_time="$seconds" -print_final_stats=1 \
        -artifact_prefix="$work/" "$work" "tests/fuzz/seeds/$target" >"build/fuzz/$target.log" 2>&1; then
        tail -40 "build/fuzz/$target.log" >&2
        echo "fuzz_$target found something: see build/fuzz/$target.log" >&2
        exit 1
    fi
    grep -E "number_of_executed_units" "build/fuzz/$target.log"
done
