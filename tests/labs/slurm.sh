#!/usr/bin/env bash
# Sluice as Slurm's tasks: four nodes on this machine, a tree of small files copied by four ranks, one of them killed and run again, and a
# scan by four ranks.
#   tests/labs/slurm.sh [--files N]
# Needs root, Debian's slurm-wlm and the .NET SDK; what it cannot do it skips and says why.
# Ends with one line: N passed, N failed, N skipped
# All of it runs in namespaces of its own (mounts, network, processes, host name): when this script ends, however it ends, the kernel ends
# what it started. Nothing outside them can reach these daemons, which is why they ask for no proof of who calls.
set -uo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
files=20000
while [ $# -gt 0 ]; do
  case "$1" in
    --files) files="${2:?--files takes a number}"; shift ;;
    *) sed -n '2,6p' "$0" | sed 's/^# \{0,1\}//'; exit 2 ;;
  esac
  shift
done

nothing() { echo "skipped: $1"; printf '0 passed, 0 failed, 1 skipped\n'; exit 0; }

# The first of two lives: sees what is there, builds, and starts the second in its namespaces.
if [ -z "${LAB_FOLDER:-}" ]; then
  [ "$(id -u)" -eq 0 ] || nothing "namespaces need root"
  for tool in slurmctld slurmd srun scontrol ip python3; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "$tool" >/dev/null || nothing "there is no $tool (Debian: slurm-wlm, iproute2, python3)"
  done
  unshare --mount --net --pid --uts --fork true 2>/dev/null || nothing "the kernel gives no namespaces"
  for project in src/Sluice.Cli samples/Sample.Scan; do
    dotnet build -v q -c Release "$root/$project" >/dev/null && continue
    echo "FAILED: $project does not build"
    printf '0 passed, 1 failed, 0 skipped\n'
    exit 1
  done
  LAB_FOLDER="$(mktemp -d "${TMPDIR:-/var/tmp}/sluice-slurm.XXXXXX")" || exit 1
  export LAB_FOLDER
  ends() {
    [ -z "${child:-}" ] || { kill -KILL "$child" 2>/dev/null; wait "$child" 2>/dev/null; }
    rm -rf --one-file-system "$LAB_FOLDER"
  }
  trap ends EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  unshare --mount --net --pid --uts --fork --kill-child --mount-proc -- "$0" --files "$files" </dev/null &
  child=$!
  wait "$child"
  status=$?
  child=""
  exit "$status"
fi

lab="$LAB_FOLDER"
export PATH="$PATH:/usr/sbin:/sbin" LC_ALL=C SLURM_CONF="$lab/slurm.conf" DOTNET_NOLOGO=1 DOTNET_EnableDiagnostics=0
sluice="$root/src/Sluice.Cli/bin/Release/net10.0/Sluice.Cli"
scan="$root/samples/Sample.Scan/bin/Release/net10.0/Sample.Scan"
passed=0 failed=0 skipped=0
finish() { printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"; [ "$failed" -eq 0 ]; exit; }
check() {
  local name="$1" began=$SECONDS
  shift
  if timeout -k 10 600 "$@" >"$lab/said" 2>&1; then passed=$((passed + 1)); echo "ok: $name ($((SECONDS - began)) s)"
  else failed=$((failed + 1)); echo "FAILED: $name"; tail -n 30 "$lab/said"; fi
}

cluster_up() {
  hostname lab && ip link set lo up || return 1
  mkdir -p "$lab"/{state,spool,log}
  for i in 1 2 3 4; do ip address add "10.214.7.$i/32" dev lo || return 1; done
  {
    printf '%s\n' ClusterName=lab "SlurmctldHost=lab(127.0.0.1)" SlurmUser=root SlurmdUser=root AuthType=auth/none CredType=cred/none \
      ProctrackType=proctrack/linuxproc TaskPlugin=task/none SelectType=select/linear SwitchType=switch/none MpiDefault=none \
      JobAcctGatherType=jobacct_gather/none AccountingStorageType=accounting_storage/none ReturnToService=2 SchedulerType=sched/builtin \
      "StateSaveLocation=$lab/state" "SlurmdSpoolDir=$lab/spool/%n" "SlurmctldPidFile=$lab/ctld.pid" "SlurmdPidFile=$lab/%n.pid" \
      "SlurmctldLogFile=$lab/log/ctld" "SlurmdLogFile=$lab/log/%n" SlurmdParameters=config_overrides
    for i in 1 2 3 4; do echo "NodeName=n$i NodeHostname=lab NodeAddr=10.214.7.$i Port=$((17000 + i)) CPUs=1 State=UNKNOWN"; done
    echo "PartitionName=all Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP"
  } >"$SLURM_CONF"
  slurmctld || return 1
  for i in 1 2 3 4; do mkdir -p "$lab/spool/n$i"; slurmd -N "n$i" || return 1; done
  for _ in $(seq 150); do [ "$(sinfo -h -N -t idle -o %N | wc -l)" -eq 4 ] && return 0; sleep 0.2; done
  sinfo -N; tail -n 5 "$lab"/log/*; return 1
}
if ! cluster_up >"$lab/up.txt" 2>&1; then tail -n 40 "$lab/up.txt"; skipped=1; echo "skipped: Slurm does not start here"; finish; fi

python3 - "$lab/tree" "$files" <<'PY'
import os, random, sys
root, count = sys.argv[1], int(sys.argv[2])
random.seed(7)
for i in range(count):
    folder = f"{root}/d{i % 50}/e{i % 7}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/f{i}", "wb") as f: f.write(random.randbytes(random.randrange(3000)))
    os.chmod(f"{folder}/f{i}", random.choice([0o644, 0o600, 0o755, 0o444]))
    os.utime(f"{folder}/f{i}", ns=(10**18, 10**18 + i * 10**9 + i))
os.symlink("d0", f"{root}/link")
os.link(f"{root}/d0/e0/f0", f"{root}/again")
for folder, _, _ in os.walk(root, topdown=False): os.utime(folder, ns=(10**18, 10**18))
PY
# What a tree is: names, types, modes, owners, lengths, numbers of names, times, targets of links; and the contents.
list() { (cd "$1" && find . -printf '%p %y %m %U %G %n %T@ %l %s\n' | sed -E 's/^(.* d .*) [0-9]+$/\1/' | sort); }
same() { diff <(list "$1") <(list "$2") | head -20; cmp <(list "$1") <(list "$2") && diff -r --no-dereference "$1" "$2"; }
export -f list same
ranks=(srun -N4 -n4 --kill-on-bad-exit=0)
export lab sluice scan

check "cp -a" cp -a "$lab/tree" "$lab/reference"
check "four tasks are on four nodes" bash -c '[ "$(srun -N4 -n4 printenv SLURMD_NODENAME | sort -u | wc -l)" -eq 4 ]'
check "four ranks copy their shards" "${ranks[@]}" "$sluice" copy -a --shard auto "$lab/tree" "$lab/copied"
check "a copy of the rest" "$sluice" copy -au "$lab/tree/." "$lab/copied"
check "equal to cp -a's" bash -c 'same "$lab/reference" "$lab/copied"'

# One rank is killed once the four have written some files; that it was, and had not ended before, is seen in its exit status.
cat >"$lab/rank" <<'RANK'
#!/usr/bin/env bash
"$sluice" copy -a --shard auto "$lab/tree" "$lab/struck" & copy=$!
if [ "$SLURM_PROCID" -eq 2 ]; then
  until [ "$(find "$lab/struck" -type f 2>/dev/null | head -n 200 | wc -l)" -ge 200 ] || ! kill -0 "$copy" 2>/dev/null; do :; done
  kill -KILL "$copy"
fi
wait "$copy"
echo $? >"$lab/rank.$SLURM_PROCID"
RANK
chmod +x "$lab/rank"
check "four ranks, one of them killed" "${ranks[@]}" "$lab/rank"
check "the killed rank was under way, the others ended well" bash -c '
  cd "$lab" && [ "$(cat rank.0 rank.1 rank.2 rank.3 | tr "\n" " ")" = "0 0 137 0 " ]'
check "the killed rank is run again" srun -N1 -n1 "$sluice" copy -au --shard 2/4 "$lab/tree" "$lab/struck"
check "a copy of the rest" "$sluice" copy -au "$lab/tree/." "$lab/struck"
check "equal to cp -a's" bash -c 'same "$lab/reference" "$lab/struck"'

check "a scan by four ranks counts every line once" bash -c '
  seq -f "line %.0f" 0 199999 >"$lab/lines.txt"
  srun -N4 -n4 "$scan" "$lab/lines.txt" | tee "$lab/counts"; awk "{ n += \$1 } END { exit !(NR == 4 && n == 200000) }" "$lab/counts"'
finish
