#!/usr/bin/env bash
# Unpacks the Linux release in an empty Debian (debootstrap --variant=minbase), where there is no Go, no Node, no compiler and
# no checkout, and uses it there: doctor, train, examples, run, notebook, tsne, site; then `nacre setup` fetches MuJoCo
# and a half-cheetah is trained.
# For a Debian machine, as root: debootstrap is installed with apt where it is missing.
#
#   bench/release/check.sh [ARCHIVE]    default the newest out/dist/nacre-*-linux-*.tar.gz for this processor
#
# The empty root is made once, in $NACRE_ROOTS (default /root/roots), and copied for every check.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
	echo "bench/release/check.sh: $*" >&2
	exit 1
}
[ "$(id -u)" = 0 ] || fail "run it as root: it makes a root of its own and enters it"
arch=$(dpkg --print-architecture)
archive=${1:-$(ls -t out/dist/nacre-*-linux-"$arch".tar.gz 2>/dev/null | head -n 1 || true)}
[ -f "$archive" ] || fail "there is no release for linux-$arch in out/dist: run make dist first"
command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -q debootstrap >/dev/null

roots=${NACRE_ROOTS:-/root/roots}
empty=$roots/minbase
if [ ! -f "$empty/etc/debian_version" ]; then
	echo "making an empty Debian in $empty: a minute or two"
	mkdir -p "$roots"
	rm -rf "$empty.new"
	debootstrap --variant=minbase bookworm "$empty.new" >"$roots/debootstrap.log" || fail "debootstrap failed: see $roots/debootstrap.log"
	mv "$empty.new" "$empty"
fi
root=$(mktemp -d "$roots/check.XXXXXX")
server=
finish() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	wait 2>/dev/null || true
	umount "$root/proc" 2>/dev/null || true
	rm -rf --one-file-system "$root"
}
trap finish EXIT
cp -a "$empty/." "$root/"
mount -t proc proc "$root/proc"
# The network as this machine has it: names, certificates, and the variables that say where packages come from.
cp /etc/resolv.conf /etc/hosts "$root/etc/"
certificates=/etc/ssl/certs/ca-certificates.crt network=()
if [ -f $certificates ]; then # under a name of its own: the package ca-certificates, which pip brings, writes the usual one
	mkdir -p "$root/etc/ssl" && cp $certificates "$root/etc/ssl/machine.crt"
	network=(PIP_CERT=/etc/ssl/machine.crt SSL_CERT_FILE=/etc/ssl/machine.crt)
fi
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"

tar -xzf "$archive" -C "$root/opt"
nacre=/opt/$(basename "$archive" .tar.gz)/nacre

# within runs a command in a folder of its own in the root, as somebody who has nothing.
for v in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL; do
	[ -z "${!v:-}" ] || network+=("$v=${!v}")
done
mkdir -p "$root/root/work"
within() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "${network[@]}" sh -c 'cd /root/work && exec "$@"' sh "$@"; }
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
step "$nacre" run notebooks/quickstart.ipynb -o quickstart.ipynb -p iterations=2 -p windows=12 -p folder=/root/work/quick
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
