#!/usr/bin/env bash
# Draws the figures of web/screenshots/kinds.ipynb by matplotlib and Observable Plot too, from the same numbers, and sets
# the three beside each other in out/figures/beside.html: make figures, then this. Python's packages go into
# out/figures/python, npm's into bench/figures/node_modules, both at the versions pinned here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=out/figures
[ -e "$out/line-light.png" ] || { echo "run make figures first" >&2; exit 1; }
if ! cmp -s bench/figures/requirements.txt "$out/python/requirements.txt"; then
	python3 -m venv "$out/python"
	"$out/python/bin/pip" install --quiet --disable-pip-version-check -r bench/figures/requirements.txt
	cp bench/figures/requirements.txt "$out/python/"
fi
if [ ! bench/figures/node_modules/.package-lock.json -nt bench/figures/package-lock.json ]; then
	(cd bench/figures && npm ci --no-audit --no-fund --loglevel=error)
fi
go run ./bench/figures "$out"
"$out/python/bin/python" bench/figures/draw.py "$out"
node bench/figures/draw.mjs "$out"
