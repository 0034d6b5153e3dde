#!/bin/bash
# Runs `make demo` and `make test` on a bare Debian 12. The clone of HEAD lies in a new root folder, which has only gcc, g++, make,
# python3 and, mounted, the Rust toolchain of this machine. The script needs root, debootstrap and unshare.
#
#     cargo xtask bare-machine [demo] [test]
#
# The root is read-only: only the clone, the home folder and temporary files can change. `make demo` has no network after
# `cargo fetch`. The settings by which this machine reaches crates.io and PyPI (certificates, proxies, cargo and pip) apply inside,
# too. Everything lies in target/bare-machine, or in BARE_MACHINE. Root, home and clone are kept, so that a second run downloads
# little and the clone of a failed run can be inspected. All mounts are in a namespace of this script, so they always end with it.
set -euo pipefail

HERE=$(cd "$(dirname "$0")/.." && pwd)
WORK=${BARE_MACHINE:-$HERE/target/bare-machine}
ROOT=$WORK/root
PACKAGES=gcc,g++,make,python3
# The home folder inside.
INSIDE_HOME=/root

die() {
    echo "bare-machine: $*" >&2
    exit 1
}

# Makes the root with debootstrap, once. The root is renamed into place, so that an interrupted run leaves no half-made root.
make_root() {
    [ -e "$ROOT/usr/bin/python3" ] && return
    echo "bare-machine: debootstrap, with $PACKAGES"
    rm -rf "$ROOT" "$ROOT.partial"
    mkdir -p "$WORK"
    debootstrap --variant=minbase --include="$PACKAGES" bookworm "$ROOT.partial" ${DEBIAN_MIRROR:-} \
        >"$WORK/debootstrap.log" 2>&1 || die "debootstrap failed; its last lines:"$'\n'"$(tail -n 5 "$WORK/debootstrap.log")"
    rm -rf "$ROOT.partial"/var/cache/apt/archives/*.deb
    mv "$ROOT.partial" "$ROOT"
}

make_clone() {
    [ -z "$(git -C "$HERE" status --porcelain)" ] || echo "bare-machine: warning: uncommitted changes are not tested"
    rm -rf "$WORK/src"
    git clone --quiet --depth 1 "file://$HERE" "$WORK/src"
    mkdir -p "$WORK/home" "$ROOT/src" "$ROOT$INSIDE_HOME"
}

# Mounts a file or folder of this machine inside the root, read-only, at the same path or at $2.
show() {
    local inside=$ROOT${2:-$1}
    [ -e "$1" ] || return 0
    if [ -d "$1" ]; then mkdir -p "$inside"; else mkdir -p "${inside%/*}"; [ -e "$inside" ] || : >"$inside"; fi
    mount --bind "$1" "$inside"
    mount -o remount,bind,ro "$inside"
}

# Runs in the namespaces. Mounts everything and runs the commands.
inside() {
    local name value settings=()
    mount --bind "$ROOT" "$ROOT"
    show "$(rustc --print sysroot)" /opt/rust
    show /etc/resolv.conf
    show /etc/hosts
    show /etc/ssl/certs
    show /etc/pip.conf
    mount --bind "$WORK/src" "$ROOT/src"
    mount --bind "$WORK/home" "$ROOT$INSIDE_HOME"
    show "$HOME/.config/pip" "$INSIDE_HOME"/.config/pip
    show "$HOME/.pip" "$INSIDE_HOME"/.pip
    show "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$INSIDE_HOME"/.cargo/config.toml
    while IFS='=' read -r name value; do
        case $name in
            CARGO_REGISTR* | CARGO_SOURCE_* | CARGO_HTTP_* | CARGO_NET_* | CARGO_BUILD_JOBS | PIP_* | SSL_CERT_* | *_proxy | *_PROXY)
                case $value in /*) show "$value" ;; esac
                settings+=("$name=$value")
                ;;
        esac
    done < <(env)
    mount -t proc proc "$ROOT/proc"
    mount -t sysfs -o ro sysfs "$ROOT/sys"
    local folder device
    for folder in tmp run var/tmp dev; do mount -t tmpfs -o mode=1777 tmpfs "$ROOT/$folder"; done
    mkdir "$ROOT/dev/shm" "$ROOT/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$ROOT/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$ROOT/dev/pts"
    ln -s pts/ptmx "$ROOT/dev/ptmx"
    ln -s /proc/self/fd "$ROOT/dev/fd"
    for device in null zero full random urandom tty; do : >"$ROOT/dev/$device"; mount --bind "/dev/$device" "$ROOT/dev/$device"; done
    mount -o remount,bind,ro "$ROOT"
    exec chroot "$ROOT" /usr/bin/env -i HOME="$INSIDE_HOME" PATH=/opt/rust/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 \
        "${settings[@]}" /bin/bash /src/xtask/bare-machine.sh --commands "$@"
}

# Runs in the new root. Runs the commands, and prints their times and the files that they leave behind.
commands() {
    cd /src
    local command left failed=0
    TIMEFORMAT='%0R s, of processors %0U s and %0S s in the kernel'
    cargo fetch --quiet --locked
    for command in "$@"; do
        echo; echo "bare-machine: make $command"
        local offline=()
        [ "$command" = demo ] && offline=(unshare --net bash -c "$LOOPBACK"' && exec "$@"' bash)
        if time "${offline[@]}" make "$command"; then echo "bare-machine: make $command passed"
        else failed=1; echo "bare-machine: make $command failed"; fi
        echo "bare-machine: target/ has $(du -sh target | cut -f 1)"
        # MPICH itself leaves files there.
        left=$(find /dev/shm -name '*anyccl*')
        [ -z "$left" ] || { failed=1; echo "bare-machine: left behind: $left"; }
    done
    return $failed
}

# In a new network namespace, lo is down. The root has no ip(8) to set it up.
LOOPBACK='python3 -c "
import fcntl, socket, struct
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack(\"16sh14x\", b\"lo\", 0x1 | 0x40))  # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING
"'

case ${1:-} in
    --inside) shift; inside "$@" ;;
    --commands) shift; commands "$@" ;;
    *)
        [ "$(id -u)" = 0 ] || die "needs root, for debootstrap and chroot"
        for tool in debootstrap unshare git rustc; do
            command -v $tool >/dev/null || die "$tool is missing"
        done
        [ $# -gt 0 ] || set -- demo test
        make_root
        make_clone
        # Runs in the background, so that the script handles a signal at once. All processes of the namespace end with its first process.
        unshare --mount --pid --fork --kill-child "$0" --inside "$@" &
        trap 'kill -9 $! 2>/dev/null; exit 130' INT TERM HUP
        wait $!
        ;;
esac
