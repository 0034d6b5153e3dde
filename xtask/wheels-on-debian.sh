#!/bin/bash
# Installs what `make dist` or `make wheels` has made on bare systems of Debian 11, 12 and 13, and runs it there.
#
#     cargo xtask wheels-on-debian [bullseye] [bookworm] [trixie]
#
# Each root has python3 and python3-venv alone. The wheel is installed into a new virtual environment. All programs of
# docs/python.md run on 4 ranks, by the tool of the wheel, without a compiler. Then gcc, pkg-config and CMake are added. C programs
# are compiled against the wheel, and against the Debian packages if they are there.
#
# The script needs root, debootstrap, unshare and the network: PyPI for NumPy, Debian's packages. The roots are kept in
# target/debian and never change: all writes go to a file system in memory. All mounts end with the script.
set -euo pipefail

HERE=$(cd "$(dirname "$0")/.." && pwd)
DIST=$HERE/target/dist
ROOTS=$HERE/target/debian

die() {
    echo "wheels-on-debian: $*" >&2
    exit 1
}

# Makes a root once. It is renamed into place, so that an interrupted run leaves no half-made root.
make_root() {
    local suite=$1 root=$ROOTS/$1
    [ -e "$root/usr/bin/python3" ] && return
    echo "wheels-on-debian: debootstrap of $suite"
    rm -rf "$root" "$root.partial"
    mkdir -p "$ROOTS"
    debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root.partial" ${DEBIAN_MIRROR:-} >"$root.log" 2>&1 ||
        die "debootstrap of $suite failed; its last lines:"$'\n'"$(tail -n 5 "$root.log")"
    rm -rf "$root.partial"/var/cache/apt/archives/*.deb
    mv "$root.partial" "$root"
}

# Shows a file or folder of this machine inside the root at the same path, read-only.
show() {
    [ -e "$1" ] || return 0
    if [ -d "$1" ]; then mkdir -p "$ROOT$1"; else mkdir -p "$ROOT${1%/*}"; [ -e "$ROOT$1" ] || : >"$ROOT$1"; fi
    mount --bind "$1" "$ROOT$1"
    mount -o remount,bind,ro "$ROOT$1"
}

# Runs in the namespaces: mounts everything, and goes on in the root.
mounts() {
    local suite=$1 name value settings=() folder device
    local memory=$ROOTS/memory
    mkdir -p "$memory"
    mount -t tmpfs tmpfs "$memory"
    mkdir "$memory"/{changes,work,root}
    ROOT=$memory/root
    mount -t overlay -o "lowerdir=$ROOTS/$suite,upperdir=$memory/changes,workdir=$memory/work" overlay "$ROOT"
    for folder in /etc/resolv.conf /etc/hosts /etc/ssl/certs /etc/pip.conf /etc/apt/apt.conf.d "$HOME/.config/pip" "$HOME/.pip"; do
        show "$folder"
    done
    while IFS='=' read -r name value; do
        case $name in
            PIP_* | SSL_CERT_* | *_proxy | *_PROXY)
                case $value in /*) show "$value" ;; esac
                settings+=("$name=$value")
                ;;
        esac
    done < <(env)
    mkdir -p "$ROOT/repository" "$ROOT/dist"
    mount --bind "$DIST" "$ROOT/dist"
    for folder in docs xtask c-examples; do mkdir -p "$ROOT/repository/$folder"; mount --bind "$HERE/$folder" "$ROOT/repository/$folder"; done
    mount -t proc proc "$ROOT/proc"
    mount -t sysfs -o ro sysfs "$ROOT/sys"
    mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
    mount -t tmpfs tmpfs "$ROOT/dev"
    mkdir "$ROOT/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$ROOT/dev/shm"
    ln -s /proc/self/fd "$ROOT/dev/fd"
    for device in null zero full random urandom; do : >"$ROOT/dev/$device"; mount --bind "/dev/$device" "$ROOT/dev/$device"; done
    exec chroot "$ROOT" /usr/bin/env -i HOME="$HOME" PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        "${settings[@]}" /bin/bash /repository/xtask/wheels-on-debian.sh --commands
}

passed() {
    echo "wheels-on-debian: $(. /etc/os-release && echo "$PRETTY_NAME"), $(python3 --version): $*"
}

# Runs in the root.
commands() {
    cd /tmp
    # shellcheck source=xtask/wheel-test.sh
    . /repository/xtask/wheel-test.sh
    ! command -v cc >/dev/null || die "there is a compiler, which the test without one would use"
    python3 -m venv /tmp/venv
    PATH=/tmp/venv/bin:$PATH
    without_compiler
    apt-get -qq update >/dev/null
    apt-get -qq install --no-install-recommends gcc libc6-dev pkg-config cmake make >/tmp/apt.log 2>&1 || die "$(tail -n 5 /tmp/apt.log)"
    with_compiler
    ls /dist/*.deb >/dev/null 2>&1 && debian_packages
    [ -z "$(ls -A /dev/shm)" ] || die "left behind in /dev/shm: $(ls -A /dev/shm)"
}

case ${1:-} in
    --mounts) shift; mounts "$@" ;;
    --commands) commands ;;
    *)
        [ "$(id -u)" = 0 ] || die "needs root, for debootstrap and chroot"
        for tool in debootstrap unshare; do command -v $tool >/dev/null || die "$tool is missing"; done
        ls "$DIST"/anyccl-*.whl >/dev/null 2>&1 || die "target/dist has no wheel: make wheels"
        [ $# -gt 0 ] || set -- bullseye bookworm trixie
        for suite in "$@"; do make_root "$suite"; done
        trap 'kill -9 $! 2>/dev/null; exit 130' INT TERM HUP
        failed=
        for suite in "$@"; do
            # In the background, so that a signal is handled at once. All processes of the namespace end with its first one.
            unshare --mount --pid --fork --kill-child "$0" --mounts "$suite" &
            wait $! || { failed="$failed $suite"; echo "wheels-on-debian: $suite failed"; }
        done
        [ -z "$failed" ] || die "failed:$failed"
        echo "wheels-on-debian: passed: $*"
        ;;
esac
