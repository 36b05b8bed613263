#!/usr/bin/env bash
# Builds the wheel with the library of a build, unpacks it, and runs the tests of the Python package on that.
# Usage: run.sh SOURCE_DIR BUILD_DIR [PYTEST_ARGUMENTS…]. Exit code 77: a package of Python is not installed.
set -euo pipefail
source_dir=$1 build=$2
shift 2
for module in build hatchling mypy numpy pandas matplotlib pytest sklearn; do
    /usr/bin/python3 -c "import $module" 2>/dev/null || { echo "skipped: Python has no $module"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cp -r -- "$source_dir/python" "$work/source"
cp -L -- "$build/lib/libcmr.so.0" "$work/source/cmr/"
(cd -- "$work/source" && /usr/bin/python3 -m build --wheel --no-isolation --skip-dependency-check --outdir "$work" >"$work/log" 2>&1) ||
    { cat "$work/log"; exit 1; }
/usr/bin/python3 -m zipfile -e "$work"/cmr-*.whl "$work/site"
echo "$(basename "$work"/cmr-*.whl), $(stat --format %s "$work"/cmr-*.whl) bytes"

cd -- "$source_dir/python"
MYPYPATH=$source_dir/python /usr/bin/python3 -m mypy --cache-dir "$work/mypy" --config-file pyproject.toml \
    cmr examples/*.py
export PYTHONPATH=$work/site PATH=$build/bin:$PATH PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=$work
cd -- "$work"
exec_code=0
/usr/bin/python3 -m pytest -p no:cacheprovider --quiet --durations=5 "$source_dir/tests/python" "$@" || exec_code=$?
exit "$exec_code"
