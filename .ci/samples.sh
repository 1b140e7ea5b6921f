#!/usr/bin/env bash
# samples.sh FOLDER: runs each sample in FOLDER. A sample checks its own result.
set -euo pipefail
root="$PWD"
cd "$1"
for sample in "$root"/samples/*/; do
  name="$(basename "$sample")"
  echo "-- $name"
  timeout 240 dotnet "${sample}bin/Debug/net10.0/$name.dll"
done
