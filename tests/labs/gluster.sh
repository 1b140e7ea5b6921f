#!/usr/bin/env bash
# Sluice on GlusterFS: a volume with three replicas on this machine, mounted by FUSE, and on it copies, the
# log's proofs, a copy in shards by Open MPI, and bricks that are killed in mid-write.
#   tests/labs/gluster.sh [--long] [--only STEP,...] [--delay MICROSECONDS] [--keep-logs FOLDER]
# Steps: copy log shards brick suite bench reads. --long takes more files and more kills. suite is the library's own suite in a folder of the
# volume, on both engines, and takes half an hour; bench is sluice bench, reads what fio, Sluice and .NET read in small pieces: only
# where they are named. --delay has each brick wait so long before a read (GlusterFS' own delay-gen), as for a network and a
# disk. Needs root, Debian (or what it installs: glusterfs-server, openmpi-bin), /dev/fuse and the .NET SDK; what it cannot do it skips and
# says why. Ends with one line: N passed, N failed, N skipped
# All of it runs in namespaces of its own (mounts, network, processes): when this script ends, however it ends, the kernel ends what it
# started and undoes its mounts. GlusterFS' own folders under /var are covered by empty ones meanwhile, so that a volume of this machine is
# neither seen nor touched.
set -uo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
usage() { sed -n '2,9p' "$0" | sed 's/^# \{0,1\}//'; }
long=false only="copy,log,shards,brick" keep="" delay=""
arguments=("$@")
while [ $# -gt 0 ]; do
  case "$1" in
    --long) long=true ;;
    --only) only="${2:?--only takes steps}"; shift ;;
    --delay) delay="${2:?--delay takes microseconds}"; shift ;;
    --keep-logs) keep="$(realpath -m "${2:?--keep-logs takes a folder}")"; shift ;;
    -h|--help) usage; exit 0 ;;
    *) echo "unknown: $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

nothing() { echo "skipped: $1"; printf '0 passed, 0 failed, 1 skipped\n'; exit 0; }

# The first of two lives: sees what is there, builds, and starts the second in its namespaces.
if [ -z "${LAB_FOLDER:-}" ]; then
  [ "$(id -u)" -eq 0 ] || nothing "a mount and a network of its own need root"
  [ -c /dev/fuse ] || nothing "there is no /dev/fuse"
  missing=()
  for pair in glusterd:glusterfs-server glusterfs:glusterfs-client mpirun:openmpi-bin ip:iproute2; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
  done
  if [ "${#missing[@]}" -gt 0 ]; then
    command -v apt-get >/dev/null || nothing "no apt-get here; missing: ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null ||
      nothing "apt could not install ${missing[*]}"
  fi
  unshare --mount --net --pid --fork true 2>/dev/null || nothing "the kernel gives no namespaces"
  cd "$root" || exit 1
  for project in "src/Sluice.Cli -c Release" tests/Sluice.Log.Tests tests/Sluice.Tests tests/labs/Sluice.Labs; do
    # shellcheck disable=SC2086
    dotnet build -v q $project >/dev/null || { echo "FAILED: $project does not build"; printf '0 passed, 1 failed, 0 skipped\n'; exit 1; }
  done
  LAB_FOLDER="$(mktemp -d "${TMPDIR:-/var/tmp}/sluice-gluster.XXXXXX")" || exit 1
  chmod 711 "$LAB_FOLDER" # tests that work as another user pass through it
  export LAB_FOLDER
  ends() {
    [ -z "${child:-}" ] || { kill -KILL "$child" 2>/dev/null; wait "$child" 2>/dev/null; }
    if [ -n "$keep" ]; then mkdir -p "$keep" && cp -r "$LAB_FOLDER/log" "$keep/"; fi
    rm -rf --one-file-system "$LAB_FOLDER"
  }
  trap ends EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  unshare --mount --net --pid --fork --kill-child --mount-proc -- "$0" "${arguments[@]}" </dev/null &
  child=$!
  wait "$child"
  status=$?
  child=""
  exit "$status"
fi

export PATH="$PATH:/usr/sbin:/sbin" LC_ALL=C DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_EnableDiagnostics=0
lab="$LAB_FOLDER" mountpoint="$LAB_FOLDER/volume"
passed=0 failed=0 skipped=0
sluice=("$root/src/Sluice.Cli/bin/Release/net10.0/Sluice.Cli")
log_tests=(dotnet "$root/tests/Sluice.Log.Tests/bin/Debug/net10.0/Sluice.Log.Tests.dll")
say() { printf '\n== %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }
fails() { failed=$((failed + 1)); echo "FAILED: $*"; }
passes() { passed=$((passed + 1)); echo "ok: $*"; }
wants() { [[ ",$only," == *",$1,"* ]]; }

# check NAME COMMAND...: one check; what the command said is printed where it failed.
check() {
  local name="$1" began=$SECONDS out
  shift
  out="$(mktemp -p "$lab")"
  if timeout -k 30 3000 "$@" >"$out" 2>&1; then passes "$name ($((SECONDS - began)) s)"; else fails "$name"; tail -n 40 "$out"; fi
}

# until_true SECONDS COMMAND...
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

finish() {
  printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
  exit
}

volume_up() {
  mkdir -p "$lab"/{state,log,run,local,volume} "$lab"/brick{1,2,3}
  mount --make-rprivate /
  # What the package put there (groups, hooks) is not needed; hooks that start other services are not wanted.
  mount --bind "$lab/state" /var/lib/glusterd && mount --bind "$lab/log" /var/log/glusterfs || return 1
  mkdir -p /var/run/gluster && mount --bind "$lab/run" /var/run/gluster || return 1
  ip link set lo up && for i in 1 2 3; do ip address add "10.213.7.$i/32" dev lo || return 1; done
  glusterd --pid-file "$lab/run/glusterd.pid" || return 1
  until_true 30 gluster --mode=script volume list || return 1
  gluster --mode=script volume create lab replica 3 \
    10.213.7.1:"$lab/brick1" 10.213.7.2:"$lab/brick2" 10.213.7.3:"$lab/brick3" force || return 1
  if [ -n "$delay" ]; then
    local option
    for option in "debug.delay-gen posix" "delay-gen.delay-percentage 100" "delay-gen.delay-duration $delay" "delay-gen.enable read"; do
      # shellcheck disable=SC2086
      gluster --mode=script volume set lab $option || return 1
    done
  fi
  gluster --mode=script volume start lab || return 1
  mount -t glusterfs -o acl 10.213.7.1:/lab "$mountpoint" 2>/dev/null || mount -t glusterfs 10.213.7.1:/lab "$mountpoint"
}

brick_process() { gluster --mode=script volume status lab "10.213.7.$1:$lab/brick$1" | awk '$1 == "Brick" || /N\/A|[0-9]+$/ { pid = $NF } END { print pid }'; }
bricks_up() { [ "$(pgrep -c glusterfsd)" -eq 3 ]; }
healed() { [ "$(gluster volume heal lab info | awk '/^Number of entries/ { n += $NF == "-" ? 1 : $NF } END { print n + 0 }')" -eq 0 ]; }
# kill_brick N; bricks_back
kill_brick() { kill -KILL "$(cat "$lab"/run/vols/lab/10.213.7."$1"-*.pid)"; }
bricks_back() { gluster --mode=script volume start lab force >/dev/null && until_true 60 bricks_up && until_true 180 healed; }

say "a volume with three replicas"
if ! volume_up >"$lab/up.txt" 2>&1; then tail -n 20 "$lab/up.txt"; skip "GlusterFS does not start here"; finish; fi
gluster --version | head -1
. "$here/gluster-steps.sh"
finish
