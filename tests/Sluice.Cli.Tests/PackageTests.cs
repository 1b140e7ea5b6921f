using System.Diagnostics;
using System.IO.Compression;
using System.Runtime.CompilerServices;
using System.Xml.Linq;
using Shouldly;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests;

/// <summary>
/// What `dotnet pack` puts into each package: its assembly, README, licence and documentation, the symbols, and nothing else.
/// </summary>
public sealed class PackageTests
{
    private const string Framework = "net10.0";

    [Theory]
    [InlineData("Sluice", new[] { "Sluice", "Sluice.Uring" }, "")]
    [InlineData("Sluice.Testing", new[] { "Sluice.Testing" }, "Sluice")]
    [InlineData("Sluice.Classic", new[] { "Sluice.Classic" }, "Sluice")]
    public void A_librarys_package_has_its_assemblies_and_documents_and_nothing_else(string project, string[] assemblies,
        string dependencies)
    {
        using TempFolder folder = new();
        Pack(project, folder.FullPath);
        string package = Directory.GetFiles(folder.FullPath, "*.nupkg").ShouldHaveSingleItem();
        Entries(package).ShouldBe(
            [
                "LICENSE", "README.md", $"{project}.nuspec",
                .. assemblies.Select(a => $"lib/{Framework}/{a}.dll"), $"lib/{Framework}/{project}.xml",
            ],
            ignoreOrder: true);
        Entries(Directory.GetFiles(folder.FullPath, "*.snupkg").ShouldHaveSingleItem()).ShouldBe(
            [$"{project}.nuspec", .. assemblies.Select(a => $"lib/{Framework}/{a}.pdb")], ignoreOrder: true);
        string.Join(' ', Dependencies(package)).ShouldBe(dependencies);
    }

    [Fact]
    public void The_tools_package_has_what_it_runs_on_and_nothing_else()
    {
        using TempFolder folder = new();
        Pack("Sluice.Cli", folder.FullPath);
        string[] own = ["Sluice", "Sluice.Classic", "Sluice.Cli", "Sluice.Uring"];
        Entries(Directory.GetFiles(folder.FullPath).ShouldHaveSingleItem()).ShouldBe(
            [
                "LICENSE", "README.md", "Sluice.Cli.nuspec",
                .. new[]
                {
                    "DotnetToolSettings.xml", "Sluice.Cli.deps.json", "Sluice.Cli.runtimeconfig.json", "Spectre.Console.dll",
                    "System.CommandLine.dll",
                }
                    .Concat(own.Select(a => $"{a}.dll")).Concat(own.Select(a => $"{a}.pdb")).Select(f => $"tools/{Framework}/any/{f}"),
            ],
            ignoreOrder: true);
    }

    /// <summary>As it was built for this run.</summary>
    private static void Pack(string project, string target)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;
        ProcessStartInfo start = new("dotnet", ["pack", Path.Combine(Sources(), project), "--no-build", "-c", configuration, "-o", target])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.ShouldBe(0, output + errors.Result);
    }

    private static string[] Entries(string package)
    {
        using ZipArchive archive = ZipFile.OpenRead(package);
        return
        [
            .. archive.Entries.Select(e => e.FullName).Where(name =>
                !name.StartsWith("_rels/", StringComparison.Ordinal) && !name.StartsWith("package/", StringComparison.Ordinal)
                && name != "[Content_Types].xml"),
        ];
    }

    private static IEnumerable<string> Dependencies(string package)
    {
        using ZipArchive archive = ZipFile.OpenRead(package);
        using Stream manifest = archive.Entries.Single(e => e.FullName.EndsWith(".nuspec", StringComparison.Ordinal)).Open();
        return [.. XDocument.Load(manifest).Descendants().Where(e => e.Name.LocalName == "dependency")
            .Select(e => e.Attribute("id")!.Value)];
    }

    private static string Sources([CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", "..", "src"));
}
