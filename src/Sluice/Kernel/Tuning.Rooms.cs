namespace Sluice.Kernel;

/// <summary>
/// Numbers of streams, readers and writers, files, copies and logs that seldom depend on the machine; beside <see cref="Tuning"/>'s first
/// part, which has those of the engines and all that can be set.
/// </summary>
internal static partial class Tuning
{
    /// <summary>Places at which a file is asked whether it is in memory (0011).</summary>
    public const int FileTransferCacheProbes = 16;

    // Memory

    /// <summary>The smallest buffers that are kept, as a power of two: a page.</summary>
    public const int AlignedBufferPoolSmallestLog2 = 12;

    /// <summary>The largest: 1 MiB.</summary>
    public const int AlignedBufferPoolLargestLog2 = 20;

    /// <summary>The share of what is kept up to which a size drives out others (0007).</summary>
    public const double AlignedBufferPoolMostOfOneSize = 0.75;

    /// <summary>Sizes of which each processor has one at hand, the smallest first: to 64 KiB (0006).</summary>
    public const int AlignedBufferPoolSizesAtHand = 5;

    // Streams

    /// <summary>Bytes of a stream's first transfer (0006): as much as FileStream reads.</summary>
    public const int AdaptiveStartBytes = 4 * 1024;

    /// <summary>Bytes of its largest read (0006): more fits no core's second-level cache beside the caller's own data.</summary>
    public const int AdaptiveMaxReadBytes = 256 * 1024;

    /// <summary>Bytes of its largest write: on ext4 pieces of this size took 5 to 10 % less time than half as large ones.</summary>
    public const int AdaptiveMaxWriteBytes = 512 * 1024;

    /// <summary>Bytes from which on a transfer is worth a hop to another thread (0006).</summary>
    public const int AdaptiveLargeBytes = 32 * 1024;

    /// <summary>So many times as large as the last is the next transfer of a stream that goes on in order (0006).</summary>
    public const int AdaptiveGrowth = 4;

    /// <summary>Jumps after which no file is taken for one that is written in order (0005).</summary>
    public const int EarlyWritebackMaxJumps = 16;

    /// <summary>Milliseconds that the closing of a stream waits for a read: it may never end. No measurement.</summary>
    public const int StreamMaxReadMs = 2000;

    /// <summary>
    /// Milliseconds that it waits for a copy of another thread into the stream's memory, which ends as soon as that thread is let run and
    /// has the memory that it copies from; afterwards that write throws. No measurement.
    /// </summary>
    public const int StreamMaxCopyMs = 10_000;

    /// <summary>Looks at another thread's copy before it is waited for asleep. No measurement.</summary>
    public const int StreamMaxSpins = 100;

    /// <summary>What streams need that write, kept for the next ones. No measurement.</summary>
    public const int StreamExtrasMaxKept = 64;

    /// <summary>Microseconds of a caller between two writes below which it only copies, and a hop costs it as much.</summary>
    public const long OverlapGaugeMinFillMicroseconds = 250;

    // Readers and writers

    /// <summary>Bytes that a direct writer reserves ahead at first (0005).</summary>
    public const long SpaceAheadSmallestStepBytes = 16L << 20;

    /// <summary>The most of them (0005).</summary>
    public const long SpaceAheadLargestStepBytes = 256L << 20;

    /// <summary>Rounds of stripes after which the next are twice as long. No measurement.</summary>
    public const int ScanRoundsToDouble = 8;

    /// <summary>Transfers in flight of a reader or a writer, at most. No measurement.</summary>
    public const int SequentialRingMaxEntries = 128;

    /// <summary>
    /// KiB of one measurement of how large requests are best, and how many: a shorter one would be of the scheduler (0009).
    /// </summary>
    public const long RequestTunerShortestWindowKiB = 4096;

    /// <summary>Sizes and numbers of direct requests that are tried, one after another (0009).</summary>
    public static readonly (int KiB, int Depth)[] RequestTunerOverlappedSteps = [(256, 1), (512, 2), (1024, 4), (1024, 8)];

    /// <summary>Those of cached ones: larger ones leave the second-level cache (0009).</summary>
    public static readonly (int KiB, int Depth)[] RequestTunerInOrderSteps = [(64, 1), (128, 1), (256, 1)];

    // Files

    /// <summary>Bytes of a piece in which text is encoded and written (0010).</summary>
    public const int TextSinkPieceBytes = 256 * 1024;

    /// <summary>Bytes of a piece in which lines are read (0009).</summary>
    public const int LinePieceBytes = 64 * 1024;

    /// <summary>Bytes that a file without a length is first read into. No measurement.</summary>
    public const int WholeFileFirstGuessBytes = 4096;

    /// <summary>Bytes from which on an array is the large object heap's, .NET's own limit.</summary>
    public const int LargeArrayHoldMinBytes = 85_000;

    /// <summary>Bytes of the largest array that is held for a while (0010).</summary>
    public const int LargeArrayHoldMaxBytes = 4 << 20;

    /// <summary>Bytes of the first piece of a folder's names (0010): few have more.</summary>
    public const int DirectoryFirstPieceBytes = 4 * 1024;

    /// <summary>Bytes of the others (0010).</summary>
    public const int DirectoryPieceBytes = 32 * 1024;

    /// <summary>Bytes up to which a file is read to learn its length: files of the kernel say any. A page.</summary>
    public const int MeasuredFileSmallBytes = 4096;

    /// <summary>Threads that help a walk of folders, at most (0010). No measurement: two processors.</summary>
    public const int FolderWalkMaxHelpers = 16;

    // Copies

    /// <summary>Bytes of the longest file that is copied through one buffer (0011).</summary>
    public const int CopySmallMaxBytes = 256 * 1024;

    /// <summary>Bytes that are compared at once. No measurement.</summary>
    public const int ContentComparerBlockBytes = 1024 * 1024;

    /// <summary>Bytes of a file whose copy is over sooner than a thread of its own would have started.</summary>
    public const int CopyMaxShortBytes = 1 << 20;

    /// <summary>Reports of a copy's progress in a second.</summary>
    public const int CopyReportsPerSecond = 10;

    /// <summary>Milliseconds of a wait of a copy that is held to a rate: a cancellation is seen so soon.</summary>
    public const int CopyRateWaitMs = 50;

    /// <summary>Pieces in flight of a copy, at most. No measurement.</summary>
    public const int CopyRingMaxDepth = 128;

    /// <summary>What a less preferred way must gain (0011).</summary>
    public const double CopyChoiceMargin = 1.05;

    /// <summary>Times another's time from which on a way between the first and the last has no turn (0011).</summary>
    public const double CopyChoiceHopeless = 3;

    /// <summary>Times another's time up to which two ways are compared once more, in a long turn (0011).</summary>
    public const double CopyChoiceClose = 1.25;

    /// <summary>Times another's time from which on a way is left at its beginning (0011).</summary>
    public const double CopyChoiceHopelessBeginning = 4;

    /// <summary>Of the file, what looking again at ways that were slow at first may cost (0011).</summary>
    public const double CopyChoiceComparisonShare = 1 / 24.0;

    /// <summary>Of what was copied, what later turns of ways that are not chosen may cost (0011).</summary>
    public const double CopyChoiceTryShare = 1 / 48.0;

    /// <summary>Of the turn of the last way, the glance that is afforded where a second first turn would cost too much.</summary>
    public const int CopyChoiceGlancePart = 16;

    /// <summary>What that must give, in times of the first turn, for the second one to follow.</summary>
    public const double CopyChoiceGlanceGain = 2;

    /// <summary>Turns of the comparison after which a way that is not chosen has one again (0011).</summary>
    public const int CopyChoiceUnitsBetweenTries = 64;

    /// <summary>A long turn is one part in so many of the file (0011), ...</summary>
    public const int CopyChoiceLongTurnPart = 16;

    /// <summary>... and at most so many turns of the comparison.</summary>
    public const int CopyChoiceLongTurnUnits = 4;

    /// <summary>
    /// Bytes free from which on a disk is far from full: what finds no space then is too large by itself. No measurement.
    /// </summary>
    public const long NodeMetadataMinRoomBytes = 16 << 20;

    /// <summary>
    /// Milliseconds between two touches of the folder in which a new tree is made: 24 before it would be taken for a leftover (0012).
    /// </summary>
    public const int TemporaryFolderTouchMs = 3_600_000;

    /// <summary>The least that a copy which is held to a rate moves at once: steps of so many bytes.</summary>
    public const long CopyRateStepBytes = 64 * 1024;

    // Logs

    /// <summary>Bytes of the buffer that frames are scanned through, where many are. No measurement.</summary>
    public const int FrameScannerManyBytes = 1024 * 1024;

    /// <summary>The same, where few are: a page.</summary>
    public const int FrameScannerFewBytes = 4096;

    /// <summary>Spins between two looks of who waits for a write (0014): three looks take about 1 us.</summary>
    public const int LogSpinsPerLook = 8;

    /// <summary>Rounds that who leads writes for others before the log's own thread is woken (0014).</summary>
    public const int LogMoreRounds = 2;

    /// <summary>Asynchronous waits kept for the next ones. No measurement.</summary>
    public const int LogWaitersMaxKept = 4096;

    /// <summary>Bytes of a compressed segment after which the kernel is asked to write them. No measurement.</summary>

    /// <summary>Milliseconds that the exit of a process waits for logs to be closed. No measurement.</summary>
    public const int LogExitPatienceMs = 5000;

    /// <summary>Milliseconds after which whoever writes looks again whether the file has its name.</summary>
    public const int LogLookAgainMs = 1000;

    /// <summary>Syncs that have zeros of one write, at least (0014).</summary>
    public const int LogMinSyncsAhead = 8;

    /// <summary>Milliseconds after which a mark that could not be written is tried again.</summary>
    public const int LogMarkAgainMs = 200;

    /// <summary>Looks for old segments within the age that is kept.</summary>
    public const int LogLooksPerAge = 8;

    /// <summary>Milliseconds between two of them, at least.</summary>
    public const int LogMinLookMs = 1000;

    /// <summary>Milliseconds between two of them, at most.</summary>
    public const int LogMaxLookMs = 600_000;

    /// <summary>Frames of which a reader knows whether they are still there, should the next writer have cut them off.</summary>
    public const int LogFramesToGoBack = 64;

    /// <summary>Milliseconds that who has a place may take to fill it while a tail is dropped, at first.</summary>
    public const int LogMinFreezePatienceMs = 10;

    /// <summary>The most of them.</summary>
    public const int LogMaxFreezePatienceMs = 1000;

    /// <summary>Bytes of each of three sums that run side by side (0014).</summary>
    public const int Crc32CStrandBytes = 1024;

    /// <summary>Looks of who waits for a write before it sleeps, where there are processors to look on (0014).</summary>
    public const int LogLooks = 3;

    /// <summary>Entries that one thread hands to another together (0010).</summary>
    public const int EntryChunkMaxEntries = 256;
}
