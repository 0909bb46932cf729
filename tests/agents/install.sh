#!/usr/bin/env bash
# Installs the other agents that roz is tested with, each at one pinned version, into
# .clients/<name>/ beside this file. Quick when they are there already. Named ones only, where some
# are named. One that cannot be installed is named, and the others go on.
set -uo pipefail
cd "$(dirname "$0")"

packages() {
    case $1 in
        node) echo node@26.10.0 ;;
        codex) echo @openai/codex@0.171.0 ;;
        copilot) echo @github/copilot@1.0.102 ;;
        qwen) echo @qwen-code/qwen-code@0.24.4 ;;
        gemini) echo @google/gemini-cli@0.61.0 ;;
        opencode) echo opencode-ai@1.18.33 ;;
        *) return 1 ;;
    esac
}

command -v npm >/dev/null || { echo "install.sh: npm is needed to install the agents" >&2; exit 1; }
failed=0
for name in node "${@:-codex copilot qwen gemini opencode}"; do
    for name in $name; do
        package=$(packages "$name") || { echo "install.sh: no agent \`$name\`" >&2; exit 2; }
        [ -f ".clients/$name/$package" ] && continue
        echo "installing $package"
        mkdir -p ".clients/$name"
        # Qwen Code and Gemini CLI want a newer Node than there may be; it is brought along.
        if npm install --loglevel=error --no-audit --no-fund --engine-strict=false \
            --prefix ".clients/$name" "$package" >".clients/$name/install.log" 2>&1; then
            mkdir -p "$(dirname ".clients/$name/$package")"
            touch ".clients/$name/$package"
        else
            echo "install.sh: $package cannot be installed (.clients/$name/install.log)" >&2
            failed=1
        fi
    done
done
exit "$failed"
