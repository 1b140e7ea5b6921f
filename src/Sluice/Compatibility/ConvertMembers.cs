namespace Sluice.Compatibility;

/// <summary>What Convert of .NET 8 lacks.</summary>
internal static class ConvertMembers
{
    extension(Convert)
    {
        public static string ToHexStringLower(ReadOnlySpan<byte> bytes) => Convert.ToHexString(bytes).ToLowerInvariant();
    }
}
