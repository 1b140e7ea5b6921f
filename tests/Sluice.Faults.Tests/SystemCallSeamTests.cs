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

    /// <summary>So that no errno of an opening that failed is taken for the current folder.</summary>
    [Fact]
    public void Every_call_that_takes_a_folder_is_told_of_it_by_the_one_that_knows_what_is_none()
    {
        (string File, string Code)[] sources = [.. Sources().Select(static f => (f, Comment().Replace(File.ReadAllText(f), "")))];
        Dictionary<string, int> folders = sources.SelectMany(static s => FolderDeclaration().Matches(s.Code))
            .ToDictionary(static m => m.Groups["name"].Value, static m => FolderParameter().Count(m.Groups["parameters"].Value));
        folders.Keys.ShouldContain("openat");
        folders.Where(static f => f.Value == 0).Select(static f => f.Key).ShouldBe(["shmat"], "a folder's parameter is known by its name");
        int calls = 0;
        List<string> untold = [];
        foreach ((string file, string code) in sources)
        {
            foreach (Match call in FolderCall().Matches(code))
            {
                string name = call.Groups["name"].Value;
                int wanted = call.Groups["number"].ValueSpan switch { "" => folders.GetValueOrDefault(name), "NrRenameAt2" => 2, _ => 1 };
                string before = code[(code.LastIndexOf(';', call.Index) + 1)..call.Index];
                if (wanted == 0 || before.Contains("[LibraryImport", StringComparison.Ordinal))
                {
                    continue;
                }

                calls++;
                int told = ToldFolder().Count(ArgumentsAt(code, call.Index + call.Length));
                if (told < wanted)
                {
                    untold.Add($"{Path.GetFileName(file)}: {call.Value}");
                }
            }
        }

        untold.ShouldBeEmpty();
        calls.ShouldBeGreaterThan(15);
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

    /// <summary>What stands behind an opened parenthesis, up to the one that closes it.</summary>
    private static string ArgumentsAt(string code, int begin)
    {
        int end = begin;
        for (int depth = 1; depth > 0; end++)
        {
            depth += code[end] == '(' ? 1 : code[end] == ')' ? -1 : 0;
        }

        return code[begin..end];
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

    [GeneratedRegex(
        @"\[LibraryImport[^\]]*\]\s*(private|internal) static partial [\w*.]+ (?<name>\w+at|statx)\((?<parameters>[^)]*)\)",
        RegexOptions.ExplicitCapture,
        TimeoutMs)]
    private static partial Regex FolderDeclaration();

    [GeneratedRegex(@"\bint (directoryFd|fromFd|toFd)\b", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex FolderParameter();

    /// <summary>By name, or by the number of the call: openat2, renameat2, faccessat2.</summary>
    [GeneratedRegex(
        @"(?<![\w.""])((?<name>\w+at|statx)\(|syscall\((?<number>Nr\w+At2))", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex FolderCall();

    [GeneratedRegex(@"\b(KernelFolder|NoFolder)\b", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex ToldFolder();

    [GeneratedRegex(@"//[^\n]*", RegexOptions.None, TimeoutMs)]
    private static partial Regex Comment();
}
