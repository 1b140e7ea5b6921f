using System.Reflection;
using System.Text.RegularExpressions;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Tests.Architecture;

/// <summary>
/// The result of each system call is looked at, or a comment right above the call, or behind it, says why not: an error that is dropped by
/// mistake is one that no caller hears of.
/// </summary>
[Trait("Runs", "once")]
public sealed partial class DroppedResultTests
{
    private const int TimeoutMs = 30_000;

    /// <summary>The methods that make system calls and return their results, as "Type.Method".</summary>
    private static readonly HashSet<string> Calls =
    [
        .. typeof(Libc).Assembly.GetTypes().Where(static t => t.Namespace == typeof(Libc).Namespace)
            .Append(typeof(Syscalls))
            .SelectMany(static t => t.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic))
            .Where(static m => m.ReturnType == typeof(int) || m.ReturnType == typeof(long) || m.ReturnType == typeof(nint)
                || m.ReturnType == typeof(bool))
            .Select(static m => $"{m.DeclaringType!.Name}.{m.Name}"),
    ];

    [Theory]
    [InlineData("Sluice")]
    [InlineData("Sluice.Cli")]
    [InlineData("Sluice.Classic")]
    public void A_result_is_looked_at_or_a_comment_says_why_not(string project)
    {
        List<string> dropped = [];
        foreach (SourceTree.SourceFile file in SourceTree.Of(project).Files)
        {
            string type = Path.GetFileName(file.Name).Split('.')[0];
            for (int i = 1; i < file.Lines.Length; i++)
            {
                if (Drops(type, file.Lines[i], Before(file.Lines, i)) && !HasReason(file.Lines, i))
                {
                    dropped.Add($"{file.Name}:{i + 1}: {file.Lines[i].Trim()}");
                }
            }
        }

        dropped.ShouldBeEmpty();
    }

    [Theory]
    [InlineData("_ = Libc.SetFlags(fd, 0);", "{", true)]
    [InlineData("Libc.SetFlags(fd, 0);", "x++;", true)]
    [InlineData("public static void Close(int fd) => _ = close(fd);", "", true)]
    [InlineData("Libc.SetFlags(fd, 0);", "int result =", false)]
    [InlineData("int result = Libc.SetFlags(fd, 0);", "{", false)]
    [InlineData("_ = list.Remove(fd);", "{", false)]
    public void The_rule_finds_what_it_is_for(string line, string before, bool drops) => Drops("PathCalls", line, before).ShouldBe(drops);

    private static bool Drops(string type, string line, string before)
    {
        Match match = Statement().Match(line);
        bool isStatement = before.Length == 0 || before[^1] is ';' or '{' or '}' or ':' or ')';
        if (!match.Success || (!match.Groups["discard"].Success && (!isStatement || match.Value.StartsWith('='))))
        {
            return false;
        }

        return Calls.Contains($"{(match.Groups["type"].Success ? match.Groups["type"].Value : type)}.{match.Groups["method"].Value}");
    }

    private static string Before(string[] lines, int index)
    {
        for (index--; index > 0 && lines[index].Trim() is "" or ['/', '/', ..]; index--)
        {
        }

        return lines[index].Trim();
    }

    private static bool HasReason(string[] lines, int index) =>
        lines[index].Contains(" // ", StringComparison.Ordinal) || lines[index - 1].TrimStart().StartsWith("//", StringComparison.Ordinal);

    [GeneratedRegex(
        @"(^\s*|=>\s*)(?<discard>_ = )?(SystemCallFaults\.Fails\([^)]*\) \? -1 : )?((?<type>\w+)\.)?(?<method>\w+)\(",
        RegexOptions.ExplicitCapture,
        TimeoutMs)]
    private static partial Regex Statement();
}
