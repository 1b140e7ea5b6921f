using System.Buffers;
using System.Runtime.CompilerServices;
using Sluice.Files;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// A ring that one thread borrows to open, read and close a group of files. Opening is one submission for all; what is opened is
/// looked at by plain calls (a statx of a ring is always handed to a kernel worker, an fstat of an open file costs 0.2 us, and a ring
/// cannot lock); reading and closing are linked pairs, and again one submission for all. What is in memory is done while it is
/// submitted, and the rest all at once by the device. A few rings are kept.
/// </summary>
internal sealed unsafe class FileRing
{
    private const int MostKept = 16;

    // The close of a pair; its result matters to nobody.
    private const ulong CloseMark = 1UL << 32;

    private static readonly Lock PoolLock = new();
    private static readonly Stack<FileRing> Pool = new(MostKept);

    private readonly Ring _ring;
    private readonly MemoryHandle[] _pins = new MemoryHandle[SmallFileReader.MostFiles];

    // Read by the kernel when entries are submitted, and not later.
    private readonly byte[] _names = GC.AllocateUninitializedArray<byte>(SmallFileReader.MostFiles * FolderOpener.MostNameBytes, pinned: true);

    private FileRing(Ring ring) => _ring = ring;

    /// <summary>A ring for this thread alone until <see cref="Return"/>; null where it cannot be had.</summary>
    public static FileRing? TryRent()
    {
        lock (PoolLock)
        {
            if (Pool.TryPop(out FileRing? kept))
            {
                return kept;
            }
        }

        RingProbe probe = RingProbe.Current;
        if (!probe.Supports(Opcode.OpenAt) || !probe.Supports(Opcode.Close))
        {
            return null;
        }

        SetupFlags flags = SetupFlags.SubmitAll | (probe.SupportsCoopTaskrun ? SetupFlags.CoopTaskrun : SetupFlags.None);
        const uint entries = SmallFileReader.MostFiles * 2;
        return Ring.TryCreate(entries, entries * 2, flags, out _) is { } ring ? new FileRing(ring) : null;
    }

    public void Return()
    {
        lock (PoolLock)
        {
            if (Pool.Count < MostKept)
            {
                Pool.Push(this);
                return;
            }
        }

        _ring.Dispose();
    }

    /// <summary>Opens, reads and closes the cold files; each has its result, and none is open, when this returns.</summary>
    public void ReadAll(SmallFile[] files)
    {
        OpenAll(files);
        uint queued = 0;
        for (int i = 0; i < files.Length; i++)
        {
            ref SmallFile file = ref files[i];
            if (file.State != SmallFileState.Cold)
            {
                continue;
            }

            _pins[i] = file.Content.AsMemory().Pin();
            IoUringSqe* read = _ring.TryTake();
            Prep.Read(read, file.Fd, (byte*)_pins[i].Pointer, (uint)file.Content!.Length, 0, RwFlags.None, (ulong)i);

            // Hard: a short or failed read must not leave the file open.
            read->Flags |= SqeFlags.HardLink;
            Prep.Close(_ring.TryTake(), file.Fd, (uint)i | CloseMark);
            file.Fd = -1;
            queued += 2;
        }

        Run(files, queued);
        for (int i = 0; i < files.Length; i++)
        {
            _pins[i].Dispose();
            _pins[i] = default;
        }
    }

    private void OpenAll(SmallFile[] files)
    {
        const int flags = PathCalls.ReadOnly | PathCalls.CloseOnExec;
        using FolderOpener folders = new();
        uint queued = 0;
        for (int i = 0; i < files.Length; i++)
        {
            ref SmallFile file = ref files[i];
            file.Result = -1;
            if (file.State != SmallFileState.Cold)
            {
                continue;
            }

            Span<byte> name = _names.AsSpan(i * FolderOpener.MostNameBytes, FolderOpener.MostNameBytes);
            int folder = folders.Find(file.Path, onlyCached: true, name);
            byte* path = (byte*)Unsafe.AsPointer(ref name[0]);
            if (folder < 0)
            {
                // Not in memory, or not to be told: by the whole path, so that this waits in the ring too.
                file.KernelPath = SmallFile.ToKernelPath(file.Path);
                if (file.KernelPath is null)
                {
                    file.State = SmallFileState.Odd;
                    continue;
                }

                folder = PathCalls.AtFdCwd;
                _pins[i] = file.KernelPath.AsMemory().Pin();
                path = (byte*)_pins[i].Pointer;
            }

            Prep.OpenAt(_ring.TryTake(), folder, path, flags, 0, (ulong)i);
            queued++;
        }

        Run(files, queued);
        for (int i = 0; i < files.Length; i++)
        {
            ref SmallFile file = ref files[i];
            _pins[i].Dispose();
            _pins[i] = default;
            if (file.State != SmallFileState.Cold)
            {
                continue;
            }

            if (file.Result < 0)
            {
                file.State = SmallFileState.Odd;
                continue;
            }

            file.Fd = file.Result;
            SmallFileReader.Prepare(ref file);
        }
    }

    /// <summary>Submits what is queued, and takes all its completions.</summary>
    private void Run(SmallFile[] files, uint queued)
    {
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[64];
        while (queued > 0)
        {
            int result = _ring.SubmitAndWait(queued);
            if (result < 0 && !Ring.IsPassing(result))
            {
                // Entries may be in flight with memory that would be unpinned by an exception.
                Environment.FailFast($"io_uring_enter failed with errno {-result}.");
            }

            int taken;
            while ((taken = _ring.Take(cqes)) > 0)
            {
                foreach (ref readonly IoUringCqe cqe in cqes[..taken])
                {
                    if ((cqe.UserData & CloseMark) == 0)
                    {
                        files[(int)cqe.UserData].Result = cqe.Res;
                    }
                }

                queued -= (uint)taken;
            }
        }
    }
}
