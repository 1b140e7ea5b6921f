using System.Globalization;

namespace Sluice.Cli.Commands;

/// <summary>The ratio of reads to writes, as in 70:30. Only the proportion matters.</summary>
internal readonly record struct MixRatio(int Reads, int Writes)
{
    public double WriteShare => Writes / ((double)Reads + Writes);

    public static bool TryParse(string? text, out MixRatio mix)
    {
        mix = default;
        string[] parts = (text ?? "").Split(':');
        if (parts.Length != 2
            || !int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out int reads)
            || !int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int writes)
            || (reads == 0 && writes == 0))
        {
            return false;
        }
        mix = new MixRatio(reads, writes);
        return true;
    }

    public override string ToString() => $"{Reads}:{Writes}";
}
