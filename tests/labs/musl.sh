#!/usr/bin/env bash
# Sluice with musl, the C library of Alpine Linux: Debian's musl has every function that Sluice imports; and the smoke program and the tests
# of the rings run with it and with the runtime for musl, in a root of its own. Debian has no libstdc++ and libgcc_s for musl: those for
# glibc are taken, with musl.c for what they lack.
#   tests/labs/musl.sh
# Needs root, Debian on x86-64, gcc, binutils and python3 (which it installs), and the .NET SDK; what it cannot do it skips and says why.
# Ends with one line: N passed, N failed, N skipped
. "$(dirname "$0")/lab.sh"
here="$(dirname "$0")" tree="$lab/root"
needs nm:binutils python3:python3 gcc:gcc
unpack "$lab/debian" bookworm amd64 musl libstdc++6 libgcc-s1 || nothing "Debian's packages cannot be fetched"
mkdir -p "$tree"/{lib,tmp,proc,sys,dev,bin}
cp -L "$lab"/debian/lib/x86_64-linux-musl/libc.so "$tree/lib/ld-musl-x86_64.so.1"
python3 "$here/calls.py" "$root/src" >"$lab/calls" || { fails "imports that are not understood"; finish; }
nm -D --defined-only "$tree/lib/ld-musl-x86_64.so.1" | awk '{ print $3 }' | sort >"$lab/has"
complete() { comm -23 "$lab/calls" "$lab/has" >"$lab/lacks"; wc -l <"$lab/calls"; [ ! -s "$lab/lacks" ] || { echo "musl lacks:"; cat "$lab/lacks"; return 1; }; }
export lab tree
export -f complete
check "the functions that Sluice imports are in musl" bash -c complete

[ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || nothing "a root of its own needs root and namespaces"
publish linux-musl-x64 "$tree/lab"
tests_into "$tree/lab" Sluice.Uring.Tests
cp -L "$lab"/debian/usr/lib/x86_64-linux-gnu/libstdc++.so.6 "$lab"/debian/lib/x86_64-linux-gnu/libgcc_s.so.1 "$tree/lib"
ln -s ld-musl-x86_64.so.1 "$tree/lib/libc.musl-x86_64.so.1"
gcc -shared -fPIC -O1 -nostdlib -o "$tree/lib/musl.so" "$here/musl.c" && ln -s musl.so "$tree/lib/ld-linux-x86-64.so.2" || nothing "gcc does not compile"
in_root() { mount --rbind /proc "$tree/proc" && mount --rbind /dev "$tree/dev" && exec chroot "$tree" /bin/env LD_PRELOAD=/lib/musl.so "$@"; }
unpack "$lab/busybox" bookworm amd64 busybox-static && cp "$lab/busybox/bin/busybox" "$tree/bin/env"
export -f in_root
check "smoke program" unshare --mount bash -c 'in_root "$@"' - /lab/Sluice.AotSmoke
cat "$lab/said"
check "smoke program, thread pool" unshare --mount bash -c 'in_root "$@"' - SLUICE_ENGINE=pool /lab/Sluice.AotSmoke
check "rings" unshare --mount bash -c 'in_root "$@"' - /lab/Sluice.Labs test /lab/Sluice.Uring.Tests/Sluice.Uring.Tests.dll
finish
