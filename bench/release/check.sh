#!/usr/bin/env bash
# Unpacks the Linux release in an empty Debian (debootstrap --variant=minbase), where there is no Go, no Node, no compiler and
# no checkout, and uses it there: doctor, train, examples, run, notebook, tsne, site; then `nacre setup` fetches MuJoCo
# and a half-cheetah is trained.
# For a Debian machine, as root: debootstrap is installed with apt where it is missing (root.sh).
#
#   bench/release/check.sh [ARCHIVE]    default the newest out/dist/nacre-*-linux-*.tar.gz for this processor
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

. bench/release/root.sh
arch=$(dpkg --print-architecture)
archive=${1:-$(ls -t out/dist/nacre-*-linux-"$arch".tar.gz 2>/dev/null | head -n 1 || true)}
[ -f "$archive" ] || fail "there is no release for linux-$arch in out/dist: run make dist first"
new_root
server=
finish() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	wait 2>/dev/null || true
	drop_root
}
trap finish EXIT
tar -xzf "$archive" -C "$root/opt"
nacre=/opt/$(basename "$archive" .tar.gz)/nacre

step() {
	echo "== $*"
	within "$@" || fail "failed: $*"
}

for tool in go node cc python3 curl; do
	! within sh -c "command -v $tool" >/dev/null || fail "the root is not empty: it has $tool"
done
if ldd "$root$nacre" | grep -i mujoco; then fail "the program is linked to MuJoCo"; fi

step "$nacre" version
step "$nacre" doctor
step "$nacre" train --preset quick/point-goal --set pearl.iterations=2 --out point --quiet
step "$nacre" examples notebooks
step "$nacre" execute notebooks/quickstart.ipynb -o quickstart.ipynb -p iterations=2 -p windows=12 -p folder=/root/work/quick
within sh -c 'i=0; while [ $i -lt 120 ]; do echo "$((i % 3)),$((i * 7 % 11)),$((i * 5 % 13)),$((i % 2))"; i=$((i + 1)); done >points.csv'
step "$nacre" tsne points.csv --out layout
step "$nacre" site notebooks --out site
[ -f "$root/root/work/site/index.html" ] && ls "$root"/root/work/site/wasm/kernel-*.wasm.br >/dev/null || fail "the site has no page or no kernel"

echo "== $nacre notebook"
token=release-check-0123456789abcdef
within env NACRE_TOKEN=$token "$nacre" notebook notebooks --port 0 >"$root/url" 2>"$root/notebook.log" &
server=$!
for _ in $(seq 100); do
	[ -s "$root/url" ] && break
	sleep 0.1
done
url=$(cat "$root/url")
curl --noproxy '*' -fsSL --cookie-jar "$root/cookies" "$url" | grep -qi '<!doctype html' || fail "no page at the notebook's address"
base=$(echo "$url" | sed -E 's#(http://[^/]+/).*#\1#')
curl --noproxy '*' -fsS -H "Authorization: token $token" "${base}api/contents" | grep -q quickstart.ipynb || fail "the server does not list the notebooks"
echo "the page and the list of notebooks were served"
kill "$server"
wait "$server" 2>/dev/null || true
server=

echo "== without MuJoCo"
if said=$(within "$nacre" train --preset oyster/cheetah-vel --out early 2>&1); then fail "a cheetah was trained without MuJoCo"; fi
echo "$said"
grep -q 'nacre setup' <<<"$said" || fail "it does not say how to get MuJoCo"
echo "== $nacre setup, without pip"
if said=$(within "$nacre" setup 2>&1); then fail "setup succeeded without pip"; fi
echo "$said"
within rm -rf early
step "$nacre" setup --install
step "$nacre" setup
step "$nacre" doctor
step "$nacre" train --preset oyster/cheetah-vel --set pearl.iterations=1 --set pearl.updates_per_iteration=5 --set pearl.hidden=16 --out cheetah --quiet
echo "the release works in an empty Debian: $archive"
