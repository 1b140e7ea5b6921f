#!/usr/bin/env bash
# powercut-look.sh IMAGE RECORDS VERSION: what was acknowledged (tests/labs/powercut.sh) is in the file system, whole. The program that appends
# looks at each record of the log before it goes on behind the last. Uses the folder LAB.
set -euo pipefail
tests="$(cd "$(dirname "$0")/.." && pwd)" mounted="$LAB/mounted" opened="$LAB/opened"
mount -o loop "$1" "$mounted"
trap 'umount "$mounted"' EXIT
python3 - "$mounted/file" "$3" <<'PY'
import hashlib, pathlib, sys
path, version = pathlib.Path(sys.argv[1]), int(sys.argv[2])
if version or path.exists():
    content = path.read_bytes()
    assert hashlib.sha256(content[32:]).digest() == content[:32], "the replaced file is not whole"
    found = int.from_bytes(content[32:36], "little")
    assert found >= version, f"version {found}, acknowledged was {version}"
PY
: >"$opened"
dotnet exec "$tests/Sluice.Log.Tests/bin/Debug/net10.0/Sluice.Log.Tests.dll" append "$mounted/log" Durable >"$opened" & writer=$!
until grep -q '^open' "$opened" || ! kill -0 "$writer" 2>/dev/null; do sleep 0.05; done
kill -KILL "$writer" 2>/dev/null || true
wait "$writer" 2>/dev/null || true
next="$(awk '/^open/ { print $2; exit }' "$opened")"
echo "the log goes on with ${next:-nothing}"
[ "${next:-0}" -gt "$2" ]
