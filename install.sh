#!/usr/bin/env bash
# Builds roz from this checkout, installs it, wires the client, and ends with
# `roz doctor`. May be run again.
set -euo pipefail

usage() {
    cat <<'EOF'
Usage: ./install.sh [--prefix DIR] [--binary FILE] [--no-client]

  --prefix DIR   install to DIR/bin (default: ~/.local)
  --binary FILE  install this one, and build nothing
  --no-client    leave the client alone: no `roz install`
EOF
}

say() { printf '%s\n' "install.sh: $*"; }
die() { printf '%s\n' "install.sh: $*" >&2; exit "${2:-1}"; }

prefix=
built=
client=yes
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) [ -n "${2:-}" ] || { usage >&2; exit 2; }; prefix=$2; shift 2 ;;
        --prefix=?*) prefix=${1#--prefix=}; shift ;;
        --binary)
            [ -f "${2:-}" ] || { usage >&2; exit 2; }
            built=$(cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
            shift 2
            ;;
        --no-client) client=no; shift ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || die 'HOME is not set; name a folder with --prefix'
    prefix=$HOME/.local
fi
mkdir -p -- "$prefix/bin"
bin=$(cd -- "$prefix/bin" && pwd)

cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

has_target() {
    local libdir
    libdir=$(rustc --print target-libdir --target "$1" 2>/dev/null) && [ -d "$libdir" ]
}

# Prints the binary that cargo made, as cargo names it: the target folder may be
# anywhere.
cargo_build() {
    cargo build --release --locked --bin roz --message-format=json-render-diagnostics "$@" |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
}

# Builds this checkout, and says in `built` and `kind` what came of it.
build() {
    if ! command -v cargo >/dev/null 2>&1 && [ -f "${CARGO_HOME:-${HOME:-}/.cargo}/env" ]; then
        # shellcheck disable=SC1091
        . "${CARGO_HOME:-$HOME/.cargo}/env"
    fi
    command -v cargo >/dev/null 2>&1 || die 'cargo is not on PATH; https://rustup.rs installs it'

    # A static binary starts in a third of the time, and a hook is little else
    # than a start.
    local musl=
    if [ "$(uname -s)" = Linux ]; then
        case $(uname -m) in
            x86_64 | amd64) musl=x86_64-unknown-linux-musl ;;
            aarch64 | arm64) musl=aarch64-unknown-linux-musl ;;
        esac
    fi
    if [ -n "$musl" ] && ! has_target "$musl" && command -v rustup >/dev/null 2>&1; then
        say "adding the target $musl"
        rustup target add "$musl" >/dev/null 2>&1 || true
    fi
    if [ -n "$musl" ] && has_target "$musl"; then
        if built=$(cargo_build --target "$musl") && [ -n "$built" ]; then
            kind="static ($musl)"
            return
        fi
        say "the static build failed; a C compiler (cc) may be missing (Debian: gcc)"
    fi
    built=$(cargo_build) || die 'the build failed'
    [ -n "$built" ] || die 'the build made no binary'
    kind='dynamic, for this machine'
    [ -z "$musl" ] || say "no static build: hooks start slower (rustup target add $musl)"
}

kind='built before'
[ -n "$built" ] || build

# The old binary may be running: put the new one beside it, then in its place.
new=$(mktemp "$bin/.roz.XXXXXX")
trap 'rm -f -- "$new"' EXIT
cp -- "$built" "$new" || die "$new cannot be written: is the disk full?"
chmod 755 "$new"
mv -f -- "$new" "$bin/roz"
trap - EXIT
say "installed $("$bin/roz" --version) to $bin/roz: $kind"

case ":$PATH:" in
    *":$bin:"*) ;;
    *)
        say "$bin is not on your PATH, and you will want \`roz\` there: add"
        # shellcheck disable=SC2016
        printf '    export PATH="%s:$PATH"\n' "$bin"
        say "to your shell's profile"
        ;;
esac

if [ "$client" = no ]; then
    say "the client is left alone; \`roz install\` wires it"
    exec "$bin/roz" doctor --no-client
fi
if command -v claude >/dev/null 2>&1; then
    "$bin/roz" install
else
    say "no client (\`claude\`) on PATH; once there is one: roz install"
    exec "$bin/roz" doctor --no-client
fi
exec "$bin/roz" doctor
