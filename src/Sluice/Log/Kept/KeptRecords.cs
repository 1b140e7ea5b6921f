using System.Buffers.Binary;
using Sluice.Log.Frames;
using Sluice.Log.Stages;

namespace Sluice.Log.Kept;

/// <summary>The records in memory that outlived its process, in the order of their sequences; none where there is no such memory.</summary>
internal sealed class KeptRecords
{
    private const string NotALogs = "its last writer's shared memory is not as a log leaves it";

    private readonly string _directory;
    private readonly Guid _logId;

    /// <summary>Those that may have records which the files do not have; the last has a record.</summary>
    private KeptPage[] _pages;

    public KeptRecords(string directory, KeptMemory? memory)
    {
        (_directory, _logId) = (directory, memory?.LogId ?? default);
        List<KeptPage> pages =
            [.. (memory?.Pages ?? []).Where(static p => p.IsInUse).OrderBy(static p => p.FirstSequence).ThenBy(static p => p.RecordCount)];
        _pages = [.. pages.Take(pages.FindLastIndex(static p => p.RecordCount > 0) + 1)];
    }

    /// <summary>No frame of these is longer.</summary>
    public int MaxFrameBytes => _pages.Length == 0 ? 0 : _pages[0].Bytes.Length;

    /// <summary>How many were written; those whose append had not ended when the process did, or that were
    /// given up, are not counted.</summary>
    public long Restored { get; private set; }

    /// <summary>Sees that they are this log's, and follow on what the files have.</summary>
    /// <param name="logId">Of the files.</param>
    /// <param name="nextSequence">Behind what the files have.</param>
    /// <param name="acceptsLoss">Whether they are forgotten where they do not fit.</param>
    /// <exception cref="SluiceLogDamagedException">They do not.</exception>
    public void Check(Guid logId, long nextSequence, bool acceptsLoss)
    {
        if (_pages is [var first, ..] && (logId != _logId || first.FirstSequence > nextSequence))
        {
            _pages = acceptsLoss ? [] : throw Damaged(nextSequence, logId != _logId
                ? "records of another log are in its last writer's shared memory"
                : $"its last writer's shared memory has records from {first.FirstSequence} on, and the files end before that");
        }
    }

    /// <summary>Writes those that the files do not have; returns the sequence behind the last.</summary>
    /// <exception cref="IOException">They cannot be written.</exception>
    /// <exception cref="SluiceLogDamagedException">What is in the memory is not as a log leaves it.</exception>
    public long WriteTo(FramedOutput output, long nextSequence)
    {
        for (int i = 0; i < _pages.Length; i++)
        {
            KeptPage from = _pages[i];
            LogPage page = new(from.Bytes.Length);
            page.Open(Math.Max(from.FirstSequence, nextSequence), output.PageStart);
            long following = i + 1 < _pages.Length ? _pages[i + 1].FirstSequence : from.FirstSequence + from.RecordCount;
            long end = Math.Min(following - from.FirstSequence, int.MaxValue);
            int index = 0;
            while (index < end)
            {
                index += Copy(from, index, page, nextSequence);
            }

            _ = page.TrySeal();
            if (page.Count > 0)
            {
                output.Write(page);
                nextSequence = page.FirstSequence + page.Count;
            }
        }

        return nextSequence;
    }

    /// <summary>Takes over a record, a batch, or one that is not whole and was acknowledged to nobody; returns how many.</summary>
    private int Copy(KeptPage from, int index, LogPage to, long nextSequence)
    {
        Span<byte> withdrawn = stackalloc byte[LogLayout.RecordHeaderBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(withdrawn, LogLayout.Withdrawn);
        (int offset, int count) = index < from.Slots.Length ? KeptPage.Read(from.Slots[index]) : default;
        int whole = 0;
        ReadOnlySpan<byte> records = count > 0 ? RecordsAt(from, offset, count, out whole) : withdrawn;
        int taken = Math.Max(count, 1);
        long sequence = from.FirstSequence + index;
        if (sequence + taken <= nextSequence)
        {
            return taken;
        }

        if (!to.TryTake(records.Length, taken, out int at, out long given) || given != sequence)
        {
            throw Damaged(sequence, NotALogs);
        }

        records.CopyTo(to.Bytes[at..]);
        to.EndCopy(new Placed(to, at, given), records.Length, taken);
        Restored += whole;
        return taken;
    }

    /// <summary>So many that stand one behind another, and how many of them are no reservations that were given up.</summary>
    private ReadOnlySpan<byte> RecordsAt(KeptPage page, int offset, int count, out int whole)
    {
        ReadOnlySpan<byte> bytes = page.Bytes;
        long end = offset;
        whole = 0;
        for (int i = 0; i < count; i++)
        {
            if (end < LogLayout.FrameHeaderBytes || end > bytes.Length - LogLayout.RecordHeaderBytes)
            {
                throw Damaged(page.FirstSequence, NotALogs);
            }

            uint header = BinaryPrimitives.ReadUInt32LittleEndian(bytes[(int)end..]);
            whole += header < LogLayout.Withdrawn ? 1 : 0;
            end += LogLayout.RecordHeaderBytes + (header & LogLayout.LengthMask);
        }

        return end <= bytes.Length ? bytes[offset..(int)end]
            : throw Damaged(page.FirstSequence, NotALogs);
    }

    private SluiceLogDamagedException Damaged(long sequence, string reason) => new(_directory, -1, sequence, reason);
}
