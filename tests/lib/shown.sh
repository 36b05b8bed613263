#!/usr/bin/env bash
# What libcmr shows and needs: the symbols of symbols.txt and no other, the run time of C++ and no other library; and that
# it is as large as docs/library.md says.
# Usage: shown.sh LIBRARY
set -euo pipefail
library=$1 here=$(dirname -- "${BASH_SOURCE[0]}")
echo "symbols (left: expected, right: found)"
diff "$here/symbols.txt" <(nm --dynamic --defined-only --with-symbol-versions "$library" | awk '$2 != "A" {print $3}' | sort)
echo "needs (left: expected, right: found)"
diff <(printf '%s\n' ld-linux-x86-64.so.2 libc.so.6 libgcc_s.so.1 libm.so.6 libstdc++.so.6) \
    <({ readelf --dynamic "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'; echo ld-linux-x86-64.so.2; } | sort -u)
readelf --dynamic "$library" | grep -q 'SONAME.*\[libcmr.so.0\]' || { echo "the soname is not libcmr.so.0"; exit 1; }
stripped=$(mktemp)
trap 'rm -f -- "$stripped"' EXIT
strip -o "$stripped" "$library"
bytes=$(stat --format %s "$stripped")
echo "$bytes bytes when stripped"
told=$(sed -n 's/.*Stripped it has \([0-9.]*\) MB.*/\1/p' "$here/../../docs/library.md")
awk -v told="$told" -v bytes="$bytes" 'BEGIN { off = told * 1e6 - bytes; exit !(told && off < 2e5 && off > -2e5) }' ||
    { echo "docs/library.md says $told MB"; exit 1; }
