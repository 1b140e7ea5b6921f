#!/usr/bin/env bash
# The steps of gluster.sh, which reads this file: on the mounted volume, with the functions made there.

# tree FOLDER FILES: files of 0 to 3,000 bytes in 50 folders, with links, a hole, several names, odd names, modes and times.
tree() {
  python3 - "$1" "$2" <<'PY'
import os, random, sys
root, count = sys.argv[1], int(sys.argv[2])
random.seed(7)
for i in range(count):
    folder = f"{root}/d{i % 50}/e{i % 7}"
    os.makedirs(folder, exist_ok=True)
    path = f"{folder}/f{i}"
    with open(path, "wb") as f:
        f.write(random.randbytes(random.randrange(3000)))
    os.chmod(path, random.choice([0o644, 0o600, 0o755, 0o444]))
    os.utime(path, ns=(10**18 + i * 10**9, 10**18 + i * 10**9 + i))
with open(f"{root}/large", "wb") as f:
    f.write(random.randbytes(40 << 20))
    f.seek(70 << 20)
    f.write(b"end")
os.symlink("d0", f"{root}/link")
os.symlink("nowhere", f"{root}/dangling")
os.link(f"{root}/large", f"{root}/large again")
open(b"%s/\xff\xfe odd\n" % root.encode(), "w").close()
os.mkfifo(f"{root}/pipe")
for folder, _, _ in os.walk(root, topdown=False):
    os.utime(folder, ns=(10**18, 10**18))
PY
}

# same A B: names, types, modes, owners, lengths, times, links and contents are equal.
same() {
  python3 - "$1" "$2" <<'PY'
import os, stat, sys, hashlib
def look(root):
    found, groups = {}, {}
    for folder, folders, files in os.walk(root.encode()):
        for name in folders + files + [b"."]:
            path = os.path.join(folder, name)
            key = os.path.relpath(path, root.encode())
            s = os.lstat(path)
            what = [oct(s.st_mode), s.st_uid, s.st_gid, s.st_mtime_ns if not stat.S_ISLNK(s.st_mode) else 0]
            if stat.S_ISREG(s.st_mode):
                what += [s.st_size, hashlib.sha256(open(path, "rb").read()).hexdigest()]
                if s.st_nlink > 1: groups.setdefault(s.st_ino, []).append(key)
            elif stat.S_ISLNK(s.st_mode):
                what.append(os.readlink(path))
            found[key] = what
    return found, sorted(sorted(g) for g in groups.values())
(a, ga), (b, gb) = look(sys.argv[1]), look(sys.argv[2])
different = [k for k in a.keys() | b.keys() if a.get(k) != b.get(k)]
for k in different[:10]: print(k, a.get(k), b.get(k))
if ga != gb: print("several names:", ga[:3], gb[:3])
print(len(a), "entries")
sys.exit(bool(different) or ga != gb or len(a) < 10)
PY
}
export -f tree same

files=300
$long && files=20000
if wants copy || wants shards; then
  tree "$lab/local/tree" "$files"
fi

if wants copy; then
  say "copies"
  check "cp -a to the volume" cp -a "$lab/local/tree" "$mountpoint/reference"
  check "sluice copy -a to the volume" "${sluice[@]}" copy -a "$lab/local/tree" "$mountpoint/copied"
  check "equal to cp -a's" bash -c 'same "$0" "$1"' "$mountpoint/reference" "$mountpoint/copied"
  check "sluice copy -a on the volume" "${sluice[@]}" copy -a "$mountpoint/copied" "$mountpoint/again"
  check "equal to its source" bash -c 'same "$0" "$1"' "$mountpoint/copied" "$mountpoint/again"
  check "sluice copy -a back" "${sluice[@]}" copy -a "$mountpoint/again" "$lab/local/back"
  check "equal to the first" bash -c 'same "$0" "$1"' "$lab/local/tree" "$lab/local/back"
  check "sluice copy --verify" "${sluice[@]}" copy --verify "$lab/local/tree/large" "$mountpoint/verified"
  check "equal to its source" cmp "$lab/local/tree/large" "$mountpoint/verified"
  rm -rf "$mountpoint"/{reference,copied,again,verified} "$lab/local/back"
fi

# append LOG SECONDS WHILE: writes a durable log, meanwhile calls WHILE, kills the writer; sees that all it had acknowledged is there.
append() {
  local acknowledged="$lab/local/acknowledged" writer last next
  : >"$acknowledged"
  "${log_tests[@]}" append "$1" Durable >>"$acknowledged" 2>"$lab/local/errors" &
  writer=$!
  until_true 60 grep -q '^[0-9]' "$acknowledged" || { kill -KILL "$writer"; cat "$lab/local/errors"; return 1; }
  "$3" "$writer"
  sleep "$2"
  kill -KILL "$writer" 2>/dev/null
  wait "$writer" 2>/dev/null
  last="$(awk '/^[0-9]+ [0-9]+ [0-9]+$/ && $1 > n { n = $1 } END { print n + 0 }' "$acknowledged")"
  # Before it is looked at: the writer that comes empties it only when it has begun.
  : >"$lab/local/next"
  "${log_tests[@]}" append "$1" Durable >>"$lab/local/next" 2>"$lab/local/next-errors" &
  writer=$!
  until_true 120 grep -q '^open' "$lab/local/next"
  kill -KILL "$writer" 2>/dev/null
  wait "$writer" 2>/dev/null
  next="$(awk '/^open/ { print $2 }' "$lab/local/next")"
  echo "acknowledged up to $last, goes on with ${next:-nothing}"
  [ -n "$next" ] && [ "$last" -gt 0 ] && [ "$next" -gt "$last" ] || { cat "$lab/local/next-errors" "$lab/local/errors"; return 1; }
  "${sluice[@]}" log verify "$1"
}
counted() { if "${@:2}" >"$lab/said" 2>&1; then passes "$1: $(head -1 "$lab/said")"; else fails "$1"; tail -n 40 "$lab/said"; fi; }

if wants log; then
  say "the log: its writer is killed"
  kills=3
  $long && kills=30
  for ((i = 0; i < kills; i++)); do counted "kill $((i + 1))" append "$mountpoint/log" "0.$((RANDOM % 10))" :; done
  rm -rf "$mountpoint/log"
fi

if wants shards; then
  say "a copy in shards by Open MPI, 4 ranks"
  mpi=(mpirun --allow-run-as-root --oversubscribe -np 4 --mca btl self,vader --mca oob_tcp_if_include lo)
  check "cp -a" cp -a "$lab/local/tree" "$mountpoint/reference"
  check "4 ranks" "${mpi[@]}" "${sluice[@]}" copy -a --shard auto "$mountpoint/reference" "$mountpoint/sharded"
  check "a copy of the rest" "${sluice[@]}" copy -au "$mountpoint/reference/." "$mountpoint/sharded"
  check "equal to cp -a's" bash -c 'same "$0" "$1"' "$mountpoint/reference" "$mountpoint/sharded"
  rm -rf "$mountpoint"/{reference,sharded}
fi

one_brick() { sleep 1; kill_brick 2; sleep 3; bricks_back; }
two_bricks() { sleep 1; kill_brick 2; kill_brick 3; until_true 40 eval '! kill -0 '"$1"; bricks_back; }
if wants brick; then
  say "bricks that are killed in mid-write"
  # By default 42 seconds pass before a brick counts as gone. Only here: after five seconds without an answer (a machine with much to do)
  # the client gave up all three bricks, did not come back to them, and calls on the volume stood still.
  gluster --mode=script volume set lab network.ping-timeout 5
  counted "one of three bricks dies and comes back, the log goes on" append "$mountpoint/log" 1 one_brick
  counted "two of three bricks die, so that nothing more can be written, and come back" append "$mountpoint/log" 0 two_bricks
  if [ -s "$lab/local/errors" ]; then
    check "the error names the log's file and the system's reason" grep -E 'IOException.*(/log|segment).*errno|IOException.*errno.*/log' "$lab/local/errors"
    grep -m1 IOException "$lab/local/errors"
  else
    skip "the writer met no error while two bricks were dead"
  fi
  dying() { "${sluice[@]}" copy -a "$lab/local/big" "$mountpoint/big"; }
  dd if=/dev/urandom of="$lab/local/big" bs=1M count=200 status=none
  dying >"$lab/said" 2>&1 & copying=$!
  until_true 20 eval 'ls -A "$mountpoint" | grep -q big'
  kill_brick 1
  wait "$copying" && status=0 || status=$?
  bricks_back || fails "the volume does not heal"
  if [ "$status" -eq 0 ]; then check "a copy goes on while one brick is dead" cmp "$lab/local/big" "$mountpoint/big"
  else fails "a copy ended with $status while one brick was dead: $(tail -n 2 "$lab/said")"; fi
fi

# Rooms of tests/Sluice.Tests whose files lie in the folder for temporary ones. What this file system cannot do is left out by name, and
# counted as skipped with its reason (gluster-limits.txt, lines of NAME|REASON).
if wants suite; then
  say "the library's suite"
  # The client's caches answer with lengths and bytes that were (docs/compatibility.md).
  for cache in stat-prefetch write-behind quick-read io-cache read-ahead open-behind readdir-ahead; do
    gluster --mode=script volume set lab "performance.$cache" off
  done
  # Nor do its tests ask what a brick that loses its power keeps: else each change of a file has three bricks flush to one disk.
  gluster --mode=script volume set lab cluster.ensure-durability off
  mkdir "$mountpoint/tmp"
  not=""
  while IFS='|' read -r name reason; do
    not="$not${not:+|}$name"
    skip "$name: $reason"
  done <"$here/gluster-limits.txt"
  for engine in uring pool; do
    for room in Sequential Conformance Model Engines Enumeration Compatibility Files Streams; do
      counted "$room on $engine" env TMPDIR="$mountpoint/tmp" SLUICE_ENGINE="$engine" \
        dotnet exec "$root/tests/labs/Sluice.Labs/bin/Debug/net10.0/Sluice.Labs.dll" \
        test "$root/tests/Sluice.Tests/bin/Debug/net10.0/Sluice.Tests.dll" "^Sluice[.]Tests[.]$room[.]" "$not"
      grep '^FAILED' "$lab/said" | cut -c 1-300
      tail -n 1 "$lab/said"
    done
  done
fi

if wants bench; then
  say "figures"
  mkdir "$mountpoint/bench"
  check "bench" "${sluice[@]}" bench "$mountpoint/bench" --wide --json "$lab/log/bench.json"
  cat "$(ls -t "$lab"/tmp.* | head -1)"
fi

# reads NAME COMMAND...: 4 KiB at random, many at a time, in pages that the page cache does not have: reads a second, and how much of the
# machine was busy meanwhile.
busy() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8, $2 + $3 + $4 + $5 + $6 + $7 + $8 }' /proc/stat; }
reads() {
  local name="$1" before after rate
  shift
  before="$(busy)"
  rate="$("$@" 2>"$lab/reads-errors")" || { fails "$name"; tail -n 5 "$lab/reads-errors"; return; }
  after="$(busy)"
  passed=$((passed + 1))
  awk -v n="$name" -v r="$rate" -v b="$before" -v a="$after" 'BEGIN { split(b, x); split(a, y)
    printf "%-44s %9.0f/s  %3.0f %% of the processors\n", n, r, 100 * (y[1] - x[1]) / (y[2] - x[2]) }'
}
fio_reads() {
  fio --name=reads --filename="$mountpoint/reads.dat" --rw=randread --bs=4k --size=512m --invalidate=1 --time_based --runtime=6 \
    --thread --group_reporting --output-format=json "$@" |
    python3 -c 'import json, sys; t = sys.stdin.read(); print(json.loads(t[t.index("{"):])["jobs"][0]["read"]["iops"])'
}
# sluice_reads ENGINE ARGUMENT...
sluice_reads() {
  SLUICE_ENGINE="$1" "${sluice[@]}" speed -t6 -b4K -s100 -a32 --json - "${@:2}" "$mountpoint/reads.dat" 2>/dev/null |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["sides"][0]["iops"])'
}
if wants reads; then
  say "reads of 4 KiB, 32 at a time"
  dd if=/dev/urandom of="$mountpoint/reads.dat" bs=1M count=512 conv=fsync status=none
  for turn in 1 2; do
    reads "fio, 32 threads" fio_reads --ioengine=psync --numjobs=32
    reads "fio, io_uring, depth 32" fio_reads --ioengine=io_uring --iodepth=32
    reads "sluice speed, rings" sluice_reads uring --cache cold
    reads "sluice speed, pool" sluice_reads pool --cache cold
    reads "sluice speed, RandomAccess" sluice_reads uring --cache cold --engine bcl
    reads "sluice speed, rings, direct" sluice_reads uring -d
    reads "sluice speed, RandomAccess, O_DIRECT" sluice_reads uring -d --engine bcl
  done
fi
