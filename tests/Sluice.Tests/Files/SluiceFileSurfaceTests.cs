using System.Reflection;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Files;

/// <summary>Change the name and it compiles: SluiceFile has every member of File, with the same parameters and annotations.</summary>
public sealed class SluiceFileSurfaceTests
{
    private static readonly NullabilityInfoContext Nullability = new();

    // What a call gives that is of another type, and why code that uses it compiles.
    private static readonly Dictionary<Type, (Type Own, string Reason)> Replaced = new()
    {
        [typeof(FileStream)] =
            (typeof(SluiceStream), "a Stream with FileStream's members; a variable that is declared as FileStream becomes var or Stream"),
        [typeof(SafeFileHandle)] = (typeof(SluiceHandle), "converts to a SafeFileHandle by itself"),
    };

    [Fact]
    public void Every_member_of_File_is_there()
    {
        HashSet<string> own = [.. Members(typeof(SluiceFile)).Select(m => Signature(m, m.ReturnType))];
        string[] expected =
            [.. Members(typeof(File)).Select(m => Signature(m, Replaced.TryGetValue(m.ReturnType, out var r) ? r.Own : m.ReturnType))];
        expected.Length.ShouldBeGreaterThan(100);
        expected.Where(e => !own.Contains(e)).ShouldBeEmpty();
    }

    [Fact]
    public void Types_that_differ_are_few_and_have_a_reason()
    {
        Type[] differing =
        [
            .. Members(typeof(File))
                .Where(m =>
                    typeof(SluiceFile).GetMethod(m.Name, [.. m.GetParameters().Select(p => p.ParameterType)])!.ReturnType != m.ReturnType)
                .Select(m => m.ReturnType).Distinct(),
        ];
        differing.ShouldBe(Replaced.Keys, ignoreOrder: true);
        typeof(SluiceStream).IsAssignableTo(typeof(Stream)).ShouldBeTrue();
        typeof(SluiceHandle).GetMethods().ShouldContain(m => m.Name == "op_Implicit" && m.ReturnType == typeof(SafeFileHandle));
    }

    private static MethodInfo[] Members(Type type) => type.GetMethods(BindingFlags.Public | BindingFlags.Static);

    private static string Signature(MethodInfo method, Type returned) =>
        $"{returned}{Mark(Nullability.Create(method.ReturnParameter))} {method.Name}"
        + $"({string.Join(", ", method.GetParameters().Select(Describe))}) {Platforms(method)}";

    private static string Describe(ParameterInfo parameter)
    {
        IEnumerable<string> annotations = parameter.GetCustomAttributesData().Select(a => a.AttributeType.Name)
            .Where(n => !n.StartsWith("Nullable", StringComparison.Ordinal) && n != "OptionalAttribute").Order(StringComparer.Ordinal);
        string standard = parameter.HasDefaultValue ? $" = {parameter.DefaultValue}" : "";
        return $"{string.Join(' ', annotations)} {parameter.ParameterType}{Mark(Nullability.Create(parameter))} {parameter.Name}{standard}";
    }

    private static string Mark(NullabilityInfo info) =>
        info is { ReadState: NullabilityState.Nullable, Type.IsValueType: false } ? "?" : "";

    private static string Platforms(MethodInfo method) =>
        string.Join(' ', method.GetCustomAttributes<OSPlatformAttribute>()
            .Select(a => $"{a.GetType().Name} {a.PlatformName}").Order(StringComparer.Ordinal));
}
