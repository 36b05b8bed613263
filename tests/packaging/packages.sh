#!/usr/bin/env bash
# Makes the Debian packages of a build, looks at them with lintian, and lives with them in a Debian 12 of its own: install,
# score without what trains, train, upgrade, purge, and nothing is left. That Debian is made once, from the mirror that
# this machine's apt uses, and kept in the build folder with what the packages depend on.
# Usage: packages.sh SOURCE_DIR BUILD_DIR. Exit code 77: this machine cannot (no root, no debootstrap, no network).
set -euo pipefail
source_dir=$1 build=$2
here=$(dirname -- "${BASH_SOURCE[0]}")
say() { printf '== %s\n' "$*"; }
skip() { echo "skipped: $*"; exit 77; }

((EUID == 0)) || skip "a Debian in a folder takes root"
for tool in debootstrap lintian dpkg-deb cpack; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done

say "packages"
made=$build/packages
rm -rf -- "$made"
(cd -- "$build" && cpack) >"$build/cpack.log" 2>&1 || { cat "$build/cpack.log"; exit 1; }
ls -l -- "$made"/*.deb

say "lintian"
lintian --allow-root --fail-on error,warning --suppress-tags-from-file "$source_dir/packaging/lintian-accepted" "$made"/*.deb

# A Debian with what the packages depend on, so that only they are installed later.
say "a Debian 12"
depends=$(for deb in "$made"/*.deb; do dpkg-deb --field "$deb" Depends; done | tr ',' '\n' | sed 's/^ *//; s/ *([^)]*)//; s/ *|.*//' |
    grep -vxE 'cmr|cmr-train|libcmr0|libcmr-dev|python3-cmr' | sort -u)
ready=$build/debian12-$(sha256sum <<<"$depends" | cut -c1-12).tar
root=$(mktemp -d "$build/debian12.XXXXXX")
leave() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf -- "$root"
}
trap leave EXIT
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
mount_proc() { mount -t proc proc "$root/proc" || skip "cannot mount /proc in a folder"; }
if [[ -e $ready ]]; then
    tar -C "$root" -xf "$ready"
    mount_proc
else
    rm -f -- "$build"/debian12-*.tar
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
    [[ -n $mirror ]] || skip "apt knows no mirror of Debian 12"
    debootstrap --variant=minbase bookworm "$root" "$mirror" >"$build/debootstrap.log" 2>&1 ||
        { tail -n 5 "$build/debootstrap.log"; skip "debootstrap did not finish"; }
    mount_proc
    cp /etc/resolv.conf "$root/etc/"
    # shellcheck disable=SC2086 # one word per package
    inside apt-get install --yes --no-install-recommends $depends >"$build/depends.log" 2>&1 ||
        { tail -n 5 "$build/depends.log"; skip "what the packages depend on could not be fetched"; }
    inside apt-get clean
    tar -C "$root" --one-file-system -cf "$ready.part" .
    mv -- "$ready.part" "$ready"
fi

# All files but those that dpkg, ldconfig and logs change by their nature.
files() {
    (cd -- "$root" && find . -xdev \( -path ./proc -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache -o -path ./root/debs -o -path ./tmp \) -prune -o -print | sort)
}
files >"$build/files.before"
mkdir -p "$root/root/debs/new"
cp -- "$made"/*.deb "$root/root/debs/"
# The next release, which differs in nothing but its number.
for deb in "$made"/*.deb; do
    unpacked=$(mktemp -d)
    dpkg-deb --raw-extract "$deb" "$unpacked/p"
    version=$(dpkg-deb --field "$deb" Version)
    sed -i "s/$version/$version.1/g" "$unpacked/p/DEBIAN/control"
    dpkg-deb --root-owner-group --build -Zgzip -z1 "$unpacked/p" "$root/root/debs/new/$(basename -- "$deb")" >/dev/null
    rm -rf -- "$unpacked"
done
cp -- "$here/in_debian.sh" "$root/root/debs/"
inside sh /root/debs/in_debian.sh
rm -rf -- "$root/root/debs"
files >"$build/files.after"
say "nothing is left"
diff "$build/files.before" "$build/files.after"
