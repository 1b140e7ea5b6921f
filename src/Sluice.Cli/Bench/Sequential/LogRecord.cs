using System.Runtime.InteropServices;

namespace Sluice.Cli.Bench.Sequential;

/// <summary>A record of 100 bytes: a number and twelve more.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 4)]
internal struct LogRecord
{
    public const int FieldCount = 12;

    public int Kind;
    public Fields Values;

    [System.Runtime.CompilerServices.InlineArray(FieldCount)]
    public struct Fields
    {
        private long _first;
    }
}
