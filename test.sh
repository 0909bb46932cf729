#!/usr/bin/env bash
# Installs what the tests need, and passes them all: formats, lints, the tests
# of the crate, the scenarios with the real client, a new user's first session
# with it, and its terminal interface.
#
#   ./test.sh              everything
#   ./test.sh --no-client  all but the real client
#   ./test.sh --clients    the other agents as well (1.2 GB from npm)
set -euo pipefail
cd "$(dirname "$0")"

with_client=yes
with_others=no
for arg in "$@"; do
    case $arg in
        --no-client) with_client=no ;;
        --clients) with_others=yes ;;
        *) echo "usage: ./test.sh [--no-client | --clients]" >&2; exit 2 ;;
    esac
done

need() {
    command -v "$1" >/dev/null 2>&1 && return
    echo "test.sh: $1 is needed: $2" >&2
    exit 1
}
need cargo "install Rust from your package manager or with rustup"
need git "the tests work in real repositories"
for part in rustfmt clippy; do
    cargo "${part/rustfmt/fmt}" --version >/dev/null 2>&1 && continue
    rustup component add "$part"
done

step() { printf '\n== %s\n' "$*"; }

step "format and lints"
cargo fmt --check
cargo clippy --locked --all-targets -- -D warnings

step "the reference memory server"
if command -v npm >/dev/null 2>&1; then
    tests/memory-server/install.sh
else
    echo "test.sh: npm is not there, so the tests with the real memory server are skipped" >&2
fi

step "a browser, for the page of statistics"
if ! command -v chromium >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing chromium"
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; } ||
        echo "test.sh: chromium could not be installed, so the test with a browser is skipped" >&2
fi

step "the crate's tests"
cargo test --locked

[ "$with_client" = yes ] || exit 0

step "the real client"
if [ "$(uname -s)" != Linux ]; then
    echo "test.sh: the scenarios with the real client need Linux (a network of their own); skipped" >&2
    exit 0
fi
need python3 "the scenarios are played by it"
need npm "the client comes from the npm registry"
tests/client/install.sh
# The binary as it is shipped, in a quicker build.
target=$(rustc -vV | sed -n 's/^host: //p')
case $(rustup target list --installed 2>/dev/null || true) in
    *"${target/-gnu/-musl}"*) target=${target/-gnu/-musl} ;;
esac
cargo build --locked --profile quick --target "$target"
export ROZ_BIN="$PWD/target/$target/quick/roz"
tests/client/run.py

step "a new user's first session"
tests/client/first_session.py --check

step "the client's terminal interface"
if ! command -v tmux >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing tmux"
    apt-get update -qq && apt-get install -qq -y tmux || echo "test.sh: tmux could not be installed" >&2
fi
tests/client/terminal.py --check

[ "$with_others" = yes ] || exit 0

step "the other agents"
# One that cannot be installed is named, and its session counts as not run.
tests/agents/install.sh || echo "test.sh: not every agent could be installed" >&2
tests/agents/run.py
