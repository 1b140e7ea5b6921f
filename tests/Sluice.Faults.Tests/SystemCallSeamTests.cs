using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Shouldly;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Every system call of the library passes <see cref="Uring.SystemCallFaults"/>, so that a test can let it fail.</summary>
public sealed partial class SystemCallSeamTests
{
    private const int TimeoutMs = 10_000;

    /// <summary>Whose answer nobody looks at, or that cannot fail, or that are not Linux's.</summary>
    private static readonly HashSet<string> Exempt =
    [
        "close", "munmap", "shmdt", "geteuid", "getegid", "getrlimit", "capget", "wakeSleeper", "CreateFile", "GetFileInformationByHandle",
    ];

    [Fact]
    public void Every_system_call_asks_whether_it_is_to_fail()
    {
        int calls = 0;
        List<string> unasked = [];
        (string File, string Code)[] sources = [.. Sources().Select(static f => (f, Comment().Replace(File.ReadAllText(f), "")))];
        string[] names =
        [
            .. sources.SelectMany(static s => Declaration().Matches(s.Code)).Select(static m => m.Groups["name"].Value).Distinct()
                .Except(Exempt),
        ];
        foreach ((string file, string code) in sources)
        {
            foreach (string name in names)
            {
                foreach (Match call in Regex.Matches(code, $@"(?<![\w.""]){name}\(", RegexOptions.None, TimeSpan.FromSeconds(10)))
                {
                    string statement = code[(code.LastIndexOf(';', call.Index) + 1)..call.Index];
                    if (statement.Contains("[LibraryImport", StringComparison.Ordinal))
                    {
                        continue;
                    }

                    calls++;
                    if (!statement.Contains("SystemCallFaults.Fails(", StringComparison.Ordinal))
                    {
                        unasked.Add($"{Path.GetFileName(file)}: {name}");
                    }
                }
            }
        }

        unasked.ShouldBeEmpty();
        calls.ShouldBeGreaterThan(50);
    }

    [Fact]
    public void Every_function_of_the_C_library_is_declared_once()
    {
        string kernel = Path.Combine("Sluice", "Kernel");
        string[] names =
        [
            .. Sources().Where(f => f.Contains(kernel, StringComparison.Ordinal))
                .SelectMany(static f => Declaration().Matches(File.ReadAllText(f))).Select(static m => m.Groups["name"].Value),
        ];
        names.Length.ShouldBeGreaterThan(50);
        names.GroupBy(static name => name).Where(static g => g.Count() > 1).Select(static g => g.Key).ShouldBeEmpty();
    }

    private static IEnumerable<string> Sources([CallerFilePath] string source = "")
    {
        string root = Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", "..", "src"));
        return Directory.EnumerateFiles(Path.Combine(root, "Sluice", "Kernel"), "*.cs")
            .Concat(Directory.EnumerateFiles(Path.Combine(root, "Sluice.Uring"), "*.cs"));
    }

    [GeneratedRegex(
        @"\[LibraryImport[^\]]*\]\s*(\[[^\]]*\]\s*)?(private|internal) static partial [\w*.]+ (?<name>\w+)\(",
        RegexOptions.ExplicitCapture,
        TimeoutMs)]
    private static partial Regex Declaration();

    [GeneratedRegex(@"//[^\n]*", RegexOptions.None, TimeoutMs)]
    private static partial Regex Comment();
}
