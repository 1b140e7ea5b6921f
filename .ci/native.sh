#!/usr/bin/env bash
# native.sh FOLDER [tool]: publishes the smoke test as a native program into FOLDER, where it is built, and runs it on both engines.
# With "tool" the command is published and run instead: it is not shipped so, and its compilation takes longest.
set -euo pipefail
folder="$1"
rid="linux-$(uname -m | sed -e s/x86_64/x64/ -e s/aarch64/arm64/)"

publish() {
  dotnet publish "$1" -c Release -r "$rid" -p:PublishAot=true -p:RunAnalyzers=false -v quiet \
    --artifacts-path "$folder/build" -o "$folder/$(basename "$1")"
}

if [ "${2:-}" != tool ]; then
  publish tests/Sluice.AotSmoke
  "$folder/Sluice.AotSmoke/Sluice.AotSmoke"
  SLUICE_ENGINE=pool "$folder/Sluice.AotSmoke/Sluice.AotSmoke"
  exit
fi

publish src/Sluice.Cli
tool="$folder/Sluice.Cli/Sluice.Cli"
"$tool" --help
"$tool" copy README.md "$folder/copied"
cmp README.md "$folder/copied"
mkdir "$folder/bench"
"$tool" bench "$folder/bench" --quick --json "$folder/bench.json"
[ -s "$folder/bench.json" ] && [ -z "$(ls -A "$folder/bench")" ]
