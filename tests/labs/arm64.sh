#!/usr/bin/env bash
# Sluice on arm64: the smoke program and the tests in QEMU's user emulation, which has no io_uring, and with rings on an emulated machine
# with Debian's kernel. Neither reorders accesses to memory as a processor does.
#   tests/labs/arm64.sh [--quick] [user|machine]
# --quick leaves out the tests of the library and the log.
# Needs Debian, its qemu-user, qemu-system-arm and busybox-static (which it installs), and the .NET SDK; what it cannot do it skips and says
# why. Ends with one line: N passed, N failed, N skipped
. "$(dirname "$0")/lab.sh"
. "$(dirname "$0")/machine.sh"
if [ "${1:-}" = --quick ]; then quick=true; shift; fi
only="${1:-}"
needs qemu-aarch64:qemu-user qemu-system-aarch64:qemu-system-arm busybox:busybox-static
publish linux-arm64 "$lab/arm64"
tests_into "$lab/arm64" Sluice.Uring.Tests Sluice.Tests Sluice.Log.Tests
unpack "$lab/libraries" bookworm arm64 libc6 libstdc++6 libgcc-s1 libssl3 || nothing "Debian's arm64 libraries cannot be fetched"

if [ "$only" != machine ]; then
  say "user emulation: $(qemu-aarch64 --version | head -n 1)"
  printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$lab/libraries" "$lab/arm64/Sluice.Labs" >"$lab/dotnet"
  chmod +x "$lab/dotnet"
  export PATH="$lab:$PATH" TMPDIR="$lab/files"
  mkdir "$TMPDIR"
  # The emulator does not see code that changes through another mapping of its page.
  export SLUICE_MODEL_STEPS=2000 DOTNET_EnableWriteXorExecute=0
  check "smoke program" qemu-aarch64 -L "$lab/libraries" "$lab/arm64/Sluice.AotSmoke"
  cat "$lab/said"
  check "layouts and constants" dotnet test "$lab/arm64/Sluice.Uring.Tests/Sluice.Uring.Tests.dll" "[.]Abi[.]"
  if ! "${quick:-false}"; then
    check "log" dotnet test "$lab/arm64/Sluice.Log.Tests/Sluice.Log.Tests.dll" "$LOG"
    check "whole files, copies, replacements" dotnet test "$lab/arm64/Sluice.Tests/Sluice.Tests.dll" "$FILES"
    check "handles" dotnet test "$lab/arm64/Sluice.Tests/Sluice.Tests.dll" "$HANDLES"
  fi
fi

if [ "$only" != user ]; then
  say "an emulated machine"
  system arm64 "$lab/arm64" && kernel bookworm arm64 6.1 || nothing "Debian's packages cannot be fetched"
  disk "$lab/disk" 1024
  steps >"$lab/script"
  runs "arm64" arm64 "$lab/script" $(disk_of "$lab/disk")
fi
finish
