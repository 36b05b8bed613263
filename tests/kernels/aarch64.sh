#!/usr/bin/env bash
# Builds isa_check for aarch64 with this project's own CMake files and runs it under user-mode emulation.
# `aarch64.sh SOURCE_FOLDER BUILD_FOLDER`; exit code 77 when the cross compiler or the emulator is missing.
set -euo pipefail
source_folder=$1 build_folder=$2

for tool in aarch64-linux-gnu-g++ qemu-aarch64 ninja; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not installed, so the kernels were not tried on aarch64." >&2
        exit 77
    fi
done

# The formatting library's headers alone: the folder they are installed in also holds this machine's C library, and the
# library itself is built for this machine.
fmt_headers=
for folder in /usr/local/include /usr/include; do
    if [[ -e $folder/fmt/format.h ]]; then
        fmt_headers=$folder/fmt
        break
    fi
done
if [[ -z $fmt_headers ]]; then
    echo "The headers of fmt were not found, so the kernels were not tried on aarch64." >&2
    exit 77
fi
mkdir -p "$build_folder/include" "$build_folder/packages"
ln -sfn "$fmt_headers" "$build_folder/include/fmt"
cat >"$build_folder/packages/fmt-config.cmake" <<CMAKE
add_library(fmt::fmt INTERFACE IMPORTED)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
target_include_directories(fmt::fmt INTERFACE "$build_folder/include")
CMAKE

cmake -S "$source_folder" -B "$build_folder" -G Ninja -Dfmt_DIR="$build_folder/packages" \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc \
    -DCMAKE_EXE_LINKER_FLAGS=-static -DCMR_MOLD=OFF -DCMAKE_BUILD_TYPE=Release \
    -DCMR_KERNELS_ONLY=ON -DCMR_WITH_TRAINING=OFF -DCMR_WITH_BENCH=OFF >/dev/null
cmake --build "$build_folder" --target isa_check
qemu-aarch64 "$build_folder/bin/isa_check"
