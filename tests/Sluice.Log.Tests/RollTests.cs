using Sluice.Log;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>A roll that fails while the keeper makes the segment that was to be next.</summary>
public sealed class RollTests
{
    private const int RecordBytes = 1000;

    [Fact]
    public void Of_two_segments_that_were_made_for_one_roll_none_stays()
    {
        using TempFolder folder = new();
        RollEngine engine = new(() => File.Exists(PathOf(folder, 4)));
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            Engine = engine,
            SegmentBytes = 8 * RecordBytes,
            MaxRecordBytes = 4000,
            BufferBytes = 16_000,
            FlushInterval = TimeSpan.FromHours(1),
            Preallocate = false,
        }))
        {
            int appended = 0;
            Append(6);
            WaitFor(() => engine.Flushes == 2);

            // The keeper is to seal the first segment, and its sync does not end before the second is full, too.
            engine.HoldsSync = true;
            Append(3);
            WaitFor(() => engine.HasSync);
            Append(5);
            File.Exists(PathOf(folder, 3)).ShouldBeFalse();
            engine.FailsOpening = true;
            Should.Throw<IOException>(() => Append(1)).HResult.ShouldBe(FailingEngine.EIO);
            File.Exists(PathOf(folder, 3)).ShouldBeTrue();
            engine.HadOther.ShouldBeTrue();
            Append(1);

            void Append(int count)
            {
                for (int i = 0; i < count; i++)
                {
                    log.Append(Records.Make(0, appended, RecordBytes));
                    appended++;
                }
            }
        }

        // Nor does the lock on one, which would keep the next writer out.
        using (SluiceLog again = SluiceLog.Open(folder.Log))
        {
            again.NextSequence.ShouldBe(17);
        }

        Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes).Number).ShouldBe(Enumerable.Range(0, 15));
        Directory.EnumerateFiles(folder.Log, "*.slog").Order(StringComparer.Ordinal)
            .ShouldBe([PathOf(folder, 1), PathOf(folder, 2), PathOf(folder, 3)]);
    }

    /// <summary>
    /// Somebody has removed the segment that was made ahead: what is acknowledged is in one that is there, and no segment says that the
    /// other one is missing.
    /// </summary>
    [SkippableFact]
    public void A_segment_that_was_deleted_before_its_first_record_gets_none()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere nothing says that a file has no name");
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { SegmentBytes = 8 * RecordBytes, Preallocate = false }))
        {
            for (int i = 0; i < 40; i++)
            {
                log.Append(Records.Make(0, i, RecordBytes));
                if (i == 5)
                {
                    WaitFor(() => File.Exists(PathOf(folder, 2)));
                    File.Delete(PathOf(folder, 2));
                }
            }

            Records.ReadWritten(folder.Log).Count.ShouldBe(40);
        }

        SluiceLog.Open(folder.Log).Dispose();
        Records.ShouldBeInOrder(Records.ReadWritten(folder.Log), 1, 0);
    }

    private static void WaitFor(Func<bool> condition) => SpinWait.SpinUntil(condition, TimeSpan.FromMinutes(1)).ShouldBeTrue();

    private static string PathOf(TempFolder folder, long id) => new LogFolder(folder.Log, SegmentNames.Framed).PathOf(id);

    /// <summary>Holds one sync, and lets one opening frame fail when something else is there that came behind that sync.</summary>
    private sealed class RollEngine(Func<bool> hasOther) : InterceptingEngine
    {
        private readonly TaskCompletionSource _sync = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _holds;
        private int _fails;
        private int _flushes;
        private volatile bool _hasSync;

        public override string Name => "roll";

        public bool HoldsSync
        {
            set => Volatile.Write(ref _holds, value ? 1 : 0);
        }

        public bool FailsOpening
        {
            set => Volatile.Write(ref _fails, value ? 1 : 0);
        }

        /// <summary>How many there were; one for each segment that is made.</summary>
        public int Flushes => Volatile.Read(ref _flushes);

        public bool HasSync => _hasSync;

        public bool HadOther { get; private set; }

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            bool isFlush = submission is { IsRead: false, IsWrite: false };
            _ = isFlush ? Interlocked.Increment(ref _flushes) : 0;
            if (isFlush && Interlocked.Exchange(ref _holds, 0) == 1)
            {
                _hasSync = true;
                return Interception.HoldUntil(() => _sync.Task);
            }

            if (submission is { IsWrite: true, FileOffset: LogLayout.HeaderBytes } && Interlocked.Exchange(ref _fails, 0) == 1)
            {
                _sync.SetResult();
                HadOther = SpinWait.SpinUntil(hasOther, TimeSpan.FromMinutes(1));
                return Interception.Fail(FailingEngine.EIO);
            }

            return Interception.PassOn;
        }
    }
}
