using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Log;

/// <summary>
/// A page in memory that outlives the process, with a slot for each record: where it stands, once it is whole. Slots are filled in any
/// order, each by one store behind all of the record's bytes.
/// </summary>
internal sealed class KeptPage
{
    /// <summary>In front of all pages.</summary>
    public const int HeaderBytes = 64;

    private const int StateBytes = 64;
    private const int SlotBytes = 8;
    private const int CountShift = 32;
    private const int AlignmentBytes = 4096;

    private readonly SharedMemory _memory;
    private readonly long _state;
    private readonly long _slots;
    private readonly long _start;
    private readonly int _bytes;

    /// <param name="memory">Where.</param>
    /// <param name="index">Which page.</param>
    /// <param name="pages">How many there are.</param>
    /// <param name="pageBytes">Bytes of each.</param>
    public KeptPage(SharedMemory memory, int index, int pages, int pageBytes)
    {
        (_memory, _bytes) = (memory, pageBytes);
        _state = HeaderBytes + ((long)index * StateBytes);
        _slots = HeaderBytes + ((long)pages * StateBytes) + (index * SlotsBytes(pageBytes));
        _start = Aligned(HeaderBytes + (pages * (StateBytes + SlotsBytes(pageBytes)))) + (index * Aligned(pageBytes));
    }

    public Span<byte> Bytes => _memory.At(_start, _bytes);

    /// <summary>One for each record of the page; 0 where it is not whole. No record is shorter than its header.</summary>
    public Span<long> Slots => MemoryMarshal.Cast<byte, long>(_memory.At(_slots, (int)SlotsBytes(_bytes)));

    /// <summary>How many records it has, up to the last that is whole.</summary>
    public int RecordCount
    {
        get
        {
            int last = Slots.LastIndexOfAnyExcept(0L);
            return last < 0 ? 0 : (int)Math.Min(last + (long)Math.Max(Read(Slots[last]).Count, 1), int.MaxValue);
        }
    }

    /// <summary>Whether it may have records that are not in the files.</summary>
    public bool IsInUse => State[1] != 0;

    public long FirstSequence => State[0];

    private Span<long> State => MemoryMarshal.Cast<byte, long>(_memory.At(_state, StateBytes));

    /// <summary>How much memory a number of pages takes.</summary>
    public static long TotalBytes(int pages, int pageBytes) =>
        Aligned(HeaderBytes + (pages * (StateBytes + SlotsBytes(pageBytes)))) + (pages * Aligned(pageBytes));

    /// <summary>Where the records of a slot stand, and how many: one, or a batch.</summary>
    public static (int Offset, int Count) Read(long slot) => ((int)(slot & uint.MaxValue), (int)(slot >> CountShift));

    /// <summary>It is empty, for records from a sequence on.</summary>
    /// <param name="firstSequence">The sequence.</param>
    /// <param name="usedSlots">How many slots may be filled.</param>
    public void Open(long firstSequence, int usedSlots)
    {
        Free();
        Slots[..usedSlots].Clear();
        State[0] = firstSequence;
        Volatile.Write(ref State[1], 1);
    }

    /// <summary>Records that stand one behind another are whole.</summary>
    public void Commit(int index, int offset, int count) =>
        Volatile.Write(ref Slots[index], ((long)count << CountShift) | (uint)offset);

    /// <summary>All of its records are in the files.</summary>
    public void Free() => Volatile.Write(ref State[1], 0);

    private static long SlotsBytes(int pageBytes) => (long)pageBytes / LogLayout.RecordHeaderBytes * SlotBytes;

    private static long Aligned(long bytes) => (bytes + AlignmentBytes - 1) & -AlignmentBytes;
}

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

    /// <summary>How many were written; those whose append had not ended when the process did are not counted.</summary>
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
        ReadOnlySpan<byte> records = count > 0 ? RecordsAt(from, offset, count) : withdrawn;
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
        Restored += count;
        return taken;
    }

    private ReadOnlySpan<byte> RecordsAt(KeptPage page, int offset, int count)
    {
        ReadOnlySpan<byte> bytes = page.Bytes;
        long end = offset;
        for (int i = 0; i < count; i++)
        {
            if (end < LogLayout.FrameHeaderBytes || end > bytes.Length - LogLayout.RecordHeaderBytes)
            {
                throw Damaged(page.FirstSequence, NotALogs);
            }

            end += LogLayout.RecordHeaderBytes + (BinaryPrimitives.ReadUInt32LittleEndian(bytes[(int)end..]) & LogLayout.LengthMask);
        }

        return end <= bytes.Length ? bytes[offset..(int)end]
            : throw Damaged(page.FirstSequence, NotALogs);
    }

    private SluiceLogDamagedException Damaged(long sequence, string reason) => new(_directory, -1, sequence, reason);
}

/// <summary>How far log.memory and what it names have come.</summary>
internal enum MemoryStage : byte
{
    /// <summary>The memory is there or not, and has no record.</summary>
    Made = 1,

    /// <summary>It is there, and may have records that the files do not have.</summary>
    InUse = 2,

    /// <summary>It is there or not, and the files have all of its records.</summary>
    Ended = 3,
}

/// <summary>What log.memory says. The memory is one of a boot of the machine, and of an IPC namespace.</summary>
internal record struct MemoryMark(MemoryStage Stage, Guid LogId, Guid Boot, ulong Namespace, int Key)
{
    private const int FileBytes = 64;
    private const byte Version = 1;

    private static ReadOnlySpan<byte> Magic => "SLUICEMF"u8;

    /// <summary>False where the file says nothing that can be believed: a power cut may have left it so.</summary>
    /// <exception cref="SluiceLogDamagedException">It is of another version.</exception>
    public static bool TryRead(SluiceHandle file, out MemoryMark mark)
    {
        Span<byte> bytes = stackalloc byte[FileBytes];
        mark = default;
        if (file.Read(bytes, 0) < FileBytes
            || !bytes[..8].SequenceEqual(Magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[60..]) != Crc32C.Append(Crc32C.Begin, bytes[..60]))
        {
            return false;
        }

        if (bytes[8] != Version)
        {
            throw new SluiceLogDamagedException(
                file.Path, 8, 0,
                $"it has version {bytes[8]}, and this build reads version {Version} alone: open the log with one that reads it");
        }

        mark = new MemoryMark(
            (MemoryStage)bytes[9],
            new Guid(bytes[16..32], bigEndian: true),
            new Guid(bytes[32..48], bigEndian: true),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[48..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[12..]));
        return true;
    }

    public readonly void Write(SluiceHandle file)
    {
        Span<byte> bytes = stackalloc byte[FileBytes];
        bytes.Clear();
        Magic.CopyTo(bytes);
        bytes[8] = Version;
        bytes[9] = (byte)Stage;
        BinaryPrimitives.WriteInt32LittleEndian(bytes[12..], Key);
        _ = LogId.TryWriteBytes(bytes[16..], bigEndian: true, out _);
        _ = Boot.TryWriteBytes(bytes[32..], bigEndian: true, out _);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[48..], Namespace);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[60..], Crc32C.Append(Crc32C.Begin, bytes[..60]));
        file.Write(bytes, 0);
    }

    /// <summary>Says which boot and which IPC namespace this is; false where /proc does not say it.</summary>
    public bool TryLocate()
    {
        try
        {
            // "ipc:[4026531839]"
            ReadOnlySpan<char> link = new FileInfo("/proc/self/ns/ipc").LinkTarget;
            if (Guid.TryParse(File.ReadAllText("/proc/sys/kernel/random/boot_id"), out Guid boot)
                && ulong.TryParse(link[(link.IndexOf('[') + 1)..].TrimEnd(']'), CultureInfo.InvariantCulture, out ulong number))
            {
                (Boot, Namespace) = (boot, number);
                return true;
            }

            return false;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Another key, which nobody can foresee.</summary>
    public void ChooseKey()
    {
        int key = 0;
        while (key == 0)
        {
            NodeCalls.FillRandom(MemoryMarshal.AsBytes(new Span<int>(ref key)));
        }

        Key = key;
    }
}
