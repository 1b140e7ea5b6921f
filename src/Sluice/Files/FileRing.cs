using System.Buffers;
using System.Runtime.CompilerServices;
using Sluice.Engines;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Files;

/// <summary>A ring that one thread borrows to open, read and close a group of files, with one submission for each of these steps.</summary>
/// <remarks>
/// Locks and lengths need system calls outside the ring: a ring has no flock, and the kernel hands each statx of a ring to a worker thread,
/// whereas an fstat of an open file takes 0.2 us. A read and the close that follows it are not linked: if the kernel ran out of memory for
/// the first of the pair, the second would run alone, and the read could then use a descriptor that belongs to another file.
/// </remarks>
internal sealed unsafe class FileRing : BorrowedRing
{
    // Marks a close; the low bits contain the descriptor.
    private const ulong CloseMark = 1UL << 32;

    // Marks an open; the low bits contain the index of the file, as for a read.
    private const ulong OpenMark = 1UL << 33;

    private static readonly RingPool<FileRing> Pool = new(Tuning.FileRingMaxKept, TryCreate);

    private readonly MemoryHandle[] _pins = new MemoryHandle[SmallFileReader.MaxFiles];

    // The kernel reads the names during the submission only.
    private readonly byte[] _names =
        GC.AllocateUninitializedArray<byte>(SmallFileReader.MaxFiles * FolderOpener.MaxNameBytes, pinned: true);

    private SmallFile[] _files = [];

    private FileRing(Ring ring)
        : base(ring)
    {
    }

    /// <summary>Rents a ring for the calling thread until <see cref="Return"/>. Returns null if none is available.</summary>
    public static FileRing? TryRent() => Pool.TryRent();

    public void Return() => Pool.Return(this);

    /// <summary>
    /// Opens, reads and closes the cold files. Each file then has its result. No file is open when this method returns or throws.
    /// </summary>
    public void ReadAll(SmallFile[] files)
    {
        _files = files;
        using FolderOpener folders = new();
        try
        {
            QueueOpens(folders, files);
            Wait(InFlight);
            Unpin();
            for (int i = 0; i < files.Length; i++)
            {
                ref SmallFile file = ref files[i];
                if (file.State == SmallFileState.Cold)
                {
                    QueueRead(ref file, i);
                }
            }

            Wait(InFlight);
            foreach (ref SmallFile file in files.AsSpan())
            {
                if (file.State == SmallFileState.Cold)
                {
                    Prep.Close(Queue(), file.Fd, (uint)file.Fd | CloseMark);
                    file.Fd = -1;
                }
            }

            Wait(InFlight);
        }
        finally
        {
            // After an exception too, no operation stays in flight, no memory pinned and no file open.
            Drain();
            Unpin();
            foreach (ref SmallFile file in files.AsSpan())
            {
                SmallFileReader.Close(ref file);
            }

            _files = [];
        }
    }

    private void QueueOpens(FolderOpener folders, SmallFile[] files)
    {
        for (int i = 0; i < files.Length; i++)
        {
            ref SmallFile file = ref files[i];
            if (file.State != SmallFileState.Cold)
            {
                continue;
            }

            Span<byte> name = _names.AsSpan(i * FolderOpener.MaxNameBytes, FolderOpener.MaxNameBytes);
            int folder = folders.Find(file.Path, onlyCached: true, name);
            byte* path = (byte*)Unsafe.AsPointer(ref name[0]);
            if (folder < 0)
            {
                // The directory is not cached or cannot be opened. The ring opens the file by its full path, so that only the ring waits.
                file.KernelPath = SmallFile.ToKernelPath(file.Path);
                if (file.KernelPath is null)
                {
                    file.State = SmallFileState.Fallback;
                    continue;
                }

                folder = PathCalls.CurrentFolder;
                _pins[i] = file.KernelPath.AsMemory().Pin();
                path = (byte*)_pins[i].Pointer;
            }

            Prep.OpenAt(Queue(), PathCalls.KernelFolder(folder), path, SmallFile.OpenFlags, 0, (uint)i | OpenMark);
        }
    }

    private void QueueRead(ref SmallFile file, int index)
    {
        if (file.Fd < 0)
        {
            file.State = SmallFileState.Fallback;
            return;
        }

        SmallFileReader.Prepare(ref file);
        if (file.State == SmallFileState.Cold)
        {
            // Clears O_NONBLOCK: if the file system does not support nonblocking reads, the ring would return EAGAIN for such a descriptor.
            _ = Libc.SetFlags(file.Fd, 0);
            _pins[index] = file.Content.AsMemory().Pin();
            Prep.Read(Queue(), file.Fd, (byte*)_pins[index].Pointer, (uint)file.Content!.Length, 0, RwFlags.None, (ulong)index);
        }
    }

    private void Unpin()
    {
        foreach (ref MemoryHandle pin in _pins.AsSpan())
        {
            pin.Dispose();
            pin = default;
        }
    }

    protected override void OnCompleted(ulong userData, int result)
    {
        int number = (int)(uint)userData;
        if ((userData & OpenMark) != 0)
        {
            _files[number].Fd = result;
        }
        else if ((userData & CloseMark) == 0)
        {
            _files[number].Result = result;
        }
        else if (result == -Errno.ECANCELED)
        {
            PathCalls.Close(number);
        }
    }

    private static FileRing? TryCreate()
    {
        RingProbe probe = RingProbe.Current;
        return probe.Supports(Opcode.OpenAt) && probe.Supports(Opcode.Close)
            ? TryCreate(SmallFileReader.MaxFiles, staysOnThread: true, static ring => new FileRing(ring), out _)
            : null;
    }
}
