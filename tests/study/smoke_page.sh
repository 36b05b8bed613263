#!/usr/bin/env bash
# Runs the smoke study and writes the page of its report to the file named. The programs are in CMR_BIN.
set -euo pipefail
page=$1
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
"$CMR_BIN/cmr" study "$source_dir/recipes/studies/smoke.toml" --out "$work/run" --workers 2
"$CMR_BIN/cmr" report "$work/run"
cp "$work/run/report/report.html" "$page"
