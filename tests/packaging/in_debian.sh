#!/bin/sh
# The life of the packages, inside a Debian 12 that has all they depend on. Run by packages.sh.
set -eu
cd /root/debs
say() { printf '== %s\n' "$*"; }
fail() { printf 'failed: %s\n' "$*"; exit 1; }

say "install what scores"
dpkg --install cmr_*.deb >dpkg.log
cmr info
cmr simulate water --scale 0.02 --format csv --out data/plant
test -s /usr/share/cmr/recipes/template.toml || fail "no recipes"
test -s /usr/share/man/man1/cmr-fit.1.gz || fail "no manual page of cmr fit"
cat >plant.toml <<'END'
name = "plant"
description = "Raw water: inlet valve and pumps drive level and flows"
data.rate_hz = 1.0
data.gaps = "drop-window"
data.read = { header_column = "Timestamp", date_order = "day-first" }
data.time.column = "Timestamp"
data.labels = { column = "Normal/Attack", healthy = ["Normal"], faulty = ["Attack"] }
window = { length = 128, stride = 32 }
split = { kind = "chronological", purge = 128 }
model = { width = 16, layers = 1, state = 4, rank = 2 }
train = { batch = 8, max_epochs = 1 }
[[data.part]]
name = "healthy"
files = "plant/SWaT_Dataset_Normal_v1.csv"
role = "fit"
skip_samples = 600
[[data.part]]
name = "later"
files = "plant/SWaT_Dataset_Attack_v0.csv"
role = "test"
[[channels]]
role = "cause"
group = "actuators"
names = ["MV101", "P101", "P102", "MV201"]
[[channels]]
role = "effect"
group = "water"
names = ["FIT101", "FIT201", "LIT101"]
END
if cmr fit plant.toml 2>message; then fail "cmr fit ran without cmr-train"; fi
grep -q "package cmr-train" message || fail "no word of the package that is missing: $(cat message)"

say "train, then score without what trains"
dpkg --install cmr-train_*.deb >>dpkg.log
cmr fit plant.toml
cmr score plant.cmr --out with.csv
dpkg --remove cmr-train >>dpkg.log
cmr score plant.cmr --out without.csv
cmp with.csv without.csv

say "library and Python"
dpkg --install ./*.deb >>dpkg.log
python3 -c 'from cmr import Model; print(*(channel.name for channel in Model("plant.cmr").channels))'

say "upgrade"
dpkg --install new/*.deb >>dpkg.log
test "$(dpkg-query --showformat '${Version}\n' --show cmr)" != "$(dpkg-deb --field cmr_*.deb Version)"
cmr score plant.cmr --out upgraded.csv
cmp with.csv upgraded.csv
python3 -c 'import cmr; print(cmr.library_version())'

say "purge"
dpkg --purge $(dpkg-query --showformat '${Package}\n' --show | grep -xE 'cmr|cmr-train|libcmr0|libcmr-dev|python3-cmr') >>dpkg.log
test ! -e /usr/bin/cmr || fail "cmr is still there"
rm -f /var/lib/dpkg/*-old
