#!/usr/bin/env bash
# Builds the browser front end (web/) with npm, when its sources have changed. `build.sh test` runs its checks and unit
# tests, `build.sh chromium` finds a browser for the browser tests and installs one where it may. What is missing is said in
# one line and is no failure: without the front end the Go programs build and JupyterLab or VS Code can use the server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false npm_config_loglevel=error

stamp=node_modules/.nacre-built

have_node() {
	local major
	major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p')
	command -v npm >/dev/null && [ "${major:-0}" -ge 18 ]
}

sources() {
	find src ./*.mjs package.json package-lock.json -type f -print0 | sort -z | xargs -0 cksum | cksum
}

install_packages() {
	[ -f node_modules/.package-lock.json ] && [ node_modules/.package-lock.json -nt package-lock.json ] && return
	npm ci >/dev/null
}

build() {
	if [ -f dist/index.html ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(sources)" ]; then return; fi
	if ! have_node; then
		echo "Building without the browser front end because there is no Node; to add it, install Node 18 or newer and run make again"
		return
	fi
	if ! install_packages; then
		echo "Building without the browser front end because npm could not fetch its packages (above); run make again to retry"
		return
	fi
	node build.mjs
	sources >"$stamp"
}

check() {
	if [ ! -f "$stamp" ] || ! have_node; then
		echo "The front end's own tests are skipped because it is not built"
		return
	fi
	npm run --silent check
	npm run --silent test
}

find_chromium() {
	[ -n "${NACRE_CHROMIUM:-}" ] && return
	for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
		command -v "$name" >/dev/null && return
	done
	return 1
}

case "${1:-build}" in
build) build ;;
test)
	check
	find_chromium || echo "The browser tests are skipped because there is no Chromium; make browser installs one where it may"
	;;
chromium)
	find_chromium && exit
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		apt-get update -qq && apt-get install -y -qq chromium >/dev/null
	fi
	find_chromium || { echo "There is no Chromium: install chromium or google-chrome, or set NACRE_CHROMIUM to its path" >&2; exit 1; }
	;;
*) echo "usage: build.sh [build|test|chromium]" >&2; exit 2 ;;
esac
