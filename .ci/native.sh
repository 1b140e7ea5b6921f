#!/usr/bin/env bash
# native.sh FOLDER: publishes the tool and the smoke test as native programs into FOLDER, and runs them. Release has been built.
set -euo pipefail
folder="$1"
rid="linux-$(uname -m | sed -e s/x86_64/x64/ -e s/aarch64/arm64/)"
for project in src/Sluice.Cli tests/Sluice.AotSmoke; do
  dotnet publish "$project" -c Release -r "$rid" -p:PublishAot=true -p:RunAnalyzers=false -v quiet \
    --artifacts-path "$folder/build" -o "$folder/$(basename "$project")"
done
"$folder/Sluice.AotSmoke/Sluice.AotSmoke"
SLUICE_ENGINE=pool "$folder/Sluice.AotSmoke/Sluice.AotSmoke"
tool="$folder/Sluice.Cli/Sluice.Cli"
"$tool" --help
"$tool" copy README.md "$folder/copied"
cmp README.md "$folder/copied"
mkdir "$folder/bench"
"$tool" bench "$folder/bench" --quick --json "$folder/bench.json"
[ -s "$folder/bench.json" ] && [ -z "$(ls -A "$folder/bench")" ]
