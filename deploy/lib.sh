# What the scripts in deploy/ share: saying what happens, and installing what is missing.
# Sourced, not run. Each ensure_… function looks first and says what it installs.

SWIFT_VERSION=6.3.1

# How the tests are built. Without debug information and with one compiler process for each module
# a build takes a third less processor time; `-num-threads` has the compiler write one object file
# for each source file, which the package manager links. The same process writes the module's
# interface. lld links in a fifth of gold's time.
checked_flags=(-debug-info-format none -Xswiftc -whole-module-optimization
    -Xswiftc -num-threads -Xswiftc 1 -Xswiftc -no-emit-module-separately-wmo)
# How the program is built that people run: the Swift runtime is in it.
release_flags=(-c release --static-swift-stdlib -debug-info-format none)
if [ "$(uname -s)" = Linux ]; then
    checked_flags+=(-Xswiftc -use-ld=lld)
    # Nothing looks a symbol of the program up by its name, and what is exported has to stay.
    release_flags+=(-Xswiftc -use-ld=lld -Xlinker --no-export-dynamic)
fi

say() { printf '\n==> %s\n' "$*"; }

note() { printf '    %s\n' "$*"; }

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

is_macos() { [ "$(uname -s)" = Darwin ]; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        die "this needs root and sudo is not here; as root, run: $*"
    fi
}

# Installs Debian or Ubuntu packages.
install_packages() {
    have apt-get || die "please install by hand (apt-get is not here): $*"
    note "installing $* with apt-get"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# libzmq with its header. The macOS branch has not been tried.
ensure_libzmq() {
    if is_macos; then
        have brew || die "Homebrew is needed to install libzmq: https://brew.sh"
        brew list zeromq >/dev/null 2>&1 && return
        note "installing zeromq with Homebrew"
        brew install zeromq
    elif [ ! -e /usr/include/zmq.h ] && [ ! -e /usr/local/include/zmq.h ]; then
        install_packages libzmq3-dev
    fi
}

# libcrypto of OpenSSL 3 with its headers. The macOS branch has not been tried.
ensure_libcrypto() {
    if is_macos; then
        have brew || die "Homebrew is needed to install OpenSSL: https://brew.sh"
        brew list openssl@3 >/dev/null 2>&1 && return
        note "installing openssl@3 with Homebrew"
        brew install openssl@3
    elif [ ! -e /usr/include/openssl/evp.h ] && [ ! -e /usr/local/include/openssl/evp.h ]; then
        install_packages libssl-dev
    fi
}

# libyaml with its header. The macOS branch has not been tried.
ensure_libyaml() {
    if is_macos; then
        have brew || die "Homebrew is needed to install libyaml: https://brew.sh"
        brew list libyaml >/dev/null 2>&1 && return
        note "installing libyaml with Homebrew"
        brew install libyaml
    elif [ ! -e /usr/include/yaml.h ] && [ ! -e /usr/local/include/yaml.h ]; then
        install_packages libyaml-dev
    fi
}

# Spin, which checks the model, and the C compiler that its checkers need. The macOS branch has not
# been tried.
ensure_spin() {
    if is_macos; then
        have spin || brew install spin
    else
        have spin || install_packages spin
        have cc || install_packages gcc libc6-dev
    fi
}

# Libfaketime, by which the fault tests step the calendar of a process. They do without where there
# is none: macOS does not preload it into signed programs.
ensure_faketime() {
    is_macos || have faketime || install_packages faketime
}

# Debian starts a package's service when it is installed. This has it not do so: the service would
# take a port that others need.
install_without_starting() {
    local policy=/usr/sbin/policy-rc.d ours=no
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod +x "$policy"
        ours=yes
    fi
    install_packages "$@"
    if [ "$ours" = yes ]; then as_root rm -f "$policy"; fi
}

# A real origin for the tests of reading through.
ensure_nginx() {
    is_macos || PATH=$PATH:/usr/sbin have nginx || install_without_starting nginx-light
}

# A member of etcd, and what gives it orders.
ensure_etcd() {
    is_macos || { have etcd && have etcdctl; } || install_without_starting etcd-server etcd-client
}

# Prometheus and promtool, for the metrics. The macOS branch has not been tried.
ensure_prometheus() {
    if is_macos; then
        have prometheus || brew install prometheus
    else
        have prometheus && have promtool || install_without_starting prometheus
    fi
}

# A browser, for the dashboard. The macOS branch has not been tried.
ensure_chromium() {
    if is_macos; then
        [ -n "${MARTLET_CHROMIUM:-}" ] || have chromium || brew install --cask chromium
    else
        [ -n "${MARTLET_CHROMIUM:-}" ] || have chromium || have google-chrome ||
            install_packages chromium
    fi
}

# What reads units and packet filters without loading them.
ensure_systemd_analyze() { have systemd-analyze || install_without_starting systemd; }

ensure_nft() { PATH=$PATH:/usr/sbin have nft || install_without_starting nftables; }

# The peers that Martlet is measured against, never started as services. The macOS branches have
# not been tried.
ensure_redis() {
    if is_macos; then
        have redis-server || brew install redis
    else
        have redis-server && have redis-benchmark ||
            install_without_starting redis-server redis-tools
    fi
}

ensure_memcached() {
    if is_macos; then
        have memcached || brew install memcached
    else
        have memcached || install_without_starting memcached
    fi
}

ensure_varnish() {
    is_macos || PATH=$PATH:/usr/sbin have varnishd || install_without_starting varnish
}

# A client of HTTP, and what makes a certificate for it to trust.
ensure_curl() { have curl && have openssl || install_packages ca-certificates curl openssl; }

ensure_wrk() { is_macos || have wrk || install_packages wrk; }

# Another, with a database behind it: PostgreSQL, and psycopg2 for the Python that ensure_pyzmq has
# found. The macOS branch has not been tried.
ensure_postgresql() {
    if is_macos; then
        have initdb || brew install postgresql
    elif ! have initdb && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
        install_without_starting postgresql
    fi
    "$MARTLET_PYTHON" -c 'import psycopg2' >/dev/null 2>&1 && return
    if [ "$MARTLET_PYTHON" = /usr/bin/python3 ] && have apt-get; then
        install_packages python3-psycopg2
    else
        note "installing psycopg2 with pip for $MARTLET_PYTHON"
        "$MARTLET_PYTHON" -m pip install --quiet psycopg2-binary
    fi
}

# A Swift toolchain. The branch that installs one needs a network and has not been tried.
ensure_swift() {
    have swift && return
    say "No Swift toolchain found: getting Swift $SWIFT_VERSION with swiftly"
    if is_macos; then
        brew install swiftly
        swiftly init --assume-yes --skip-install --quiet-shell-followup
        swiftly install --use "$SWIFT_VERSION"
        export PATH="$HOME/.swiftly/bin:$PATH"
    else
        install_swift_on_linux
    fi
    have swift || die "swift is still not found; see https://www.swift.org/install"
}

install_swift_on_linux() {
    have curl && have gpg || install_packages ca-certificates curl gnupg
    local work
    work=$(mktemp -d)
    curl -fsSL "https://download.swift.org/swiftly/linux/swiftly-$(uname -m).tar.gz" |
        tar -xz -C "$work"
    "$work/swiftly" init --assume-yes --skip-install --quiet-shell-followup
    # shellcheck source=/dev/null
    . "${SWIFTLY_HOME_DIR:-$HOME/.local/share/swiftly}/env.sh"
    # swiftly writes down the system packages that the toolchain wants; empty if none is missing.
    swiftly install --use "$SWIFT_VERSION" --post-install-file "$work/packages.sh"
    [ ! -s "$work/packages.sh" ] || as_root sh "$work/packages.sh"
    hash -r
    rm -rf "$work"
}

# A Python with modules; its path goes to MARTLET_PYTHON. Takes the modules, Debian's package of
# them (- for none), the folder for an environment, used if no package has them, and pip's words
# for them. Steps run beside each other, so each has a folder of its own.
ensure_python_with() {
    local modules=$1 package=$2 environment=$3 python
    shift 3
    for python in "${MARTLET_PYTHON:-python3}" /usr/bin/python3 "$environment/bin/python"; do
        if "$python" -c "import $modules" >/dev/null 2>&1; then
            export MARTLET_PYTHON="$python"
            return
        fi
    done
    if [ "$package" != - ] && ! is_macos && have apt-get; then
        install_packages python3 "$package"
        export MARTLET_PYTHON=/usr/bin/python3
        return
    fi
    note "installing $* with pip into $environment"
    ensure_environment "$environment"
    install_with_pip "$environment/bin/pip" "$@" || die "pip could not install $*"
    export MARTLET_PYTHON="$environment/bin/python"
}

# A package index that does not answer for a moment is asked again: after 5, 15 and 45 s.
install_with_pip() {
    local pip=$1 pause
    shift
    for pause in 5 15 45 0; do
        "$pip" install --quiet "$@" && return
        [ "$pause" = 0 ] || note "pip failed; trying again in $pause s"
        sleep "$pause"
    done
    return 1
}

# An environment of Python's with pip in it. One whose pip does not run is made anew.
ensure_environment() {
    ! "$1/bin/pip" --version >/dev/null 2>&1 || return 0
    rm -rf "$1"
    ! have python3 || ! python3 -m venv "$1" >/dev/null 2>&1 || return 0
    rm -rf "$1"
    install_packages python3 python3-venv
    /usr/bin/python3 -m venv "$1"
}

# For the conformance client. Takes the folder for an environment.
ensure_pyzmq() { ensure_python_with zmq python3-zmq "$1" pyzmq; }

# Reads what is sent to a terminal. Takes the folder for an environment.
ensure_pyte() { ensure_python_with pyte python3-pyte "$1" 'pyte==0.8.2'; }
