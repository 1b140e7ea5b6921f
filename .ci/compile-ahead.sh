#!/usr/bin/env bash
# compile-ahead.sh FOLDER...: compiles what lies there of this repository, and what its tool is made of, to machine code, in place: tests
# start thousands of programs, and each start then takes about half of a processor's time. What runs often is compiled again as it
# runs, as in .NET itself. Where the compiler (crossgen2, a package of .NET) cannot be had, the tests run as they are.
set -uo pipefail
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/compiler.proj" <<'PROJECT'
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <PropertyGroup>
    <Version>$(BundledNETCoreAppPackageVersion)</Version>
    <Compiler>microsoft.netcore.app.crossgen2.$(NETCoreSdkPortableRuntimeIdentifier)</Compiler>
  </PropertyGroup>
  <ItemGroup>
    <PackageDownload Include="$(Compiler)" Version="[$(Version)]" />
  </ItemGroup>
  <Target Name="Say">
    <Message Importance="high" Text="frameworks $(NetCoreTargetingPackRoot)/../shared" />
    <Message Importance="high" Text="compiler $(NuGetPackageRoot)$(Compiler)/$(Version)/tools/crossgen2" />
  </Target>
</Project>
PROJECT
if ! said="$(dotnet restore "$scratch/compiler.proj" -v quiet && dotnet build "$scratch/compiler.proj" --no-restore -t:Say -v minimal)"; then
  echo "$said" | grep -m1 -o 'NU110[0-9].*'
  echo "no compiler; the tests run as they are"
  exit 0
fi
compiler="$(sed -nE 's/^ *compiler (.*)/\1/p' <<<"$said")"
frameworks="$(sed -nE 's/^ *frameworks (.*)/\1/p' <<<"$said")"
[ -x "$compiler" ] || compiler="$compiler.dll"
[ -e "$compiler" ] || { echo "no compiler in $(dirname "$compiler"); the tests run as they are"; exit 0; }
references=()
for framework in Microsoft.NETCore.App Microsoft.AspNetCore.App; do
  newest="$(find "$frameworks/$framework" -maxdepth 1 -name '10.*' 2>/dev/null | sort -V | tail -1)"
  [ -z "$newest" ] || references+=(-r "$newest/*.dll")
done
failed=0
for folder in "$@"; do
  for file in "$folder"/Sluice*.dll "$folder"/{Spectre.Console,System.CommandLine}.dll; do
    [ -e "$file" ] || continue
    # The same file lies in many folders.
    made="$scratch/$(sha256sum "$file" | cut -c1-64).dll"
    if [ ! -e "$made" ]; then
      command=("$compiler")
      [ "${compiler##*.}" != dll ] || command=(dotnet "$compiler")
      command+=("$file" -o "$made" -O "${references[@]}" -r "$folder/*.dll")
      if ! "${command[@]}" >"$scratch/said" 2>&1; then
        tail -n 5 "$scratch/said"
        failed=1
        continue
      fi
    fi
    cp "$made" "$file" || failed=1
  done
done
exit "$failed"
