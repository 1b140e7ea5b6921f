namespace Shouldly;

/// <summary>
/// Arrays and lists that are equal are found so at once: Shouldly looks at each element by itself, which takes half a microsecond for a
/// byte. What differs, or may differ, is Shouldly's to judge and to tell of.
/// </summary>
[ShouldlyMethods]
internal static class QuickEquality
{
    public static void ShouldBe<T>(this T[]? actual, T[]? expected, string? customMessage = null)
    {
        if (actual is null || expected is null || !actual.AsSpan().SequenceEqual(expected, EqualityComparer<T>.Default))
        {
            ShouldBeTestExtensions.ShouldBe<T[]?>(actual, expected, customMessage);
        }
    }

    public static void ShouldBe<T>(this List<T>? actual, List<T>? expected, string? customMessage = null)
    {
        if (actual is null || expected is null || !actual.SequenceEqual(expected))
        {
            ShouldBeTestExtensions.ShouldBe<List<T>?>(actual, expected, customMessage);
        }
    }
}
