# Sourced by scripts that use the project in an empty Debian. new_root makes one: the folder $root, which is removed, with
# what is mounted in it, by drop_root. within runs a command in it as somebody who has nothing, in /root/work. For a Debian
# machine, as root. What is empty is made once, with debootstrap, in $NACRE_ROOTS (default /root/roots), and then copied.

fail() {
	echo "$0: $*" >&2
	exit 1
}

new_root() {
	[ "$(id -u)" = 0 ] || fail "run it as root: it makes a root of its own and enters it"
	command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -q debootstrap >/dev/null
	local roots=${NACRE_ROOTS:-/root/roots}
	local empty=$roots/minbase
	if [ ! -f "$empty/etc/debian_version" ]; then
		echo "making an empty Debian in $empty: a minute or two"
		mkdir -p "$roots"
		rm -rf "$empty.new"
		debootstrap --variant=minbase bookworm "$empty.new" >"$roots/debootstrap.log" || fail "debootstrap failed: see $roots/debootstrap.log"
		mv "$empty.new" "$empty"
	fi
	root=$(mktemp -d "$roots/check.XXXXXX")
	cp -a "$empty/." "$root/"
	mount -t proc proc "$root/proc"
	mkdir -p "$root/root/work"
	# The network as this machine has it: names, certificates, and the variables that say where packages come from.
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	local certificates=/etc/ssl/certs/ca-certificates.crt name
	network=()
	if [ -f $certificates ]; then # under a name of its own: the package ca-certificates, which pip brings, writes the usual one
		mkdir -p "$root/etc/ssl" && cp $certificates "$root/etc/ssl/machine.crt"
		network=(PIP_CERT=/etc/ssl/machine.crt SSL_CERT_FILE=/etc/ssl/machine.crt NODE_EXTRA_CA_CERTS=/etc/ssl/machine.crt)
	fi
	[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
	cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
	for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL NPM_CONFIG_REGISTRY npm_config_registry GOPROXY GOSUMDB; do
		[ -z "${!name:-}" ] || network+=("$name=${!name}")
	done
}

drop_root() {
	umount "$root/proc" 2>/dev/null || true
	rm -rf --one-file-system "$root"
}

within() {
	chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${network[@]}" \
		sh -c 'cd /root/work && exec "$@"' sh "$@"
}
