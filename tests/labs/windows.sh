#!/usr/bin/env bash
# Sluice for Windows, under Wine: the smoke program and tests, on the thread pool. Tests that cannot pass there are left out by name and
# counted as skipped with the reason (windows-limits.txt, lines of NAME|REASON): those made for Unix, and those of what Wine does wrong, as
# the same call through System.IO shows.
#   tests/labs/windows.sh [ONLY]    a regular expression for Namespace.Class.Method in place of the handles, streams, files and copies
# Needs Debian, its wine64 (which it installs), and the .NET SDK; what it cannot do it skips and says why.
# Ends with one line: N passed, N failed, N skipped
. "$(dirname "$0")/lab.sh"
[ -x /usr/lib/wine/wine64 ] || needs wine64:wine64
wine=/usr/lib/wine/wine64
[ -x "$wine" ] || nothing "there is no wine64"
publish win-x64 "$lab/windows"
tests_into "$lab/windows" Sluice.Tests Sluice.Log.Tests
# Wine gives the runtime no two mappings of one page of code.
export WINEPREFIX="$lab/prefix" WINEDEBUG=-all DOTNET_EnableWriteXorExecute=0 SLUICE_MODEL_STEPS=2000 SLUICE_STREAM_MODEL_STEPS=2000
ends_wine() { /usr/lib/wine/wineserver64 -k 2>/dev/null || wineserver -k 2>/dev/null; ends; }
trap ends_wine EXIT
check "Wine starts: $("$wine" --version)" env WINEDLLOVERRIDES="mscoree,mshtml=" "$wine" wineboot -i || nothing "Wine does not start here"
"$wine" reg add 'HKCU\Software\Wine' /v Version /d win10 /f >"$lab/said"
"$wine" reg add 'HKCU\Software\Wine\WineDbg' /v ShowCrashDialog /t REG_DWORD /d 0 /f >"$lab/said"

limits="$(dirname "$0")/windows-limits.txt" not=""
while IFS='|' read -r name reason; do
  skip "$name: $reason"
  not="$not${not:+|}$name"
done <"$limits"
check "smoke program" "$wine" "$lab/windows/Sluice.AotSmoke.exe"
cat "$lab/said"
library="${1:-Conformance|DifferentialTests|ModelTests|OpenFileTests|AsFileStreamTests|FileLockTests|HardLinkTests|PortableCopyTests|ReplaceAtomicallyTests|Sluice(Reader|Writer)Tests}"
check "tests of the library" "$wine" "$lab/windows/Sluice.Labs.exe" test "$lab/windows/Sluice.Tests/Sluice.Tests.dll" "$library" "$not"
check "tests of the log" "$wine" "$lab/windows/Sluice.Labs.exe" test "$lab/windows/Sluice.Log.Tests/Sluice.Log.Tests.dll" \
  "${1:-SluiceLogTests|ClockTests|TruncationTests}" "$not"
finish
