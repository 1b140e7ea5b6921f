using System.Globalization;

namespace Sluice.Cli.Terminal;

/// <summary>Parses and formats sizes: 65536, 64K, 64KiB, 1.5G. K, M, G and T are powers of 1024.</summary>
internal static class ByteSize
{
    public const long KiB = 1024;
    public const long MiB = 1024 * KiB;
    public const long GiB = 1024 * MiB;
    public const long TiB = 1024 * GiB;

    public static bool TryParse(string? text, out long bytes)
    {
        bytes = 0;
        if (string.IsNullOrEmpty(text))
            return false;
        int digits = 0;
        while (digits < text.Length && (char.IsAsciiDigit(text[digits]) || text[digits] == '.'))
            digits++;
        if (!decimal.TryParse(text.AsSpan(0, digits), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal number))
            return false;
        long unit = text[digits..].ToUpperInvariant() switch
        {
            "" or "B" => 1,
            "K" or "KIB" => KiB,
            "M" or "MIB" => MiB,
            "G" or "GIB" => GiB,
            "T" or "TIB" => TiB,
            _ => 0,
        };
        if (unit == 0 || number > long.MaxValue / unit)
            return false;
        decimal product = number * unit;
        if (product != decimal.Truncate(product) || product > long.MaxValue)
            return false;
        bytes = (long)product;
        return true;
    }

    /// <summary>Formats a size in the largest suitable binary unit, with at most two decimals: 64 KiB, 1.5 MiB, 777 B.</summary>
    public static string Format(long bytes)
    {
        (long unit, string name) = Math.Abs(bytes) switch
        {
            >= TiB => (TiB, "TiB"),
            >= GiB => (GiB, "GiB"),
            >= MiB => (MiB, "MiB"),
            >= KiB => (KiB, "KiB"),
            _ => (1, "B"),
        };
        return $"{bytes / (double)unit:0.##} {name}";
    }
}
