using System.Buffers;
using System.Runtime.CompilerServices;
using Sluice.Engines;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Files;

/// <summary>
/// A ring that one thread borrows to open, read and close a group of files. Opening is one submission for all; what is opened is
/// looked at by plain calls (a statx of a ring is always handed to a kernel worker, an fstat of an open file costs 0.2 us, and a ring
/// cannot lock); reading is again one submission for all, and so is closing. What is in memory is done while it is submitted, and the
/// rest all at once by the device.
/// </summary>
/// <remarks>
/// A read and its close are no linked pair: where the kernel takes the one alone, for want of memory, the other runs beside it, and the
/// read finds its descriptor to be another file's.
/// </remarks>
internal sealed unsafe class FileRing : BorrowedRing
{
    // A close, with its descriptor.
    private const ulong CloseMark = 1UL << 32;

    private static readonly RingPool<FileRing> Pool = new(Tuning.FileRingMaxKept, TryCreate);

    private readonly MemoryHandle[] _pins = new MemoryHandle[SmallFileReader.MaxFiles];

    // Read by the kernel when entries are submitted, and not later.
    private readonly byte[] _names =
        GC.AllocateUninitializedArray<byte>(SmallFileReader.MaxFiles * FolderOpener.MaxNameBytes, pinned: true);

    private SmallFile[] _files = [];

    private FileRing(Ring ring)
        : base(ring)
    {
    }

    /// <summary>A ring for this thread alone until <see cref="Return"/>; null where it cannot be had.</summary>
    public static FileRing? TryRent() => Pool.TryRent();

    public void Return() => Pool.Return(this);

    /// <summary>
    /// Opens, reads and closes the cold files; each has its result when this returns. None is open then, nor where this throws.
    /// </summary>
    public void ReadAll(SmallFile[] files)
    {
        _files = files;
        bool areOpen = false;
        foreach (ref SmallFile file in files.AsSpan())
        {
            file.Result = -1;
        }

        try
        {
            OpenAll(files);
            areOpen = true;
            ReadOpen(files);
        }
        catch
        {
            GiveUp(files, areOpen);
            throw;
        }
        finally
        {
            _files = [];
        }
    }

    /// <summary>Where there was no memory in the midst: nothing stays in flight, pinned or open.</summary>
    private void GiveUp(SmallFile[] files, bool areOpen)
    {
        Drain();
        for (int i = 0; i < files.Length; i++)
        {
            ref SmallFile file = ref files[i];
            _pins[i].Dispose();
            _pins[i] = default;
            if (!areOpen && file.State == SmallFileState.Cold && file.Fd < 0)
            {
                file.Fd = file.Result;
            }

            SmallFileReader.Close(ref file);
        }
    }

    private void ReadOpen(SmallFile[] files)
    {
        for (int i = 0; i < files.Length; i++)
        {
            ref SmallFile file = ref files[i];
            if (file.State != SmallFileState.Cold)
            {
                continue;
            }

            _pins[i] = file.Content.AsMemory().Pin();
            Prep.Read(Queue(), file.Fd, (byte*)_pins[i].Pointer, (uint)file.Content!.Length, 0, RwFlags.None, (ulong)i);
        }

        Wait(InFlight);
        for (int i = 0; i < files.Length; i++)
        {
            ref SmallFile file = ref files[i];
            _pins[i].Dispose();
            _pins[i] = default;
            if (file.State == SmallFileState.Cold)
            {
                Prep.Close(Queue(), file.Fd, (uint)file.Fd | CloseMark);
                file.Fd = -1;
            }
        }

        Wait(InFlight);
    }

    private void OpenAll(SmallFile[] files)
    {
        using FolderOpener folders = new();
        try
        {
            OpenIn(folders, files);
        }
        catch
        {
            // As long as the folders are open.
            Drain();
            throw;
        }
    }

    private void OpenIn(FolderOpener folders, SmallFile[] files)
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
                // Not in memory, or not to be told: by the whole path, so that this waits in the ring too.
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

            Prep.OpenAt(Queue(), PathCalls.KernelFolder(folder), path, SmallFile.OpenFlags, 0, (ulong)i);
        }

        Wait(InFlight);
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
                file.State = SmallFileState.Fallback;
                continue;
            }

            file.Fd = file.Result;
            SmallFileReader.Prepare(ref file);
            if (file.State == SmallFileState.Cold)
            {
                // Where a file system cannot read without waiting, a ring would refuse to wait for a file that is opened so.
                _ = Libc.SetFlags(file.Fd, 0);
            }
        }
    }

    protected override void OnCompleted(ulong userData, int result)
    {
        if ((userData & CloseMark) == 0)
        {
            _files[(int)userData].Result = result;
        }
        else if (result == -Errno.ECANCELED)
        {
            PathCalls.Close((int)(uint)userData);
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
