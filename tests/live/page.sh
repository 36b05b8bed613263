#!/usr/bin/env bash
# `cmr watch --demo` and its page in a browser. Usage: page.sh BIN_DIR [FOLDER for screenshots]
set -euo pipefail
bin=$1 out=${2:-}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
for program in node npm chromium; do
    command -v "$program" >/dev/null || { echo "$program is not installed"; exit 77; }
done
work=$(mktemp -d)
watch=
trap '[[ -z $watch ]] || kill "$watch" 2>/dev/null || true; [[ -z $watch ]] || wait "$watch" || true; rm -rf -- "$work"' EXIT
if ! NODE_PATH=${NODE_PATH:-} node -e 'require("playwright-core")' 2>/dev/null; then
    npm install --silent --no-fund --no-audit --prefix "$work" playwright-core >/dev/null 2>&1 || { echo "playwright-core cannot be installed"; exit 77; }
    export NODE_PATH=$work/node_modules
fi
"$bin/cmr" watch --demo --out "$work/demo" --set web.address=127.0.0.1:0 >"$work/said" 2>"$work/log" &
watch=$!
for ((i = 0; i < 3000; ++i)); do
    grep -q '^Look at' "$work/said" && break
    kill -0 "$watch" 2>/dev/null || { cat "$work/log"; exit 1; }
    sleep 0.1
done
node "$here/page.mjs" "$(sed -n 's/^Look at //p' "$work/said")" "$(command -v chromium)" "$out"
