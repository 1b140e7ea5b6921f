using System.Reflection;

namespace Sluice.Tests.Files;

/// <summary>Change the name and it compiles: SluiceFile has File's members with File's parameters.</summary>
public sealed class SluiceFileSurfaceTests
{
    private static readonly string[] Prefixes = ["Read", "Write", "Append", "Open", "Create", "Copy", "Move", "Replace"];

    // Links and encryption are neither reading nor writing; handles are SluiceHandles here.
    private static readonly string[] Others = ["CreateSymbolicLink"];

    [Fact]
    public void Every_member_of_File_that_transfers_is_there()
    {
        HashSet<string> own = [.. typeof(SluiceFile).GetMethods(BindingFlags.Public | BindingFlags.Static).Select(Signature)];
        string[] expected =
        [
            .. typeof(File).GetMethods(BindingFlags.Public | BindingFlags.Static)
                .Where(m => Prefixes.Any(p => m.Name.StartsWith(p, StringComparison.Ordinal)) && !Others.Contains(m.Name))
                .Select(Signature),
        ];
        expected.Length.ShouldBeGreaterThan(55);
        expected.Where(e => !own.Contains(e)).ShouldBeEmpty();
    }

    private static string Signature(MethodInfo method) =>
        $"{Name(method.ReturnType)} {method.Name}({string.Join(", ", method.GetParameters().Select(p => $"{Name(p.ParameterType)} {p.Name}{(p.HasDefaultValue ? "?" : "")}"))})";

    private static string Name(Type type) => type.ToString()
        .Replace("System.IO.FileStreamOptions", "options", StringComparison.Ordinal)
        .Replace("System.IO.FileStream", "Sluice.SluiceStream", StringComparison.Ordinal)
        .Replace("Microsoft.Win32.SafeHandles.SafeFileHandle", "Sluice.SluiceHandle", StringComparison.Ordinal);
}
