using System.Globalization;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>How long and how large: the full run, that of everyday work, or a quick one that only shows that everything works.</summary>
internal sealed record BenchScale
{
    /// <summary>A suite's space covers these too: logs, small files, what the file system itself takes.</summary>
    public const long SpareBytes = 64 * ByteSize.MiB;

    public required TimeSpan SliceTime { get; init; }

    /// <summary>Shorter, for there are more rows; a file of 100 MiB that is being passed is passed to its end.</summary>
    public required TimeSpan StreamSliceTime { get; init; }

    public required int Rounds { get; init; }

    public required TimeSpan FioTime { get; init; }

    /// <summary>Of a row: one in the middle round, or, of as many as there are rounds, one in each.</summary>
    public required int FioSamples { get; init; }

    public required long DirectFileBytes { get; init; }

    public required long HotFileBytes { get; init; }

    public required long AppendLimitBytes { get; init; }

    /// <summary>A file that a stream reads or writes from open to close.</summary>
    public required long StreamFileBytes { get; init; }

    /// <summary>A file that is passed byte by byte, number by number or line by line.</summary>
    public required long ByteFileBytes { get; init; }

    /// <summary>A file that is read directly from one end to the other.</summary>
    public required long SequentialFileBytes { get; init; }

    /// <summary>Text of lines of 100 bytes, and so records of 100 bytes too.</summary>
    public required long LogFileBytes { get; init; }

    /// <summary>Files of 4 KiB that are read and written in batches.</summary>
    public required int SmallFileCount { get; init; }

    /// <summary>Small files of a tree that is copied.</summary>
    public required int TreeFileCount { get; init; }

    /// <summary>Files that are enumerated.</summary>
    public required int EnumeratedFileCount { get; init; }

    /// <summary>A file that is copied.</summary>
    public required long CopyFileBytes { get; init; }

    /// <summary>A file on another machine that is read at random and from one end to the other.</summary>
    public required long RemoteFileBytes { get; init; }

    /// <summary>Small files on another machine, each of which takes some milliseconds to be made.</summary>
    public required int RemoteFileCount { get; init; }

    /// <summary>How many times shorter texts are than what their rows are called.</summary>
    public required int TextDivisor { get; init; }

    /// <summary>A row's name, with the sizes and counts that it has at this scale.</summary>
    public string NameOf(Row row)
    {
        string name = row.Name;
        if (this == Full || this == Everyday)
            return name;
        foreach ((string full, string here) in (ReadOnlySpan<(string, string)>)
        [
            ("copy 1 GiB", $"copy {ByteSize.Format(CopyFileBytes)}"), ("log of 1 GiB", $"log of {ByteSize.Format(LogFileBytes)}"),
            ("copy of 256 MiB", $"copy of {ByteSize.Format(CopyFileBytes)}"), ("log of 10 MB", $"log of {Decimal(LogFileBytes)}"),
            ("1,000 files", Count(SmallFileCount, "files")), ("of 256 MiB, remote", $"of {ByteSize.Format(RemoteFileBytes)}, remote"),
            ("of 1 GiB", $"of {ByteSize.Format(SequentialFileBytes)}"), ("50,000 files", Count(TreeFileCount, "files")),
            ("200,000 files", Count(EnumeratedFileCount, "files")),
            (" 2,000 files", " " + Count(RemoteFileCount, "files")), ("2,000 x", Count(RemoteFileCount, "x")),
            ("10,000 x", Count(SmallFileCount, "x")), ("100 MiB", ByteSize.Format(StreamFileBytes)),
            ("100 MB", Decimal(Math.Min(100_000_000, StreamFileBytes))), ("20 MB", Decimal(ByteFileBytes)),
            (" 0.66 MB", " " + Decimal(660_000 / TextDivisor)), (" 10 MB", " " + Decimal(10_000_000 / TextDivisor)),
            (" 50 MB", " " + Decimal(50_000_000 / TextDivisor)),
        ])
        {
            if (name.Contains(full, StringComparison.Ordinal))
                return name.Replace(full, here, StringComparison.Ordinal);
        }
        return name;

        static string Count(int count, string of) => string.Create(CultureInfo.InvariantCulture, $"{count:#,0} {of}");

        static string Decimal(long bytes) => bytes >= 1_000_000
            ? string.Create(CultureInfo.InvariantCulture, $"{bytes / 1e6:0.##} MB")
            : string.Create(CultureInfo.InvariantCulture, $"{bytes / 1e3:0.##} KB");
    }

    public static BenchScale Full { get; } = new()
    {
        SliceTime = TimeSpan.FromMilliseconds(220),
        StreamSliceTime = TimeSpan.FromMilliseconds(160),
        Rounds = 7,
        FioTime = TimeSpan.FromMilliseconds(500),
        FioSamples = 7,
        DirectFileBytes = ByteSize.GiB,
        HotFileBytes = 64 * ByteSize.MiB,
        AppendLimitBytes = 512 * ByteSize.MiB,
        StreamFileBytes = 100 * ByteSize.MiB,
        ByteFileBytes = 20_000_000,
        SequentialFileBytes = ByteSize.GiB,
        LogFileBytes = 1_073_741_800,
        SmallFileCount = 10_000,
        TreeFileCount = 50_000,
        EnumeratedFileCount = 200_000,
        CopyFileBytes = ByteSize.GiB,
        RemoteFileBytes = 256 * ByteSize.MiB,
        RemoteFileCount = 2_000,
        TextDivisor = 1,
    };

    /// <summary>The suite everyday: more and shorter rounds on smaller files, two minutes in all.</summary>
    public static BenchScale Everyday { get; } = Full with
    {
        SliceTime = TimeSpan.FromMilliseconds(120),
        StreamSliceTime = TimeSpan.FromMilliseconds(120),
        // The 95 % interval of nine rounds leaves out the lowest and the highest ratio.
        Rounds = 9,
        DirectFileBytes = 256 * ByteSize.MiB,
        HotFileBytes = 4 * ByteSize.MiB,
        AppendLimitBytes = 64 * ByteSize.MiB,
        StreamFileBytes = 8 * ByteSize.MiB,
        LogFileBytes = 10_000_000,
        SmallFileCount = 1_000,
        CopyFileBytes = 256 * ByteSize.MiB,
    };

    /// <summary>The scale of everyday rows: <see cref="Quick"/> in a quick run, else <see cref="Everyday"/>.</summary>
    public static BenchScale OfEveryday(BenchScale scale) => scale == Quick ? Quick : Everyday;

    public static BenchScale Quick { get; } = Full with
    {
        SliceTime = TimeSpan.FromMilliseconds(10),
        StreamSliceTime = TimeSpan.FromMilliseconds(10),
        Rounds = 5,
        FioTime = TimeSpan.FromMilliseconds(50),
        FioSamples = 1,
        DirectFileBytes = 16 * ByteSize.MiB,
        HotFileBytes = 4 * ByteSize.MiB,
        AppendLimitBytes = 8 * ByteSize.MiB,
        StreamFileBytes = 2 * ByteSize.MiB,
        ByteFileBytes = 500_000,
        SequentialFileBytes = 16 * ByteSize.MiB,
        LogFileBytes = 1_000_000,
        SmallFileCount = 200,
        TreeFileCount = 300,
        EnumeratedFileCount = 500,
        CopyFileBytes = 8 * ByteSize.MiB,
        RemoteFileBytes = 8 * ByteSize.MiB,
        RemoteFileCount = 100,
        TextDivisor = 100,
    };
}
