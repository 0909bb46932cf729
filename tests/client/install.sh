#!/bin/sh
# Installs the versions of the client that roz is tested with, each into
# .clients/<version>/ beside this file. Quick when they are there already.
set -eu
cd "$(dirname "$0")"

for version in ${CLIENT_VERSIONS:-2.1.197 2.1.330}; do
    client=".clients/$version/node_modules/.bin/claude"
    if [ -x "$client" ] && HOME=/nonexistent "$client" --version 2>/dev/null | grep -qF "$version"; then
        continue
    fi
    command -v npm >/dev/null || { echo "install.sh: npm is needed to install the client $version" >&2; exit 1; }
    echo "installing the client $version"
    mkdir -p ".clients/$version"
    npm install --loglevel=error --no-audit --no-fund --prefix ".clients/$version" "@anthropic-ai/claude-code@$version"
    "$client" --version | grep -qF "$version" || { echo "install.sh: the client $version does not run" >&2; exit 1; }
done
