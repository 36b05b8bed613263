#!/usr/bin/env bash
# Builds the examples against the library as it is installed, with pkg-config and with find_package, and runs them on a
# model that is kept with the tests. Usage: installed.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
model=$(find "$source_dir/tests/score/seeds" -name 'detector-schema*.safetensors' | sort --version-sort | tail -n 1)
# Five channels: two causes wander, the effects follow; then one effect goes its own way.
awk 'BEGIN { srand(1); for (t = 0; t < 400; t++) {
    a = 0.9 * a + 0.9 * (rand() - 0.5); b = 0.9 * b + 0.9 * (rand() - 0.5)
    printf "%f,%f,%f,%f,%f\n", a, b, 10 + 2 * a + b + (t > 200 ? 40 * sin(t) : 0), 0.5 * b - a, a * (a < 0 ? -a : a) + b
} }' >"$work/rows.csv"
for component in libcmr0 libcmr-dev; do
    cmake --install "$build" --component "$component" --prefix "$work/usr" >/dev/null
done
libraries=$(dirname -- "$(find "$work/usr" -name 'libcmr.so')")

echo "== pkg-config"
export PKG_CONFIG_PATH=$libraries/pkgconfig
flags=$(pkg-config --cflags --libs cmr)
# shellcheck disable=SC2086 # several words
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "$source_dir/examples/watch.c" $flags -o "$work/watch"
# shellcheck disable=SC2086
g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "$source_dir/examples/watch.cpp" $flags -o "$work/watch-cpp"

echo "== find_package"
cmake -S "$source_dir/examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/build" >/dev/null

echo "== they agree"
export LD_LIBRARY_PATH=$libraries
"$work/watch" "$model" <"$work/rows.csv" >"$work/said"
cat "$work/said"
grep -q ALARM "$work/said"
for program in "$work/watch-cpp" "$work/build/watch" "$work/build/watch-cpp"; do
    "$program" "$model" <"$work/rows.csv" | diff "$work/said" -
done
echo "== empty fields are absent values"
# The first effect lacks for a while; the last field of a row, too.
awk -F, -v OFS=, 'NR > 60 && NR <= 120 { $3 = "" } NR > 240 { $5 = "" } 1' "$work/rows.csv" >"$work/holes.csv"
"$work/watch" "$model" <"$work/holes.csv" >"$work/with-holes"
if cmp -s "$work/said" "$work/with-holes"; then echo "holes change nothing"; exit 1; fi
test "$(grep -c ^[0-9] "$work/said")" = "$(grep -c ^[0-9] "$work/with-holes")"
"$work/watch-cpp" "$model" <"$work/holes.csv" | diff "$work/with-holes" -
echo "== stopped and started again"
head -n 100 "$work/rows.csv" | "$work/watch-cpp" "$model" "$work/state" >"$work/parts"
tail -n +101 "$work/rows.csv" | "$work/watch-cpp" "$model" "$work/state" >>"$work/parts"
diff "$work/said" "$work/parts"
echo "== what cannot be"
if "$work/watch" "$source_dir/LICENSE" </dev/null 2>"$work/message"; then echo "opened a text"; exit 1; fi
cat "$work/message"
