#!/usr/bin/env bash
# net11.sh FOLDER: makes FOLDER a .NET 11 without an SDK: the runtime from its package, started by the muxer of the SDK that is here.
# Programs for .NET 10 run on it with DOTNET_ROLL_FORWARD=LatestMajor.
set -euo pipefail
version=11.0.0
folder="$1"
rid="linux-$(uname -m | sed -e s/x86_64/x64/ -e s/aarch64/arm64/)"
package="microsoft.netcore.app.runtime.$rid"
mkdir -p "$folder/project"
cat >"$folder/project/runtime.proj" <<XML
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageDownload Include="$package" Version="[$version]" /></ItemGroup>
  <Target Name="SayRoot"><Message Importance="high" Text="packages: \$(NuGetPackageRoot)" /></Target>
</Project>
XML
dotnet restore "$folder/project/runtime.proj" -v quiet
packages="$(dotnet build "$folder/project/runtime.proj" --no-restore -t:SayRoot -v minimal | sed -nE 's/^ *packages: (.*)$/\1/p')"
from="$packages/$package/$version/runtimes/$rid"
shared="$folder/shared/Microsoft.NETCore.App/$version"
mkdir -p "$shared" "$folder/host/fxr/$version"
cp "$from"/lib/net11.0/* "$from"/native/* "$shared"
mv "$shared/libhostfxr.so" "$folder/host/fxr/$version"
cp "$(readlink -f "$(command -v dotnet)")" "$folder/dotnet"
"$folder/dotnet" --list-runtimes | grep -F "Microsoft.NETCore.App $version"
