using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Files;

/// <summary>
/// Reads a group of small files through a ring. Without a ring, cached files are read by system calls on this thread and the other files on
/// thread-pool threads.
/// </summary>
internal static class SmallFileReader
{
    /// <summary>The number of files in a group.</summary>
    public const int MaxFiles = 32;

    /// <summary>The maximum length of a file that is read in its group: 32 files take 8 MiB.</summary>
#if DEBUG
    public const int MaxBytes = 4096;
#else
    public const int MaxBytes = 256 * 1024;
#endif

    private const int PoolReaders = 16;

    // True until the kernel has refused RESOLVE_CACHED.
    private static volatile bool s_opensCached = true;

    /// <summary>
    /// Reads a group of files. The state of each file is then <see cref="SmallFileState.Done"/> or <see cref="SmallFileState.Large"/>.
    /// </summary>
    public static SmallFile[] Read(string[] paths)
    {
        SmallFile[] files = new SmallFile[paths.Length];
        for (int i = 0; i < files.Length; i++)
        {
            files[i].Path = paths[i];
            files[i].Fd = -1;
            files[i].State = Libc.IsSupported ? SmallFileState.Cold : SmallFileState.Fallback;
        }

        if (Libc.IsSupported)
        {
            FileRing? ring = SluiceEngines.AllowsRings ? FileRing.TryRent() : null;
            if (ring is null)
            {
                ReadWithoutRing(files);
            }
            else
            {
                try
                {
                    ring.ReadAll(files);
                }
                finally
                {
                    ring.Return();
                }

                MarkRead(files);
            }
        }

        for (int i = 0; i < files.Length; i++)
        {
            if (files[i].State == SmallFileState.Fallback)
            {
                ReadFallback(ref files[i]);
            }
        }

        return files;
    }

    /// <summary>
    /// Locks an open file as .NET does, reads its length, and allocates its content. Closes a file that must be read outside of its group.
    /// </summary>
    public static void Prepare(ref SmallFile file)
    {
        file.State = SmallFileState.Fallback;
        bool isLocked = PathCalls.TryLockShared(file.Fd) == 0;
        bool isKnown = Libc.Stat(file.Fd, StatxMask.Type | StatxMask.Size, out Statx stat) == 0;
        if (isLocked && isKnown && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular && stat.Size > 0)
        {
            if (stat.Size > MaxBytes)
            {
                file.State = SmallFileState.Large;
            }
            else
            {
                file.Content = GC.AllocateUninitializedArray<byte>((int)stat.Size);
                file.State = SmallFileState.Cold;
                return;
            }
        }

        Close(ref file);
    }

    public static void Close(ref SmallFile file)
    {
        if (file.Fd >= 0)
        {
            PathCalls.Close(file.Fd);
            file.Fd = -1;
        }
    }

    private static void ReadCached(FolderOpener folder, ref SmallFile file)
    {
        file.Fd = folder.Open(file.Path, s_opensCached);
        if (file.Fd is -Errno.EINVAL or -Errno.ENOSYS && s_opensCached)
        {
            s_opensCached = false;
            file.Fd = folder.Open(file.Path, onlyCached: false);
        }

        if (file.Fd < 0)
        {
            file.State = file.Fd == -Errno.EAGAIN ? SmallFileState.Cold : SmallFileState.Fallback;
            file.Fd = -1;
            return;
        }

        Prepare(ref file);
        if (file.State != SmallFileState.Cold)
        {
            return;
        }

        file.Result = TransferCalls.ReadNoWait(file.Fd, file.Content, 0, RwFlags.None);
        if (file.Result == file.Content!.Length)
        {
            file.State = SmallFileState.Done;
            Close(ref file);
        }
    }

    private static void ReadWithoutRing(SmallFile[] files)
    {
        try
        {
            ReadByCalls(files);
        }
        catch
        {
            for (int i = 0; i < files.Length; i++)
            {
                Close(ref files[i]);
            }

            throw;
        }
    }

    private static void ReadByCalls(SmallFile[] files)
    {
        int cold = 0;
        using FolderOpener folder = new();
        for (int i = 0; i < files.Length; i++)
        {
            ReadCached(folder, ref files[i]);
            if (files[i].State == SmallFileState.Cold)
            {
                files[i].KernelPath = SmallFile.ToKernelPath(files[i].Path);
                cold++;
            }
        }

        if (cold > 0)
        {
            Parallel.For(0, files.Length, new ParallelOptions { MaxDegreeOfParallelism = PoolReaders }, i =>
            {
                if (files[i].State == SmallFileState.Cold)
                {
                    ReadBlocking(ref files[i]);
                }
            });
        }
    }

    /// <summary>
    /// Marks files that the ring read completely. Files with a short or failed read, which may have changed, are read again individually.
    /// </summary>
    private static void MarkRead(SmallFile[] files)
    {
        for (int i = 0; i < files.Length; i++)
        {
            ref SmallFile file = ref files[i];
            if (file.State == SmallFileState.Cold)
            {
                file.State = file.Result == file.Content?.Length ? SmallFileState.Done : SmallFileState.Fallback;
            }
        }
    }

    private static void ReadBlocking(ref SmallFile file)
    {
        if (file.Fd < 0)
        {
            file.Fd = PathCalls.Open(file.KernelPath, SmallFile.OpenFlags);
            if (file.Fd < 0)
            {
                file.Fd = -1;
                file.State = SmallFileState.Fallback;
                return;
            }

            Prepare(ref file);
            if (file.State != SmallFileState.Cold)
            {
                return;
            }
        }

        int bytes = TransferCalls.Read(file.Fd, file.Content, 0, RwFlags.None);
        file.State = bytes == file.Content!.Length ? SmallFileState.Done : SmallFileState.Fallback;
        Close(ref file);
    }

    private static void ReadFallback(ref SmallFile file)
    {
        try
        {
            file.Content = Libc.IsSupported ? SingleFile.Read(file.Path) : WholeFile.Read(file.Path);
        }
#pragma warning disable CA1031 // The result of this file contains it.
        catch (Exception e)
        {
            file.Content = null;
            file.Error = e;
        }
#pragma warning restore CA1031
        file.State = SmallFileState.Done;
    }
}
