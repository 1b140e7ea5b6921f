#!/usr/bin/env bash
# The library's whole suite with little to live on; for a long run, not for CI. From the repository's root, after `dotnet build`:
#   tests/Sluice.Hostile.Tests/starved.sh threads|descriptors|nobody [CONFIGURATION] [PARTS OF NAMES...]
# It runs without a test host, whose own threads and descriptors would be counted. Tests that start more than they are given here say so.
set -euo pipefail
way="$1" configuration="${2:-Debug}"
shift; [ $# -gt 0 ] && shift
suite=(dotnet exec "$PWD/tests/Sluice.Tests/bin/$configuration/net10.0/Sluice.Tests.dll" suite "$@")
case "$way" in
  # One test after the other: the threads that xunit has for several are the pool's.
  threads)
    export DOTNET_ThreadPool_ForceMaxWorkerThreads="${SLUICE_STARVED_THREADS:-2}" SLUICE_ONE_TEST_AT_A_TIME=1
    exec "${suite[@]}" ;;
  # A runtime that has started has about 120 open, with xunit and the test assemblies; without any it ends itself.
  descriptors) export SLUICE_ONE_TEST_AT_A_TIME=1 SLUICE_COLLECT_BETWEEN_TESTS=1; ulimit -n "${SLUICE_STARVED_DESCRIPTORS:-220}"; exec "${suite[@]}" ;;
  nobody) TMPDIR="$(mktemp -d)"; chmod 777 "$TMPDIR"; export TMPDIR; exec setpriv --reuid 65534 --regid 65534 --clear-groups "${suite[@]}" ;;
  *) echo "threads, descriptors or nobody" >&2; exit 2 ;;
esac
