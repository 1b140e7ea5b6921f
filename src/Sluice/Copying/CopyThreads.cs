using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies ranges of one file into another with several requests outstanding where there is no ring: the thread that calls, and others
/// that end with the copy, each read a block and write it from the same buffer, by plain system calls. Who has to know that what was read
/// may still be written is asked between the two, by any of the threads: 0, or a negative errno that ends the copy.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class CopyThreads(
    int fromFd,
    int toFd,
    AlignedBuffer memory,
    int alignment,
    long sourceLength,
    CancellationToken cancellationToken,
    Func<int>? mayWrite = null)
{
    private readonly Lock _lock = new();
    private long _next;
    private long _end;
    private int _blockBytes;
    private long _untold;
    private int _error;

    /// <summary>
    /// Copies one range; 0, or a negative errno: <see cref="CopyErrors.SourceEnded"/> for a source that ends before its length. Nothing
    /// is in flight when this returns.
    /// </summary>
    /// <param name="range">It begins at a multiple of the alignment.</param>
    /// <param name="depth">The most requests outstanding; a thread for each but the first.</param>
    /// <param name="blockBytes">Bytes of a request.</param>
    /// <param name="copied">Told on the calling thread, and only there, how many bytes were added since it was last told.</param>
    public int Run(DataRange range, int depth, int blockBytes, Action<long> copied)
    {
        (_next, _end, _blockBytes) = (range.Begin, range.End, blockBytes);
        int count = (int)Math.Clamp((range.End - range.Begin + blockBytes - 1) / blockBytes, 1, depth);
        List<Thread> threads = [];
        try
        {
            for (int i = 1; i < count; i++)
            {
                Memory<byte> block = memory.Memory.Slice(i * blockBytes, blockBytes);
                if (!TryStart(() => Work(block.Span, null), threads))
                {
                    break;
                }
            }

            Work(memory.Memory.Span[..blockBytes], copied);
        }
        catch
        {
            // Whoever is told of the progress may throw: nothing new begins then, and what is in flight ends.
            Fail(-Errno.ECANCELED);
            throw;
        }
        finally
        {
            foreach (Thread thread in threads)
            {
                // Not broken off by an interruption: they have the descriptors.
                thread.JoinUninterrupted();
            }
        }

        copied(Interlocked.Exchange(ref _untold, 0));
        return Volatile.Read(ref _error);
    }

    /// <summary>False where the system has no more threads: those that there are do the work.</summary>
    private static bool TryStart(Action work, List<Thread> threads)
    {
        try
        {
            Thread thread = new(() => work()) { IsBackground = true, Name = "Sluice copy" };
            thread.UnsafeStart();
            threads.Add(thread);
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    private void Work(Span<byte> block, Action<long>? copied)
    {
        while (TryTake(out long offset, out int wanted))
        {
            int length = (wanted + alignment - 1) / alignment * alignment;
            int result = Transfer(isRead: true, block[..length], offset, (int)Math.Min(length, sourceLength - offset));
            result = result < 0 || mayWrite is null ? result : mayWrite();
            result = result < 0 ? result : Transfer(isRead: false, block[..length], offset, length);
            if (result < 0)
            {
                Fail(result);
                return;
            }

            Interlocked.Add(ref _untold, Math.Min(wanted, sourceLength - offset));
            copied?.Invoke(Interlocked.Exchange(ref _untold, 0));
        }
    }

    private bool TryTake(out long offset, out int wanted)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            Fail(-Errno.ECANCELED);
        }

        using (_lock.EnterUninterrupted())
        {
            offset = _next;
            wanted = _error != 0 ? 0 : (int)Math.Min(_blockBytes, _end - _next);
            _next += wanted;
            return wanted > 0;
        }
    }

    /// <summary>0 when at least <paramref name="needed"/> bytes are there, else a negative errno.</summary>
    private int Transfer(bool isRead, Span<byte> block, long offset, int needed)
    {
        for (int done = 0; ;)
        {
            int bytes = isRead
                ? TransferCalls.Read(fromFd, block[done..], offset + done, RwFlags.None)
                : TransferCalls.Write(toFd, block[done..], offset + done, RwFlags.None);
            if (bytes < 0)
            {
                return bytes;
            }

            if (done + bytes >= needed)
            {
                return 0;
            }

            // A transfer that ends between blocks can only be taken up again at a block's border.
            int before = done;
            done = (done + bytes) / alignment * alignment;
            if (done <= before)
            {
                return isRead ? CopyErrors.SourceEnded : -Errno.EIO;
            }
        }
    }

    /// <summary>The first failure is the one that counts.</summary>
    private void Fail(int result)
    {
        using (_lock.EnterUninterrupted())
        {
            _error = _error == 0 ? result : _error;
        }
    }
}
