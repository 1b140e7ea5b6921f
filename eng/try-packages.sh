#!/usr/bin/env bash
# Packs everything, and uses the packages as a stranger would: a console program, a web application, and the tool, each in a new folder
# outside of this one, from a local folder of packages. With SLUICE_SAME_BYTES=1 the console program is also run on .NET 11, trimmed to a
# single file, and as native code, and a copy of the sources is packed elsewhere, from which the same bytes must come.
#   eng/try-packages.sh [SCRATCH]     takes a few minutes; needs the packages that dotnet restores itself (nuget.org or a mirror)
set -euo pipefail
cd "$(dirname "$0")/.."
root="$PWD"
scratch="${1:-$(mktemp -d)}"
mkdir -p "$scratch/packages"
[ $# -gt 0 ] || trap 'rm -rf "$scratch"' EXIT
version="$(sed -nE 's|.*<Version>(.*)</Version>.*|\1|p' Directory.Build.props)"
rid="linux-$(uname -m | sed -e s/x86_64/x64/ -e s/aarch64/arm64/)"

say() { printf -- '-- %s\n' "$*"; }

# new NAME: a folder that knows the packages; the cache is its own, so that an older package of the same version is not taken.
new() {
  mkdir -p "$scratch/$1"
  cd "$scratch/$1"
  cat >nuget.config <<XML
<configuration><packageSources><add key="local" value="$scratch/packages" /></packageSources></configuration>
XML
  export NUGET_PACKAGES="$scratch/cache"
}

program() {
  cat <<'CSHARP'
using Sluice;
using Sluice.Classic;
using Sluice.Extensions.Logging;
using Sluice.Testing;

string folder = Directory.CreateTempSubdirectory("sluice-package-").FullName;
string path = Path.Combine(folder, "file");
await SluiceFile.WriteAllTextAsync(path, "one\ntwo\n");
await SluiceFile.ReplaceAtomicallyAsync(path, "three\nfour\n");
using (SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read))
{
    byte[] bytes = new byte[5];
    if (await handle.ReadAsync(bytes, 0) != 5 || !bytes.AsSpan().SequenceEqual("three"u8))
        throw new InvalidDataException("the bytes are not those that were written");
    Console.WriteLine($"engine {handle.EngineName}");
}
using (SluiceStream stream = new(path, FileMode.Append, FileAccess.Write))
    stream.Write("five\n"u8);
string[] lines = await SluiceFile.ReadAllLinesAsync(path);
var engine = new FaultyEngine(new FaultPlan(1) { ShortTransfer = 0.5 });
using (WinFileIO classic = new())
    Console.WriteLine(classic.GetType().Name);
using (SluiceLoggerProvider provider = new(Path.Combine(folder, "log")))
    Console.WriteLine(provider.CreateLogger("package").GetType().Name);
Directory.Delete(folder, recursive: true);
Console.WriteLine($"{lines.Length} lines, {engine.Name}");
return lines is ["three", "four", "five"] ? 0 : 1;
CSHARP
}

references() {
  for package in Sluice Sluice.Testing Sluice.Classic Sluice.Extensions.Logging; do
    echo "<PackageReference Include=\"$package\" Version=\"$version\" />"
  done
}

# pack TREE OUT PROPERTY: makes all packages as README.md does, with machine code for this system, and without it where a mirror lacks the
# compiler. The build has a folder of its own: others may build meanwhile, and what is restored for a processor must not change for them.
pack() {
  local command=(dotnet pack "$1/Packages.slnf" -c Release -o "$2" -v quiet --nologo --artifacts-path "$2-built" "$3")
  if ! "${command[@]}" -p:CompileAhead=true >"$scratch/pack.log" 2>&1; then
    if ! grep -q 'NU110[0-9]' "$scratch/pack.log"; then
      cat "$scratch/pack.log"
      return 1
    fi
    echo "not compiled ahead: $(grep -m1 -o 'NU110[0-9].*' "$scratch/pack.log")"
    "${command[@]}"
  fi
}

say "pack, with the analyzers"
pack "$root" "$scratch/packages" -p:RunAnalyzersDuringBuild=true

# Compiled ahead is the tool's own code and what it brings, for this machine's processor; "any" has none of it.
say "what is compiled ahead"
python3 - "$scratch/packages" "$version" "$rid" <<'PYTHON'
import pathlib
import struct
import sys
import zipfile

folder, version, rid = sys.argv[1:]


def is_compiled_ahead(image):
    """Whether the header of .NET (data directory 14) has a managed native header."""
    at = struct.unpack_from("<I", image, 0x3C)[0]
    sections, optional = struct.unpack_from("<H12xH", image, at + 6)
    directories = at + 24 + (112 if struct.unpack_from("<H", image, at + 24)[0] == 0x20B else 96)
    address = struct.unpack_from("<I", image, directories + 14 * 8)[0]
    for i in range(sections):
        size, start, raw_size, raw = struct.unpack_from("<IIII", image, at + 24 + optional + 40 * i + 8)
        if start <= address < start + max(size, raw_size):
            return struct.unpack_from("<I", image, address - start + raw + 64)[0] != 0
    raise ValueError("no .NET image")


if not pathlib.Path(folder, f"Sluice.Cli.{rid}.{version}.nupkg").exists():
    print(f"left out: there is no package for {rid}")
else:
    for kind, expected in ((rid, True), ("any", False)):
        with zipfile.ZipFile(pathlib.Path(folder) / f"Sluice.Cli.{kind}.{version}.nupkg") as package:
            names = [n for n in package.namelist() if n.endswith(".dll")]
            own = {n.rsplit("/", 1)[-1] for n in names}
            missing = {"Sluice.dll", "Sluice.Classic.dll", "Sluice.Cli.dll", "Spectre.Console.dll"} - own
            assert not missing, f"{kind} lacks {missing}"
            wrong = [n for n in names if is_compiled_ahead(package.read(n)) != expected]
            assert not wrong, f"{kind}: compiled ahead {not expected}: {wrong}"
            print(f"{kind}: {len(names)} assemblies, compiled ahead: {expected}")
    for library in ("Sluice", "Sluice.Testing", "Sluice.Classic", "Sluice.Extensions.Logging", "Sluice.Serilog", "Sluice.Lucene"):
        with zipfile.ZipFile(pathlib.Path(folder) / f"{library}.{version}.nupkg") as package:
            for name, expected in ((f"runtimes/{rid}/lib/net10.0/{library}.dll", True), (f"lib/net10.0/{library}.dll", False)):
                assert is_compiled_ahead(package.read(name)) == expected, f"{library}: {name}"
PYTHON

# The assembly with its documentation, the README, the licence, the icon; the tool has what it runs on, and symbols.
say "what is in the packages"
python3 - "$scratch/packages" "$version" "$rid" "$root/CHANGELOG.md" <<'PYTHON'
import pathlib
import re
import sys
import xml.etree.ElementTree
import zipfile

folder, version, rid, changes = sys.argv[1:]
EXTENSIONS = "Microsoft.Extensions."
DEPENDENCIES = {
    "Sluice": {},
    "Sluice.Testing": {"Sluice": version},
    "Sluice.Classic": {"Sluice": version},
    "Sluice.Extensions.Logging": {"Sluice": version} | {EXTENSIONS + name: "10.0.0" for name in (
        "Configuration", "Configuration.Abstractions", "Configuration.Binder", "DependencyInjection", "DependencyInjection.Abstractions",
        "Logging", "Logging.Abstractions", "Logging.Configuration", "Options", "Options.ConfigurationExtensions", "Primitives")},
    "Sluice.Serilog": {"Sluice": version, "Serilog": "3.1.1"},
    "Sluice.Lucene": {"Sluice": version, "Lucene.Net": "4.8.0-beta00017"} | {EXTENSIONS + name: "10.0.0" for name in (
        "Configuration.Abstractions", "Primitives")},
}
TOOL = ["DotnetToolSettings.xml", "Sluice.Cli.deps.json", "Sluice.Cli.runtimeconfig.json"] + [f"{name}.dll" for name in (
    "Spectre.Console", "Spectre.Console.Ansi", "System.CommandLine", "HdrHistogram", "Perfolizer", "Pragmastat")] + [
    f"{name}.{kind}" for name in ("Sluice", "Sluice.Classic", "Sluice.Cli") for kind in ("dll", "pdb")]
notes = re.search(rf"\n## {re.escape(version)}\b[^\n]*\n(.*?)(?=\n## |\Z)", pathlib.Path(changes).read_text(), re.DOTALL).group(1).strip()


def entries(package):
    """Without what NuGet adds to each package."""
    return {n for n in package.namelist() if not n.startswith(("_rels/", "package/")) and n != "[Content_Types].xml"}


def check(package, name):
    """What a package says of itself; returns its dependencies."""
    text = package.read(f"{name}.nuspec").decode("utf-8-sig")
    manifest = xml.etree.ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", text)).find("metadata")
    for field in ("icon", "readme", "projectUrl", "description", "tags", "license"):
        assert manifest.findtext(field), f"{name} has no {field}"
    assert (manifest.findtext("id"), manifest.findtext("version")) == (name, version), name
    assert manifest.findtext("releaseNotes").strip() == notes, f"{name}: release notes"
    assert manifest.find("repository").get("url"), f"{name}: repository"
    readme = package.read("README.md").decode()
    assert "](" not in readme.replace("](https:", ""), f"{name}: the README leads to files that are not there"
    return {d.get("id"): d.get("version") for d in manifest.iter("dependency")}


for name, dependencies in DEPENDENCIES.items():
    with zipfile.ZipFile(pathlib.Path(folder, f"{name}.{version}.nupkg")) as package:
        expected = {"LICENSE", "README.md", "icon.png", f"{name}.nuspec", f"lib/net10.0/{name}.dll", f"lib/net10.0/{name}.xml"}
        found = entries(package) - {f"runtimes/{rid}/lib/net10.0/{name}.dll"}
        assert found == expected, f"{name}: {found ^ expected}"
        assert check(package, name) == dependencies, f"{name}: dependencies"
        documented = re.findall(r'<member name="T:([^"]*)', package.read(f"lib/net10.0/{name}.xml").decode())
        assert documented, f"{name} has no documentation"
    with zipfile.ZipFile(pathlib.Path(folder, f"{name}.{version}.snupkg")) as symbols:
        assert entries(symbols) == {f"{name}.nuspec", f"lib/net10.0/{name}.pdb"}, f"{name}: symbols"
tools = pathlib.Path(folder).glob(f"Sluice.Cli*.{version}.nupkg")
for path in sorted(tools):
    with zipfile.ZipFile(path) as package:
        name = path.name.removesuffix(f".{version}.nupkg")
        files = {n.rpartition("/")[2] for n in entries(package) if n.startswith("tools/")}
        assert files in ({"DotnetToolSettings.xml"}, set(TOOL)), f"{name}: {files ^ set(TOOL)}"
        rest = {n for n in entries(package) if not n.startswith("tools/")}
        assert rest == {"LICENSE", "README.md", "icon.png", f"{name}.nuspec"}, f"{name}: {rest}"
        check(package, name)
PYTHON

# Symbols have paths in parts: of those the comparison at the end is the proof.
say "no path of this machine"
for package in "$scratch"/packages/*.*nupkg; do
  python3 - "$package" "$root" "$scratch" "$HOME" <<'PYTHON'
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as package:
    paths = [p.rstrip("/") + "/" for p in sys.argv[2:] if len(p) > 1]
    found = [(n, p) for n in package.namelist() for p in paths if p.encode() in package.read(n)]
assert not found, found
PYTHON
done

say "the tool"
new tool
dotnet tool install Sluice.Cli --version "$version" --tool-path "$scratch/bin" --add-source "$scratch/packages" >/dev/null
"$scratch/bin/sluice" --version
"$scratch/bin/sluice" copy "$root/README.md" "$scratch/tool/copy" >/dev/null
cmp "$root/README.md" "$scratch/tool/copy"

say "a console program"
new console
program >Program.cs
cat >console.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework>
  <ImplicitUsings>enable</ImplicitUsings><Nullable>enable</Nullable><InvariantGlobalization>true</InvariantGlobalization></PropertyGroup>
  <ItemGroup>$(references)</ItemGroup>
</Project>
XML
dotnet run -v quiet

say "a program with Serilog and Lucene.NET"
new events
cat >Program.cs <<'CSHARP'
using Lucene.Net.Analysis.Core;
using Lucene.Net.Documents;
using Lucene.Net.Index;
using Lucene.Net.Search;
using Lucene.Net.Util;
using Serilog;
using Sluice.Lucene;

string folder = Directory.CreateTempSubdirectory("sluice-package-").FullName;
string log = Path.Combine(folder, "log");
using (var logger = new LoggerConfiguration().WriteTo.SluiceLog(log, "{Level:u3} {Message:lj}{NewLine}").CreateLogger())
{
    for (int i = 0; i < 1000; i++)
        logger.Information("event {Number}", i);
}
string[] lines = [.. Directory.GetFiles(log).Order(StringComparer.Ordinal).SelectMany(File.ReadAllLines)];
int found;
using (SluiceDirectory directory = new(Path.Combine(folder, "index")))
{
    using (IndexWriter writer = new(directory, new(LuceneVersion.LUCENE_48, new WhitespaceAnalyzer(LuceneVersion.LUCENE_48))))
    {
        foreach (string line in lines)
            writer.AddDocument([new TextField("text", line, Field.Store.YES)]);
    }
    using DirectoryReader reader = DirectoryReader.Open(directory);
    found = new IndexSearcher(reader).Search(new TermQuery(new("text", "INF")), 10_000).TotalHits;
}
Directory.Delete(folder, recursive: true);
Console.WriteLine($"{lines.Length} lines, the last is '{lines[^1]}', and {found} were found");
return lines.Length == 1000 && lines[^1] == "INF event 999" && found == 1000 ? 0 : 1;
CSHARP
# Serilog and Lucene.Net come with the packages.
cat >events.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework>
  <ImplicitUsings>enable</ImplicitUsings><Nullable>enable</Nullable><InvariantGlobalization>true</InvariantGlobalization></PropertyGroup>
  <ItemGroup><PackageReference Include="Sluice.Serilog" Version="$version" />
  <PackageReference Include="Sluice.Lucene" Version="$version" />
  <PackageReference Include="Lucene.Net.Analysis.Common" Version="4.8.0-beta00017" /></ItemGroup>
</Project>
XML
dotnet run -v quiet

say "a web application"
new web
cat >Program.cs <<'CSHARP'
using Sluice;

string path = Path.GetTempFileName();
await SluiceFile.WriteAllTextAsync(path, "served");
var builder = WebApplication.CreateSlimBuilder(args);
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.Logging.ClearProviders();
await using WebApplication app = builder.Build();
app.MapGet("/", () => Results.Stream(new SluiceStream(path, FileMode.Open, FileAccess.Read, FileShare.Read), "text/plain"));
await app.StartAsync();
using HttpClient client = new();
string answer = await client.GetStringAsync(app.Urls.Single());
await app.StopAsync();
File.Delete(path);
Console.WriteLine(answer);
return answer == "served" ? 0 : 1;
CSHARP
cat >web.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings><Nullable>enable</Nullable></PropertyGroup>
  <ItemGroup>$(references)</ItemGroup>
</Project>
XML
dotnet run -v quiet

# publish NAME PROPERTY...: where a mirror lacks the runtime's own packages this says so.
publish() {
  local name="$1"
  shift
  say "$name"
  new "$name"
  program >Program.cs
  sed 's|<Nullable>|<PublishRepositoryUrl>false</PublishRepositoryUrl><Nullable>|' "$scratch/console/console.csproj" >"$name.csproj"
  if dotnet publish -c Release -r "$rid" -o out -v quiet --nologo "$@" >log 2>&1; then
    ./out/"$name"
  elif grep -q 'NU110[0-9]' log; then
    echo "left out: $(grep -m1 -o 'NU110[0-9].*' log)"
  else
    cat log
    return 1
  fi
}

[ -n "${SLUICE_SAME_BYTES:-}" ] || exit 0
say "the console program on .NET 11"
"$root/.ci/net11.sh" "$scratch/net11" >/dev/null
DOTNET_ROLL_FORWARD=LatestMajor "$scratch/net11/dotnet" "$scratch/console/bin/Debug/net10.0/console.dll"
publish trimmed -p:PublishTrimmed=true -p:PublishSingleFile=true --self-contained
publish native -p:PublishAot=true

say "the same bytes from another folder"
cd "$root"
if [ -n "$(git status --porcelain)" ]; then
  echo "left out: there are changes that are not committed, and a clone has none of them"
  exit
fi
unset NUGET_PACKAGES
git clone -q . "$scratch/elsewhere"
pack "$scratch/elsewhere" "$scratch/again" -p:RunAnalyzers=false
for package in "$scratch"/again/*.*nupkg; do
  cmp "$scratch/packages/$(basename "$package")" "$package"
  echo "$(basename "$package"): the same, $(sha256sum <"$package" | cut -c1-16)"
done
