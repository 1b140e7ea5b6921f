using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>
/// Durations and file sizes: those of a full run, of the suite everyday, or of a quick run that only shows that everything works.
/// </summary>
/// <param name="StreamSliceTime">
/// Shorter than <see cref="SliceTime"/>, because there are more rows. A pass over a file is always completed.
/// </param>
/// <param name="FioSamples">The number of rounds of a row in which fio runs: 1 for the middle round, or the number of all rounds.</param>
/// <param name="StreamFileBytes">The size of the file that a stream opens, reads or writes completely, and closes.</param>
/// <param name="ByteFileBytes">The size of the file that is read in bytes, numbers or lines.</param>
/// <param name="SequentialFileBytes">The size of the file that is read with direct I/O from the start to the end.</param>
/// <param name="LogFileBytes">The size of a text file with lines of 100 bytes, which rows also read as records of 100 bytes.</param>
/// <param name="SmallFileCount">The number of 4 KiB files that are read and written in batches.</param>
/// <param name="TreeFileCount">The number of files in a tree that is copied.</param>
/// <param name="EnumeratedFileCount">The number of files that are enumerated.</param>
/// <param name="CopyFileBytes">The size of the file that is copied.</param>
internal sealed record BenchScale(
    TimeSpan SliceTime, TimeSpan StreamSliceTime, int Rounds, TimeSpan FioTime, int FioSamples, long DirectFileBytes, long HotFileBytes,
    long AppendLimitBytes, long StreamFileBytes, long ByteFileBytes, long SequentialFileBytes, long LogFileBytes, int SmallFileCount,
    int TreeFileCount, int EnumeratedFileCount, long CopyFileBytes)
{
    /// <summary>The disk space that must stay free in addition to the files of a row, in bytes.</summary>
    public const long SpareBytes = 64 * ByteSize.MiB;

    public static BenchScale Full { get; } = new(
        SliceTime: TimeSpan.FromMilliseconds(220),
        StreamSliceTime: TimeSpan.FromMilliseconds(160),
        Rounds: 7,
        FioTime: TimeSpan.FromMilliseconds(500),
        FioSamples: 7,
        DirectFileBytes: ByteSize.GiB,
        HotFileBytes: 64 * ByteSize.MiB,
        AppendLimitBytes: 512 * ByteSize.MiB,
        StreamFileBytes: 100 * ByteSize.MiB,
        ByteFileBytes: 20_000_000,
        SequentialFileBytes: ByteSize.GiB,
        LogFileBytes: 1_073_741_800,
        SmallFileCount: 10_000,
        TreeFileCount: 10_000,
        EnumeratedFileCount: 200_000,
        CopyFileBytes: ByteSize.GiB);

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
    };
}
