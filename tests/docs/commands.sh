#!/usr/bin/env bash
# Runs every command that the documentation shows in a ```sh block, from a folder of its own, with the built programs first
# in PATH. A block whose fence names a file (```toml plant.toml) is that file. Usage: commands.sh SOURCE_DIR BIN_DIR
set -euo pipefail
source_dir=$1
export PATH=$2:$PATH
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd -- "$work"
ln -s "$source_dir/recipes" recipes  # as in the source folder

pages() {
    find "$source_dir/README.md" "$source_dir/CONTRIBUTING.md" "$source_dir/docs" "$source_dir/src/README.md" -name '*.md' | sort
}

pages | while IFS= read -r page; do
    awk '/^```/ { file = (NF == 2 ? $2 : ""); next } file { print > file }' "$page"
done

ran=0
while IFS= read -r line; do
    file=${line%%$'\t'*} command=${line#*$'\t'}
    echo "$file: $command"
    bash -euo pipefail -c "$command" >output 2>&1 || { echo "failed:"; cat output; exit 1; }
    ran=$((ran + 1))
done < <(
    pages | while IFS= read -r page; do
        awk -v page="${page#"$source_dir"/}" '/^```/ { inside = ($0 == "```sh") ; next } inside && NF { print page "\t" $0 }' "$page"
    done
)
echo "$ran commands ran"
((ran > 0))
