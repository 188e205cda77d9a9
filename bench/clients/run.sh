#!/usr/bin/env bash
# Runs the clients that people use against bin/nacre, on both engines: jupyter_kernel_test, nbclient, papermill, pyzmq, a JupyterLab with
# --gateway-url, @jupyterlab/services and VS Code's connection sequence; then the same ten notebooks by each client. Python's packages go into out/conformance,
# npm's into bench/clients/node_modules, both at the versions pinned here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export NACRE="$PWD/bin/nacre" PYTHONDONTWRITEBYTECODE=1 NACRE_TOKEN=conformance-token-0123456789
venv=out/conformance

if ! cmp -s bench/clients/requirements.txt "$venv/requirements.txt"; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check -r bench/clients/requirements.txt
	cp bench/clients/requirements.txt "$venv/"
fi
if [ ! bench/clients/node_modules/.package-lock.json -nt bench/clients/package-lock.json ]; then
	(cd bench/clients && npm ci --no-audit --no-fund --loglevel=error)
fi
export VIRTUAL_ENV="$PWD/$venv" PATH="$PWD/$venv/bin:$PATH"
export JUPYTER_PREFER_ENV_PATH=1 JUPYTER_DATA_DIR="$VIRTUAL_ENV/share/jupyter" JUPYTER_CONFIG_DIR="$VIRTUAL_ENV/etc/jupyter" IPYTHONDIR="$VIRTUAL_ENV/ipython"
program=$NACRE

failed=0
part() {
	echo "== $1"
	shift
	"$@" || failed=1
}
stop() {
	kill $server 2>/dev/null || true
	wait $server 2>/dev/null || true
	rm -rf "$dir"
}
for engine in yaegi go; do
	echo "==== engine $engine"
	[ "$engine" != go ] || "$program" setup --cells
	"$program" kernelspec install --prefix "$VIRTUAL_ENV" --engine "$engine" >/dev/null
	# What the tests call is the program with the engine.
	NACRE="$PWD/$venv/bin/nacre-$engine"
	printf '#!/bin/sh\nexec "%s" "$@" --engine %s\n' "$program" "$engine" >"$NACRE" && chmod +x "$NACRE"
	part "jupyter_kernel_test" python -W ignore -m unittest discover -s bench/clients -p kernel_test.py -v
	part "nbclient, papermill, pyzmq, JupyterLab --gateway-url" python -W ignore -m unittest discover -s bench/clients -p clients_test.py -v

	dir=$(mktemp -d)
	"$NACRE" notebook "$dir" --port 0 >"$dir/.url" 2>"$dir/.log" &
	server=$!
	trap stop EXIT
	for _ in $(seq 100); do
		[ -s "$dir/.url" ] && break
		sleep 0.1
	done
	url=$(sed -E 's#(http://[^/]+/).*#\1#' "$dir/.url")
	part "@jupyterlab/services" node bench/clients/services.mjs "$url" "$NACRE_TOKEN"
	part "VS Code" node bench/clients/vscode.mjs "$url" "$NACRE_TOKEN"
	trap - EXIT
	stop
	part "the same ten notebooks by seven clients" python -W ignore bench/clients/same.py
done
exit $failed
