#!/usr/bin/env bash
# Sluice on other kernels: machines that QEMU emulates, with Debian's kernels, each with a disk of ext4. On each the smoke program runs on
# both engines, the tests of the rings, and some of the library and the log; where the kernel has it, io_uring is switched off by sysctl.
#   tests/labs/kernels.sh [--quick] [SUITE:VERSION...]    by default bullseye:5.10 bookworm:6.1 trixie:6.12 trixie-backports:7
# --quick leaves out the tests of the library and the log, which take a quarter of an hour and more for each kernel.
# Needs Debian, its qemu-system-x86 and busybox-static (which it installs), and the .NET SDK; what it cannot do it skips and says why.
# Ends with one line: N passed, N failed, N skipped
. "$(dirname "$0")/lab.sh"
. "$(dirname "$0")/machine.sh"
needs qemu-system-x86_64:qemu-system-x86 busybox:busybox-static
if [ "${1:-}" = --quick ]; then quick=true; shift; fi
[ $# -gt 0 ] || set -- bullseye:5.10 bookworm:6.1 trixie:6.12 trixie-backports:7
publish linux-x64 "$lab/programs"
tests_into "$lab/programs" Sluice.Uring.Tests Sluice.Tests Sluice.Log.Tests
system amd64 "$lab/programs" || nothing "Debian's packages cannot be fetched"
for pair in "$@"; do
  say "Debian's kernel ${pair#*:}"
  kernel "${pair%%:*}" amd64 "${pair#*:}" || { skip "no kernel ${pair#*:} in ${pair%%:*}"; continue; }
  disk "$lab/disk" 1024
  steps >"$lab/script"
  runs "${pair#*:}" amd64 "$lab/script" $(disk_of "$lab/disk")
done
finish
