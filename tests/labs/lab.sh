# shellcheck shell=bash disable=SC2034
# Functions of the labs that run Sluice on other machines: arm64.sh kernels.sh musl.sh powercut.sh windows.sh read this file first.
set -uo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
export PATH="$PATH:/usr/sbin:/sbin" LC_ALL=C DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
passed=0 failed=0 skipped=0
lab="$(mktemp -d "${TMPDIR:-/var/tmp}/sluice-lab.XXXXXX")" || exit 1
child=""
ends() {
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null && wait "$child" 2>/dev/null
  rm -rf --one-file-system "$lab"
}
trap ends EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '\n== %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }
passes() { passed=$((passed + 1)); echo "ok: $*"; }
fails() { failed=$((failed + 1)); echo "FAILED: $*"; }
finish() { printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"; [ "$failed" -eq 0 ]; exit; }
nothing() { skip "$1"; finish; }

# check NAME COMMAND...: one check. What the command said last is printed; all of it where it failed.
check() {
  local name="$1" began=$SECONDS status
  shift
  nice -n 19 timeout -k 30 "${LAB_LIMIT:-3000}" "$@" >"$lab/said" 2>&1 </dev/null & child=$!
  wait "$child"
  status=$?
  child=""
  if [ "$status" -eq 0 ]; then passes "$name ($((SECONDS - began)) s): $(tail -n 1 "$lab/said" | tr -d '\r')"
  else fails "$name (exit code $status, $((SECONDS - began)) s)"; tail -n 100 "$lab/said"; fi
  return "$status"
}

# needs COMMAND:PACKAGE...: installs Debian's packages whose commands are missing.
needs() {
  local pair missing=()
  for pair in "$@"; do command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}"); done
  [ "${#missing[@]}" -gt 0 ] || return 0
  command -v apt-get >/dev/null || nothing "there is no apt-get; missing: ${missing[*]}"
  [ "$(id -u)" -eq 0 ] || nothing "packages are installed by root; missing: ${missing[*]}"
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    nothing "apt-get could not install ${missing[*]}"
}

# apt_of SUITE ARCHITECTURE COMMAND...: apt with lists of its own; those of this machine stay as they are.
apt_of() {
  local suite="$1" arch="$2" state="$lab/apt-$1-$2" tool="$3" mirror
  shift 3
  local options=(-o "Dir::Etc::sourcelist=$state/sources" -o Dir::Etc::sourceparts=- -o "Dir::State=$state" -o "Dir::Cache=$state"
    -o "Dir::State::status=$state/status" -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o APT::Sandbox::User=root
    -o APT::Get::List-Cleanup=false)
  if [ ! -d "$state" ]; then
    mkdir -p "$state/lists/partial" "$state/archives/partial"
    : >"$state/status"
    mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/$')"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$state/sources"
    apt-get "${options[@]}" -qq update || return 1
  fi
  "$tool" "${options[@]}" "$@"
}

# unpack FOLDER SUITE ARCHITECTURE PACKAGE...: lays Debian's packages into a folder, without installing them.
unpack() {
  local folder="$1" suite="$2" arch="$3" package
  shift 3
  mkdir -p "$folder" "$lab/debs"
  (cd "$lab/debs" && apt_of "$suite" "$arch" apt-get -qq download "$@") || return 1
  for package in "$lab"/debs/*.deb; do dpkg-deb -x "$package" "$folder" || return 1; done
  rm -rf "$lab/debs"
}

# builds PROJECT...: the test assemblies, which run on each system as they are.
builds() {
  local project
  for project in "$@"; do
    dotnet build -v q "$root/tests/$project" >"$lab/said" 2>&1 || { fails "$project does not build"; tail -n 20 "$lab/said"; finish; }
  done
}

# publish RUNTIME FOLDER: the smoke program and what runs tests, with the runtime for another system, or skips the lab.
publish() {
  local project
  say "published for $1"
  for project in Sluice.AotSmoke labs/Sluice.Labs; do
    dotnet publish "$root/tests/$project" -v q -c Release -r "$1" --self-contained -p:RunAnalyzers=false \
      --artifacts-path "$lab/build" -o "$2" >"$lab/said" 2>&1 && continue
    grep -q 'error NU110' "$lab/said" && nothing "no runtime pack for $1 is served"
    fails "$project is not published for $1"; tail -n 20 "$lab/said"; finish
  done
}

# tests_into FOLDER PROJECT...: the test assemblies, without what only the SDK needs.
tests_into() {
  local folder="$1" project
  shift
  builds "$@"
  for project in "$@"; do
    mkdir -p "$folder/$project"
    find "$root/tests/$project/bin/Debug/net10.0" -maxdepth 1 -name '*.dll' -exec cp -t "$folder/$project" {} +
  done
}
