using System.Diagnostics;
using System.IO.Compression;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Xml.Linq;
using PublicDocs;
using Shouldly;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests;

/// <summary>
/// What `dotnet pack` puts into each package: its assembly, README, licence and documentation, the symbols, and nothing else.
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class PackageTests(PackageTests.Packages packages) : IClassFixture<PackageTests.Packages>
{
    private const string Framework = "net10.0";

    [Theory]
    [InlineData("Sluice", new[] { "Sluice" }, "")]
    [InlineData("Sluice.Testing", new[] { "Sluice.Testing" }, "Sluice")]
    [InlineData("Sluice.Classic", new[] { "Sluice.Classic" }, "Sluice")]
    [InlineData("Sluice.Extensions.Logging", new[] { "Sluice.Extensions.Logging" },
        "Sluice Microsoft.Extensions.Logging.Abstractions 10.0.0 Microsoft.Extensions.DependencyInjection.Abstractions 10.0.0")]
    [InlineData("Sluice.Serilog", new[] { "Sluice.Serilog" }, "Sluice Serilog 3.1.1")]
    public void A_library_package_has_its_assemblies_and_documents_and_nothing_else(string project, string[] assemblies, string dependencies)
    {
        string folder = packages.FolderOf(project);
        string package = Directory.GetFiles(folder, "*.nupkg").ShouldHaveSingleItem();
        Entries(package).ShouldBe(
            [
                "LICENSE", "README.md", "icon.png", $"{project}.nuspec",
                .. assemblies.Select(a => $"lib/{Framework}/{a}.dll"), $"lib/{Framework}/{project}.xml",
            ],
            ignoreOrder: true);
        Entries(Directory.GetFiles(folder, "*.snupkg").ShouldHaveSingleItem()).ShouldBe(
            [$"{project}.nuspec", .. assemblies.Select(a => $"lib/{Framework}/{a}.pdb")], ignoreOrder: true);
        Dependencies(package).ShouldBe(dependencies);
    }

    [Theory]
    [InlineData("Sluice")]
    [InlineData("Sluice.Testing")]
    [InlineData("Sluice.Classic")]
    [InlineData("Sluice.Extensions.Logging")]
    [InlineData("Sluice.Serilog")]
    public void A_library_package_documents_all_that_its_users_can_name_and_no_more(string project)
    {
        using ZipArchive archive = ZipFile.OpenRead(Directory.GetFiles(packages.FolderOf(project), "*.nupkg").ShouldHaveSingleItem());
        using Stream stream = archive.GetEntry($"lib/{Framework}/{project}.xml")!.Open();
        string[] documented = [.. XDocument.Load(stream).Descendants("member").Select(m => m.Attribute("name")!.Value)];
        Assembly assembly = Packages.AssemblyOf(project);
        Type[] visible = [.. assembly.GetTypes().Where(t => t.IsVisible)];
        documented.Where(m => m.StartsWith("T:", StringComparison.Ordinal)).ShouldBe(
            visible.Select(t => $"T:{t.FullName!.Replace('+', '.')}"), ignoreOrder: true);
        documented.Except(DocumentationIds.Visible(assembly)).ShouldBeEmpty();
        visible.Where(t => !t.IsAssignableTo(typeof(Delegate))).SelectMany(t => t.GetMembers(DocumentationIds.Declared)).Where(IsWritten)
            .Select(DocumentationIds.OfVisible).OfType<string>().Except(documented).ShouldBeEmpty();
    }

    [Theory]
    [InlineData("Sluice")]
    [InlineData("Sluice.Testing")]
    [InlineData("Sluice.Classic")]
    [InlineData("Sluice.Extensions.Logging")]
    [InlineData("Sluice.Serilog")]
    [InlineData("Sluice.Cli")]
    public void What_a_package_says_of_itself_is_there(string project)
    {
        using ZipArchive archive = ZipFile.OpenRead(Directory.GetFiles(packages.FolderOf(project), "*.nupkg").ShouldHaveSingleItem());
        using Stream manifest = archive.GetEntry($"{project}.nuspec")!.Open();
        Dictionary<string, XElement> said = XDocument.Load(manifest).Root!.Elements().Single().Elements()
            .ToDictionary(e => e.Name.LocalName, StringComparer.Ordinal);
        said["id"].Value.ShouldBe(project);
        string changes = File.ReadAllText(Path.Combine(Readme.ReadmeTests.Root, "CHANGELOG.md"));
        string newest = changes.Split("\n## ")[1];
        newest.ShouldStartWith(said["version"].Value);
        said["releaseNotes"].Value.Trim().ShouldBe(newest[newest.IndexOf('\n', StringComparison.Ordinal)..].Trim());
        foreach (string name in (string[])["icon", "readme", "projectUrl", "description", "tags", "license"])
        {
            said[name].Value.ShouldNotBeEmpty(name);
        }

        said["repository"].Attribute("url").ShouldNotBeNull().Value.ShouldNotBeEmpty();
    }

    /// <summary>Where a package is shown there are no files beside its README.</summary>
    [Theory]
    [InlineData("Sluice")]
    [InlineData("Sluice.Cli")]
    public void A_packages_readme_leads_to_nothing_beside_it(string project)
    {
        using ZipArchive archive = ZipFile.OpenRead(Directory.GetFiles(packages.FolderOf(project), "*.nupkg").ShouldHaveSingleItem());
        using StreamReader readme = new(archive.GetEntry("README.md")!.Open());
        string text = readme.ReadToEnd();
        text.Replace("](https:", "").ShouldNotContain("](");
        text.ShouldContain("`docs/guide.md`");
        text.ShouldContain("\\n", Case.Sensitive, "the samples are as they were");
    }

    [Fact]
    public void The_tools_package_has_what_it_runs_on_and_nothing_else()
    {
        string[] own = ["Sluice", "Sluice.Classic", "Sluice.Cli"];
        Entries(Directory.GetFiles(packages.FolderOf("Sluice.Cli")).ShouldHaveSingleItem()).ShouldBe(
            [
                "LICENSE", "README.md", "icon.png", "Sluice.Cli.nuspec",
                .. new[]
                {
                    "DotnetToolSettings.xml", "Sluice.Cli.deps.json", "Sluice.Cli.runtimeconfig.json", "Spectre.Console.dll",
                    "Spectre.Console.Ansi.dll", "System.CommandLine.dll", "HdrHistogram.dll", "Perfolizer.dll", "Pragmastat.dll",
                }
                    .Concat(own.Select(a => $"{a}.dll")).Concat(own.Select(a => $"{a}.pdb")).Select(f => $"tools/{Framework}/any/{f}"),
            ],
            ignoreOrder: true);
    }

    [Fact]
    public void A_package_without_what_the_last_one_had_is_refused_whenever_it_was_packed_before()
    {
        using TempFolder last = new();
        string now = Directory.GetFiles(packages.FolderOf("Sluice.Classic"), "*.nupkg").ShouldHaveSingleItem();
        string testing = Directory.GetFiles(packages.FolderOf("Sluice.Testing"), "*.nupkg").ShouldHaveSingleItem();
        File.Copy(now, last["Sluice.Classic.0.0.1.nupkg"]);
        File.Copy(now, last["Sluice.Classic.0.0.2.nupkg"]);
        using (ZipArchive other = ZipFile.OpenRead(testing))
        using (ZipArchive changed = ZipFile.Open(last["Sluice.Classic.0.0.2.nupkg"], ZipArchiveMode.Update))
        {
            // Types that this one has not, in the place of its own.
            changed.GetEntry($"lib/{Framework}/Sluice.Classic.dll")!.Delete();
            using Stream from = other.GetEntry($"lib/{Framework}/Sluice.Testing.dll")!.Open();
            using Stream to = changed.CreateEntry($"lib/{Framework}/Sluice.Classic.dll").Open();
            from.CopyTo(to);
        }

        foreach ((string version, string refusal) in new[]
        {
            ("0.0.1", ""), ("0.0.2", "Sluice.Testing.FaultyEngine"), ("0.0.3", "There is no "), ("", "LastVersion"),
        })
        {
            using TempFolder target = new();
            string[] properties = [$"-p:LastPackages={Path.GetDirectoryName(last["any"])}", $"-p:LastVersion={version}"];
            (int exitCode, string output) = Packages.TryPack("Sluice.Classic", target["out"], properties);
            exitCode.ShouldBe(refusal == "" ? 0 : 1, output);
            output.ShouldContain(refusal);
        }
    }

    /// <summary>Not what the compiler adds, nor accessors, nor what a base class documents.</summary>
    private static bool IsWritten(MemberInfo member) => !member.IsDefined(typeof(CompilerGeneratedAttribute)) && member switch
    {
        MethodInfo method => (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal))
            && method.GetBaseDefinition() == method,
        PropertyInfo property => property.GetAccessors(nonPublic: true).All(a => a.GetBaseDefinition() == a),
        ConstructorInfo constructor => constructor.GetParameters().Length > 0,
        FieldInfo field => !field.IsSpecialName,
        _ => true,
    };

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

    private static string Dependencies(string package)
    {
        using ZipArchive archive = ZipFile.OpenRead(package);
        using Stream manifest = archive.Entries.Single(e => e.FullName.EndsWith(".nuspec", StringComparison.Ordinal)).Open();
        XElement group = XDocument.Load(manifest).Descendants()
            .Single(e => e.Name.LocalName == "group" && e.Attribute("targetFramework")!.Value == Framework);
        return string.Join(' ', group.Elements().Select(e => (Id: e.Attribute("id")!.Value, Version: e.Attribute("version")!.Value))
            .Select(d => d.Id == "Sluice" ? d.Id : $"{d.Id} {d.Version}"));
    }

    private static string Sources([CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", "..", "src"));

    /// <summary>Each project's packages, made once, of what was built for this run.</summary>
    public sealed class Packages : IDisposable
    {
        private readonly TempFolder _folder = new();

        private static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

        public string FolderOf(string project)
        {
            string folder = _folder[project];
            if (!Directory.Exists(folder))
            {
                Pack(project, folder);
            }

            return folder;
        }

        public void Dispose() => _folder.Dispose();

        /// <summary>What was built for this run, for a look at its members only.</summary>
        public static Assembly AssemblyOf(string project)
        {
            string folder = Path.Combine(Sources(), project, "bin", Configuration, Framework);
            AssemblyLoadContext context = new(project);
            context.Resolving += (_, name) => context.LoadFromAssemblyPath(Path.Combine(folder, $"{name.Name}.dll"));
            return context.LoadFromAssemblyPath(Path.Combine(folder, $"{project}.dll"));
        }

        private static void Pack(string project, string target)
        {
            (int exitCode, string output) = TryPack(project, target, []);
            exitCode.ShouldBe(0, output);
        }

        /// <summary>Packs what was built for this run, and says what came of it.</summary>
        public static (int ExitCode, string Output) TryPack(string project, string target, string[] properties)
        {
            string[] arguments =
                ["pack", Path.Combine(Sources(), project), "--no-build", "-c", Configuration, "-o", target, .. properties];
            ProcessStartInfo start = new("dotnet", arguments)
            {
                UseShellExecute = false,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            using Process process = Process.Start(start)!;
            Task<string> errors = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return (process.ExitCode, output + errors.Result);
        }
    }
}
