#!/usr/bin/env bash
# Cuts of the power, on a disk with a volatile write cache: on an emulated machine a log and a file that is replaced are written with
# durability, and QEMU logs each write and each flush of its disk (blklogwrites). Each cut is a state of that disk that the log allows: all
# writes before a flush, and of those after it a random part. What the two programs had acknowledged until then has to be there. The
# machine is killed in the end, and the disk that it leaves is looked at, too.
#   tests/labs/powercut.sh [CUTS [SECONDS]]    by default 100 cuts of 60 seconds of writing
# Needs root, Debian, its qemu-system-x86 and busybox-static (which it installs), and the .NET SDK; what it cannot do it skips and says why.
# Ends with one line: N passed, N failed, N skipped
[ -n "${LAB_MOUNTS:-}" ] || [ "$(id -u)" -ne 0 ] || LAB_MOUNTS=own exec unshare --mount "$0" "$@"
. "$(dirname "$0")/lab.sh"
. "$(dirname "$0")/machine.sh"
cuts="${1:-100}" seconds="${2:-60}"
[ "$(id -u)" -eq 0 ] || nothing "mounts need root"
needs qemu-system-x86_64:qemu-system-x86 busybox:busybox-static python3:python3
publish linux-x64 "$lab/programs"
tests_into "$lab/programs" Sluice.Log.Tests Sluice.Faults.Child
system amd64 "$lab/programs" || nothing "Debian's packages cannot be fetched"
kernel bookworm amd64 6.1 || nothing "Debian's kernel cannot be fetched"

# The last 4 KiB of the disk are no part of its file system: there is what was acknowledged last.
truncate -s 128M "$lab/disk" && mkfs.ext4 -q -b 4096 "$lab/disk" $((128 * 256 - 1)) && cp "$lab/disk" "$lab/base"
cat >"$lab/script" <<'STEPS'
exec 2>/dev/console
dotnet exec /lab/Sluice.Log.Tests/Sluice.Log.Tests.dll append /disk/log Durable >/tmp/log &
dotnet exec /lab/Sluice.Faults.Child/Sluice.Faults.Child.dll replace /disk/file 1 >/tmp/file &
while :; do
  # Of four threads that append, each says its own; the last line may be half a line.
  records="$(tail -n 9 /tmp/log | sed -n 's/^\([0-9]*\) [0-9]* [0-9]*$/\1/p' | sort -n | tail -n 1)"
  version="$(tail -n 3 /tmp/file | grep '^[0-9]*$' | tail -n 1)"
  printf '%s\n' "${records:-0} ${version:-0}" | dd of=/dev/vda bs=4096 seek=32767 count=1 conv=sync,notrunc oflag=direct 2>/dev/null
  echo "lab acknowledged: ${records:-0} ${version:-0}"
  usleep 50000
done
STEPS

say "$seconds s of writing on ext4, Debian's kernel 6.1"
: >"$lab/writes"
(machine amd64 "$lab/script" -blockdev "driver=file,node-name=data,filename=$lab/disk" -blockdev "driver=file,node-name=log,filename=$lab/writes" \
  -blockdev driver=blklogwrites,node-name=logged,file=data,log=log -device virtio-blk-pci,drive=logged) >"$lab/console" 2>&1 & child=$!
for _ in $(seq 600); do grep -q 'acknowledged: [1-9][0-9]* [1-9]' "$lab/console" && break; sleep 1; done
grep -q 'acknowledged: [1-9][0-9]* [1-9]' "$lab/console" || { fails "nothing is acknowledged"; tail -n 40 "$lab/console"; finish; }
sleep "$seconds"
kill -KILL "$(cat "$lab/qemu.pid")"
wait "$child"
child=""
last="$(tr -d '\r' <"$lab/console" | sed -n 's/^lab acknowledged: //p' | tail -n 1)"
echo "acknowledged when the machine was killed: records up to ${last% *}, version ${last#* }"

mkdir "$lab/mounted"
export LAB="$lab"
look="$(dirname "$0")/powercut-look.sh"

check "the killed machine's disk" "$look" "$lab/disk" $last
seed="${SLUICE_LAB_SEED:-$RANDOM}"
say "$cuts cuts, seed $seed"
coproc cutter { python3 "$(dirname "$0")/powercut.py" "$lab/base" "$lab/writes" "$lab/image" "$cuts" "$seed"; }
while read -r lost records version <&"${cutter[0]}"; do
  check "cut: $lost writes lost, acknowledged records up to $records, version $version" "$look" "$lab/image" "$records" "$version"
  echo >&"${cutter[1]}"
done
finish
