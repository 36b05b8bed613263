#!/bin/sh
# The life of the packages, inside a Debian 12 that has all they depend on. Run by packages.sh.
set -eu
cd /root/debs
say() { printf '== %s\n' "$*"; }
fail() { printf 'failed: %s\n' "$*"; exit 1; }

say "install what scores"
dpkg --install cmr_*.deb >dpkg.log
cmr info
test -s /usr/share/cmr/recipes/template.toml || fail "no recipes"
test -s /usr/share/man/man1/cmr-fit.1.gz || fail "no manual page of cmr fit"
test -s /usr/lib/systemd/system/cmr-watch.service || fail "no unit of the monitor"
if cmr demo 2>message; then fail "cmr demo ran without cmr-train"; fi
grep -q "package cmr-train" message || fail "no word of the package that is missing: $(cat message)"

say "the demo, then score without what trains"
dpkg --install cmr-train_*.deb >>dpkg.log
cmr demo --out demo 2>progress || { cat progress; fail "cmr demo"; }
test -s demo/demo.html || fail "the demo left no page"
bytes=$(stat --format=%s demo/demo.cmr)
test "$bytes" -le 12000000 || fail "the demo's model is $bytes bytes, more than 12 MB"
cp demo/data/plant/SWaT_Dataset_Attack_v0.csv later.csv
cmr score demo/demo.cmr later.csv --out with.csv
dpkg --remove cmr-train >>dpkg.log
cmr score demo/demo.cmr later.csv --out without.csv
cmp with.csv without.csv

say "the monitor, as its unit runs it once somebody enables it"
mkdir -p /etc/cmr /var/lib/private/cmr /etc/systemd/system/multi-user.target.wants
cat >/etc/cmr/plant.toml <<'END'
[[asset]]
names = ["water"]
model = "/root/debs/demo/demo.cmr"
[[source]]
name = "historian"
kind = "file"
path = "/root/debs/later.csv"
asset = "water"
time_field = "Timestamp"
table = { header_column = "Timestamp", date_order = "day-first" }
[web]
address = "127.0.0.1:0"
END
STATE_DIRECTORY=/var/lib/private/cmr cmr watch /etc/cmr/plant.toml --stop-after-s 3
ln -s private/cmr /var/lib/cmr
ln -s /usr/lib/systemd/system/cmr-watch.service /etc/systemd/system/multi-user.target.wants/cmr-watch.service
test -s /var/lib/cmr/ledger.db || fail "the monitor kept nothing"

say "library and Python"
dpkg --install ./*.deb >>dpkg.log
python3 -c 'from cmr import Model; print(*(channel.name for channel in Model("demo/demo.cmr").channels))'

say "upgrade"
dpkg --install new/*.deb >>dpkg.log
test "$(dpkg-query --showformat '${Version}\n' --show cmr)" != "$(dpkg-deb --field cmr_*.deb Version)"
cmr score demo/demo.cmr later.csv --out upgraded.csv
cmp with.csv upgraded.csv
python3 -c 'import cmr; print(cmr.library_version())'
test -s /var/lib/cmr/ledger.db || fail "the upgrade took the monitor's state"

say "purge"
rm /etc/cmr/plant.toml
dpkg --purge $(dpkg-query --showformat '${Package}\n' --show | grep -xE 'cmr|cmr-train|libcmr0|libcmr-dev|python3-cmr') >>dpkg.log
test ! -e /usr/bin/cmr || fail "cmr is still there"
test ! -e /var/lib/cmr || fail "the monitor's state is still there"
# Folders of systemd, which is not in this Debian.
rmdir --parents --ignore-fail-on-non-empty /etc/systemd/system/multi-user.target.wants /var/lib/private
rm -f /var/lib/dpkg/*-old
