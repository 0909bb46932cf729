#!/bin/sh
# Installs the reference memory server that roz is tested with, into
# node_modules/ beside this file. Quick when it is there already.
set -eu
cd "$(dirname "$0")"

version=2026.8.31
package=@modelcontextprotocol/server-memory
if grep -qsF "\"version\": \"$version\"" "node_modules/$package/package.json"; then
    exit 0
fi
command -v npm >/dev/null || { echo "install.sh: npm is needed to install $package" >&2; exit 1; }
echo "installing $package $version"
npm install --loglevel=error --no-audit --no-fund --no-save --no-package-lock --prefix . "$package@$version"
