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
        ["close", "munmap", "geteuid", "getrlimit", "capget", "wakeSleeper", "CreateFile", "GetFileInformationByHandle"];

    [Fact]
    public void Every_system_call_asks_whether_it_is_to_fail()
    {
        int calls = 0;
        List<string> unasked = [];
        foreach (string file in Sources())
        {
            string code = Comment().Replace(File.ReadAllText(file), "");
            foreach (string name in Declaration().Matches(code).Select(static m => m.Groups["name"].Value).Distinct().Except(Exempt))
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

    private static IEnumerable<string> Sources([CallerFilePath] string source = "")
    {
        string root = Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", "..", "src"));
        return Directory.EnumerateFiles(Path.Combine(root, "Sluice", "Kernel"), "*.cs")
            .Concat(Directory.EnumerateFiles(Path.Combine(root, "Sluice.Uring"), "*.cs"));
    }

    [GeneratedRegex(
        @"\[LibraryImport[^\]]*\]\s*(\[[^\]]*\]\s*)?private static partial [\w*.]+ (?<name>\w+)\(",
        RegexOptions.ExplicitCapture,
        TimeoutMs)]
    private static partial Regex Declaration();

    [GeneratedRegex(@"//[^\n]*", RegexOptions.None, TimeoutMs)]
    private static partial Regex Comment();
}
