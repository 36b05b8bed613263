#!/usr/bin/env bash
# What cmake/version.cmake says of a commit, of changes, of a tarball, and of a tarball in somebody's checkout.
# `version.sh SOURCE_FOLDER`
set -euo pipefail
script=$1/cmake/version.cmake
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd -- "$work"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

# FOLDER PATTERN
expect() {
    cmake -DSOURCE="$work/$1" -DRELEASE=1.2.3 -DFILE="$work/version.cpp" -P "$script"
    local said
    said=$(sed -n 's/.*return "\(.*\)".*/\1/p' version.cpp)
    # shellcheck disable=SC2053
    [[ $said == $2 ]] || { echo "$1: \"$said\", expected $2"; exit 1; }
}

mkdir tarball checkout
expect tarball 1.2.3
git init --quiet checkout
expect checkout 1.2.3 # no commit yet
echo a >checkout/file
git -C checkout add file
git -C checkout commit --quiet --message=first
commit=$(git -C checkout rev-parse --short=7 HEAD)
expect checkout "1.2.3+$commit"
written=$(stat --format=%y version.cpp)
expect checkout "1.2.3+$commit"
[[ $(stat --format=%y version.cpp) == "$written" ]] || { echo "written again without need"; exit 1; }
git -C checkout tag v9
touch checkout/untracked
expect checkout "1.2.3+$commit"
echo b >checkout/file
expect checkout "1.2.3+$commit.dirty"
git -C checkout commit --quiet --all --message=second
expect checkout "1.2.3+$(git -C checkout rev-parse --short=7 HEAD)"
mkdir checkout/vendored
expect checkout/vendored 1.2.3
