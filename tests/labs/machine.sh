# shellcheck shell=bash disable=SC2154
# A machine that QEMU emulates: one of Debian's kernels, and in its memory busybox, the C library and what `publish` made. Read after lab.sh
# by arm64.sh, kernels.sh and powercut.sh.

# archive FOLDER FILE: what the kernel unpacks into its root; it takes several of them one after the other.
archive() { (cd "$1" && find . | busybox cpio -o -H newc 2>/dev/null) >"$2"; }

# system ARCHITECTURE FOLDER: the root of each machine, with the published programs at /lab; leaves $lab/system-ARCHITECTURE.cpio.
system() {
  local arch="$1" folder="$lab/system-$1"
  # Tests call "find -printf", which busybox does not have.
  unpack "$folder" bookworm "$arch" busybox-static findutils libselinux1 libpcre2-8-0 libc6 libstdc++6 libgcc-s1 libssl3 || return 1
  rm -rf "$folder"/usr/share "$folder"/usr/lib/*/gconv
  mv "$2" "$folder/lab"
  mkdir -p "$folder"/{proc,sys,dev,tmp,disk}
  # Tests start programs with "dotnet exec".
  printf '%s\n' '#!/bin/sh' 'exec /lab/Sluice.Labs "$@"' >"$folder/bin/dotnet"
  cat >"$folder/init" <<'INIT'
#!/bin/busybox sh
export PATH=/usr/bin:/bin:/sbin HOME=/tmp TMPDIR=/disk
/bin/busybox --install -s /bin
mount -t proc proc /proc && mount -t sysfs sys /sys && mount -t devtmpfs dev /dev
mkdir -p /dev/shm && mount -t tmpfs shm /dev/shm && mount -t tmpfs tmp /tmp
for module in virtio_pci virtio_blk virtio_rng ext4 crc32c; do modprobe -q "$module"; done
[ -b /dev/vda ] && mount -t ext4 /dev/vda /disk
ip link set lo up
# step NAME COMMAND...
step() {
  name="$1"
  shift
  if "$@" >/tmp/said 2>&1; then echo "lab ok: $name: $(tail -n 1 /tmp/said)"
  else echo "lab FAILED: $name, exit code $?"; tail -n 60 /tmp/said; fi
}
echo "lab kernel: $(uname -rm)"
. /steps
echo "lab end"
reboot -f
INIT
  chmod 755 "$folder/init" "$folder/bin/dotnet"
  archive "$folder" "$lab/system-$arch.cpio"
}

# kernel SUITE ARCHITECTURE VERSION: the newest of Debian's kernels of that version; leaves $lab/kernel and its modules in $lab/modules.cpio.
kernel() {
  local suite="$1" arch="$2" folder="$lab/kernel.d" image release
  image="$(apt_of "$suite" "$arch" apt-cache search --names-only "^linux-image-$3[.].*-cloud-$arch\$" | cut -d ' ' -f 1 | sort -V | tail -n 1)"
  [ -n "$image" ] || return 1
  rm -rf "$folder" "$lab/modules" "$lab/kernel"
  # shellcheck disable=SC2046
  unpack "$folder" "$suite" "$arch" "$image" \
    $(apt_of "$suite" "$arch" apt-cache depends "$image" | awk '/Depends: linux-(binary|modules)-/ { print $2 }') || return 1
  find "$folder" -name 'vmlinu[xz]*' -type f -exec cp {} "$lab/kernel" \;
  release="$(basename "$(find "$folder" -path '*lib/modules/*' -prune)")"
  mkdir -p "$lab/modules/lib/modules/$release"
  (cd "$(find "$folder" -path "*lib/modules/$release")" &&
    find . \( -path '*/fs/ext4/*' -o -path '*/fs/jbd2/*' -o -name 'mbcache*' -o -path '*/drivers/virtio/*' -o -name 'virtio_blk*' \
      -o -name 'virtio-rng*' -o -name 'rng-core*' -o -name '*crc*' -o -name 'modules.builtin*' -o -name modules.order \) -type f -print0 |
    xargs -0 cp -t "$lab/modules/lib/modules/$release" --parents)
  find "$lab/modules" -name '*.xz' -exec xz -d {} +
  busybox depmod -b "$lab/modules" "$release"
  archive "$lab/modules" "$lab/modules.cpio"
}

# disk FILE MEGABYTES
disk() { truncate -s "${2}M" "$1" && mkfs.ext4 -q -F "$1"; }

# machine ARCHITECTURE STEPS ARGUMENT...: starts a machine that does the steps of a shell script; further arguments are QEMU's.
machine() {
  local arch="$1" qemu console
  mkdir -p "$lab/steps"
  cp "$2" "$lab/steps/steps"
  archive "$lab/steps" "$lab/steps.cpio"
  shift 2
  case "$arch" in
    amd64) qemu=(qemu-system-x86_64 -machine q35 -cpu max) console=ttyS0 ;;
    arm64) qemu=(qemu-system-aarch64 -machine virt -cpu neoverse-n1) console=ttyAMA0 ;;
  esac
  cat "$lab/system-$arch.cpio" "$lab/modules.cpio" "$lab/steps.cpio" >"$lab/initrd"
  exec nice -n 19 timeout -k 10 "${LAB_LIMIT:-3000}" "${qemu[@]}" -accel tcg,thread=multi -smp 2 -m 3072 -nodefaults -display none -serial stdio -no-reboot -pidfile "$lab/qemu.pid" \
    -device virtio-rng-pci -kernel "$lab/kernel" -initrd "$lab/initrd" -append "console=$console quiet panic=-1" "$@" </dev/null
}

# disk_of FILE: QEMU's arguments for a disk with a write cache.
disk_of() { printf '%s\n' -drive "file=$1,format=raw,if=virtio,cache=writeback"; }

# runs NAME ARCHITECTURE STEPS ARGUMENT...: a machine that ends by itself; its steps are checks.
runs() {
  local name="$1" began=$SECONDS line
  shift
  (machine "$@") >"$lab/console" 2>&1 & child=$!
  wait "$child"
  child=""
  tr -d '\r' <"$lab/console" >"$lab/said"
  while IFS= read -r line; do
    case "$line" in
      "lab kernel: "* | *": took effect "*) echo "$line" ;;
      "lab ok: "*) passes "$name: ${line#lab ok: }" ;;
      "lab FAILED: "*) fails "$name: ${line#lab FAILED: }" ;;
      "lab skipped: "*) skip "$name: ${line#lab skipped: }" ;;
    esac
  done <"$lab/said"
  grep -q '^lab FAILED' "$lab/said" && cat "$lab/said"
  if ! grep -q '^lab end$' "$lab/said"; then fails "$name: the machine did not come to its end"; tail -n 40 "$lab/said"; fi
  echo "$name: $((SECONDS - began)) s"
}

# The tests that run there: in emulation each takes ten times as long, and more.
HANDLES="Conformance[.]OwnEngine|OpenFileTests|HandleModelTests"
FILES="WholeFileTests|ReplaceAtomicallyTests|CopyAgainTests|SluiceFileCopyTests"
LOG="SluiceLogTests|ClockTests"

# steps: what each machine does.
steps() {
  cat <<STEPS
export QUICK=${quick:-false} SLUICE_MODEL_STEPS=2000 HANDLES="$HANDLES" FILES="$FILES" LOG="$LOG"
STEPS
  cat <<'STEPS'
step "smoke program" /lab/Sluice.AotSmoke
cat /tmp/said
step "smoke program, thread pool" env SLUICE_ENGINE=pool /lab/Sluice.AotSmoke
step "rings" dotnet test /lab/Sluice.Uring.Tests/Sluice.Uring.Tests.dll
if ! "$QUICK"; then
  step "log" dotnet test /lab/Sluice.Log.Tests/Sluice.Log.Tests.dll "$LOG"
  step "whole files, copies, replacements" dotnet test /lab/Sluice.Tests/Sluice.Tests.dll "$FILES"
  step "handles" dotnet test /lab/Sluice.Tests/Sluice.Tests.dll "$HANDLES"
fi
if [ -e /proc/sys/kernel/io_uring_disabled ]; then
  echo 2 >/proc/sys/kernel/io_uring_disabled
  step "smoke program, io_uring disabled by sysctl" sh -c '/lab/Sluice.AotSmoke && grep "^ring: .*io_uring_disabled" /tmp/said'
else
  echo "lab skipped: the kernel has no sysctl io_uring_disabled"
fi
STEPS
}
