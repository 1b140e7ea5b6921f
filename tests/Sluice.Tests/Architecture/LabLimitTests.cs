using System.Reflection;

namespace Sluice.Tests.Architecture;

/// <summary>The lists of tests that labs (docs/testing.md) leave out.</summary>
[Trait("Runs", "once")]
public sealed class LabLimitTests
{
    [Theory]
    [InlineData("windows-limits.txt")]
    [InlineData("gluster-limits.txt")]
    public void Each_limit_names_a_test_and_has_a_reason(string list)
    {
        string[] tests =
        [
            .. typeof(LabLimitTests).Assembly.GetTypes().SelectMany(static type => type.GetMethods()
                .Where(static method => method.IsDefined(typeof(FactAttribute)))
                .Select(method => $"{type.FullName}.{method.Name}")),
        ];
        string[] limits = File.ReadAllLines(Path.Combine(SourceTree.Root, "tests", "labs", list));
        limits.ShouldNotBeEmpty();
        limits.Where(l => !HasReason(l) || !tests.Any(t => t.Contains(l.Split('|')[0], StringComparison.Ordinal))).ShouldBeEmpty();
    }

    private static bool HasReason(string limit) => limit.Split('|') is [{ Length: > 0 }, { Length: > 0 }];
}
