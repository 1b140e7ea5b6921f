using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// <see cref="SluiceLog.TruncateAfter"/> removes records from the files. A crash or an error at any moment leaves all records, or those that
/// were to stay.
/// </summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class TailRemovalTests : IDisposable
{
    private const int EIO = 5;
    private const int Count = 60;

    /// <summary>Records to keep: none, some of the oldest segment, whole batches or parts of them, all but one.</summary>
    public static TheoryData<int> Kept => [0, 5, 23, 42, 59];

    public void Dispose() => SystemCallFaults.Use(null);

    [SkippableTheory]
    [MemberData(nameof(Kept))]
    public void A_crash_between_two_system_calls_leaves_all_or_what_was_to_stay(int kept)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        List<string> crashed = [];
        string[] before;
        using (SluiceLog log = Fill(folder.Log))
        {
            before = Segments(folder.Log);
            SystemCallSteps.UseOwn((_, _, _) =>
            {
                string copy = Path.Combine(folder.Root, $"crashed-{crashed.Count}");
                FolderImage.Copy(folder.Log, copy);
                crashed.Add(copy);

                return 0;
            });
            log.TruncateAfter(kept);
            SystemCallFaults.Use(null);
            log.NextSequence.ShouldBe(kept + 1);
            (log.DurableSequence, log.WrittenSequence).ShouldBe((kept, kept));
            folder.ShouldHave(kept);
            Append(log, kept, kept + 30);
        }

        folder.ShouldHave(kept + 30);
        crashed.Count.ShouldBeGreaterThan(10);
        bool hasAll = true;
        for (int i = 0; i < crashed.Count; i++)
        {
            long last;
            using (SluiceLog log = SluiceLog.Open(crashed[i], SmallLog.Options))
            {
                last = log.NextSequence - 1;
                last.ShouldBeOneOf(kept, Count);
                hasAll &= last == Count;
                (last == Count).ShouldBe(hasAll, $"step {i}: once it is removed it stays so");
                File.Exists(Path.Combine(crashed[i], "log.truncate")).ShouldBeFalse();
                Append(log, (int)last, (int)last + 10);
            }

            Records.ShouldHave(crashed[i], (int)last + 10);
            using SluiceLog again = SluiceLog.Open(crashed[i], SmallLog.Options);
            Append(again, (int)last + 10, (int)last + 80);
            string.CompareOrdinal(Segments(crashed[i]).Except(before).Min(StringComparer.Ordinal), before[^1]).ShouldBeGreaterThan(
                0, "no id is used again");
        }

        hasAll.ShouldBeFalse();
    }

    [SkippableTheory]
    [MemberData(nameof(Kept))]
    public void An_error_of_any_system_call_leaves_all_or_the_next_opening_completes_it(int kept)
    {
        Linux.OrSkip();
        bool isOver = false;
        for (int step = 0; !isOver; step++)
        {
            using TempFolder folder = new(isInMemory: true);
            SluiceLog log = Fill(folder.Log);
            int calls = 0;
            SystemCallSteps.UseOwn((call, _, _) =>
                call != "close" && calls++ == step ? -EIO : 0);
            Exception? error = Record.Exception(() => log.TruncateAfter(kept));
            SystemCallFaults.Use(null);
            isOver = calls <= step;
            (error is null or IOException or UnauthorizedAccessException).ShouldBeTrue($"step {step}: {error}");
            int last = error is null ? kept : Count;
            if (log.Failure is null)
            {
                log.NextSequence.ShouldBe(last + 1, $"step {step}: {error}");
                Append(log, last, last + 10);
                log.Dispose();
            }
            else
            {
                Should.Throw<IOException>(() => log.Append("refused"u8), $"step {step}");
                _ = Record.Exception(log.Dispose);
                using SluiceLog again = folder.Open(SmallLog.Options);
                last = (int)again.NextSequence - 1;
                last.ShouldBeOneOf(kept, Count);
                Append(again, last, last + 10);
            }

            folder.ShouldHave(last + 10);
        }
    }

    [SkippableFact]
    public void An_opening_that_cannot_look_for_a_begun_removal_fails_or_completes_it()
    {
        Linux.OrSkip();
        const int kept = 23;
        using TempFolder folder = new(isInMemory: true);
        string crashed = Path.Combine(folder.Root, "crashed");
        using (SluiceLog log = Fill(folder.Log))
        {
            FileInfo removal = new(folder.PathOf("log.truncate"));
            SystemCallSteps.UseOwn((_, _, _) =>
            {
                removal.Refresh();
                if (removal is { Exists: true, Length: > 0 } && !Directory.Exists(crashed))
                {
                    FolderImage.Copy(folder.Log, crashed);
                }

                return 0;
            });
            log.TruncateAfter(kept);
            SystemCallFaults.Use(null);
        }

        bool isOver = false;
        for (int step = 1; !isOver; step++)
        {
            string path = Path.Combine(folder.Root, $"step-{step}");
            FolderImage.Copy(crashed, path);
            int looks = 0;
            SystemCallSteps.UseOwn((call, _, _) =>
                call == "statx" && ++looks == step ? -EIO : 0);
            try
            {
                using SluiceLog log = SluiceLog.Open(path, SmallLog.Options);
                log.NextSequence.ShouldBe(kept + 1, $"step {step}");
            }
            catch (IOException)
            {
                // The next opening completes the removal.
            }

            SystemCallFaults.Use(null);
            isOver = looks < step;
            SluiceLog.Open(path, SmallLog.Options).Dispose();
            Records.ShouldHave(path, kept);
        }
    }

    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void A_reader_that_has_passed_it_is_told_and_continues_on_request(LogDurability upTo)
    {
        foreach (int kept in (int[])[0, 4, 23, 59])
        {
            foreach (int added in (int[])[0, 1, 5, Count - kept, Count - kept + 1, 90])
            {
                using TempFolder folder = new(isInMemory: true);
                using SluiceLog log = Fill(folder.Log);
                using Follower follower = new(folder.Log, upTo);
                using SluiceLogReader reader = folder.OpenReader(upTo);
                follower.Read();
                follower.Records.Count.ShouldBe(Count);
                reader.ReadToEnd();

                log.TruncateAfter(kept);
                for (int i = 0; i < added; i++)
                {
                    log.Append(Records.Make(1, i, 20 + (i % 300)), LogDurability.Durable);
                }

                string where = $"{kept} kept, {added} added";
                follower.Read();
                follower.Records.Keys.ShouldBe(Records.Range(1, kept + added), where);
                follower.Records.Values.ShouldBe(folder.ReadAll().Select(static r => r.Bytes), where);
                follower.Removals.ShouldBe(1, where);
                for (int call = 0; call < 2; call++)
                {
                    SluiceLogDamagedException told = Should.Throw<SluiceLogDamagedException>(
                        () =>
                        {
                            reader.ReadToEnd();
                        },
                        where);
                    told.Sequence.ShouldBeInRange(1, kept + 1, where);
                    told.Reason.ShouldContain("removed from the end of the log");
                }
            }
        }
    }

    /// <summary>The tail is removed twice, and the oldest segments while a reader is in the midst of the log.</summary>
    [Fact]
    public void A_reader_is_given_no_record_that_was_removed_before_it_was_opened()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.With(o => o.Durability = LogDurability.Durable));
        Append(log, 0, 60, writer: 1);
        log.TruncateAfter(56);
        Append(log, 56, 100, writer: 2);
        log.TruncateAfter(90);
        Append(log, 90, 95, writer: 3);
        using SluiceLogReader reader = folder.OpenReader(from: 50, skips: true);
        for (int i = 50; i < 53; i++)
        {
            reader.Next().Sequence.ShouldBe(i);
        }

        log.TruncateBefore(91);
        while (reader.TryRead(out LogEntry entry))
        {
            Records.Check(entry.Bytes).ShouldBe((entry.Sequence <= 56 ? 1 : entry.Sequence <= 90 ? 2 : 3, (int)entry.Sequence - 1));
        }

        reader.NextSequence.ShouldBe(96);
    }

    /// <summary>Retention removes the oldest segments meanwhile.</summary>
    [Fact]
    public void Each_reader_is_given_the_records_that_the_log_has()
    {
        for (int seed = 0; seed < 20; seed++)
        {
            Random random = new(seed);
            using TempFolder folder = new(isInMemory: true);
            using SluiceLog log = folder.Open(SmallLog.With(o => o.RetainSegments = 3));
            Dictionary<long, int> writers = [];
            for (int step = 0; step < 60; step++)
            {
                long last = log.LastSequence;
                if (random.Next(3) == 0)
                {
                    last = random.NextInt64(Math.Max(log.FirstSequence - 1, last - 20), last + 1);
                    log.TruncateAfter(last);
                }

                int count = random.Next(1, 30);
                Append(log, (int)last, (int)last + count, step);
                for (int i = 1; i <= count; i++)
                {
                    writers[last + i] = step;
                }

                using SluiceLogReader reader = folder.OpenReader(skips: true, from: random.NextInt64(log.FirstSequence, last + count + 1));
                while (reader.TryRead(out LogEntry entry))
                {
                    Records.Check(entry.Bytes).ShouldBe((writers[entry.Sequence], (int)entry.Sequence - 1), $"seed {seed}, step {step}");
                }

                reader.NextSequence.ShouldBe(last + count + 1, $"seed {seed}, step {step}");
            }
        }
    }

    /// <summary>Whatever a writer does, a reader that looks now and then has in the end what the log has.</summary>
    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void A_reader_beside_many_removals_has_in_the_end_what_the_log_has(LogDurability upTo)
    {
        for (int seed = 0; seed < 40; seed++)
        {
            Random random = new(seed);
            using TempFolder folder = new(isInMemory: true);
            SluiceLog log = folder.Open(SmallLog.Options);
            using Follower follower = new(folder.Log, upTo);
            for (int step = 0; step < 60; step++)
            {
                switch (random.Next(8))
                {
                    case < 4:
                        Append(log, (int)log.NextSequence - 1, (int)log.NextSequence - 1 + random.Next(1, 12), step);
                        break;
                    case < 6:
                        log.TruncateAfter(random.NextInt64(Math.Max(0, log.NextSequence - 20), log.NextSequence));
                        break;
                    case 6:
                        follower.Read();
                        break;
                    default:
                        log.Dispose();
                        log = folder.Open(SmallLog.Options);
                        break;
                }
            }

            log.Append("last"u8, LogDurability.Durable);
            follower.Read();
            follower.Records.Select(static r => (r.Key, Convert.ToHexString(r.Value)))
                .ShouldBe(folder.ReadAll().Select(static r => (r.Sequence, Convert.ToHexString(r.Bytes))), $"seed {seed}");
            log.Dispose();
        }
    }

    /// <summary>Records of one to twelve in a frame, in some segments.</summary>
    private static SluiceLog Fill(string directory)
    {
        SluiceLog log = SluiceLog.Open(directory, SmallLog.Options);
        for (int number = 0; number < Count;)
        {
            int count = Math.Min((number % 7) + 1, Count - number);
            int first = number;
            log.AppendBatch(
                [.. Enumerable.Range(first, count).Select(static i => (ReadOnlyMemory<byte>)Records.Make(0, i, 30 + (i % 100)))],
                LogDurability.Durable);
            number += count;
        }

        return log;
    }

    private static string[] Segments(string directory) =>
        [.. Directory.GetFiles(directory, "*.slog").Select(static f => Path.GetFileName(f)).Order(StringComparer.Ordinal)];

    private static void Append(SluiceLog log, int from, int to, int writer = 0)
    {
        for (int i = from; i < to; i++)
        {
            log.Append(Records.Make(writer, i, 40 + (i % 300))).ShouldBe(i + 1);
        }
    }
}
