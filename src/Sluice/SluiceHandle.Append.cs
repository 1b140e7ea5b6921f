using Sluice.Errors;
using Sluice.Interop;

namespace Sluice;

/// <summary>True append: the kernel finds the end of file and writes there in one step (RWF_APPEND).</summary>
public sealed partial class SluiceHandle
{
    /// <summary>
    /// Writes all of the buffer at the end of the file as it is at that moment, and returns the offset where it landed. Atomic
    /// against other threads, handles and processes that append to the same file on a local file system.
    /// </summary>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error; part of the bytes may stand at the end of the file.</exception>
    public long Append(ReadOnlySpan<byte> buffer)
    {
        CheckAppend();
        if (IsCustomEngine)
        {
            return Wait(StartAppend(buffer.ToArray(), CancellationToken.None));
        }

        if (DirectGate is null && Libc.IsSupported)
        {
            // Whoever writes for all who append at once takes one reference for them all.
            return AppendCombined(buffer, isHeld: false);
        }

        bool added = false;
        try
        {
            Hold(ref added);
            return AppendBlocking(buffer);
        }
        finally
        {
            if (added)
            {
                ReleaseReference();
            }
        }
    }

    /// <summary>As <see cref="Append"/>; the memory belongs to the transfer until the task has ended.</summary>
    /// <param name="buffer">The bytes.</param>
    /// <param name="cancellationToken">Asks to cancel before the append starts; it is never cut in the middle.</param>
    public ValueTask<long> AppendAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        CheckAppend();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<long>(cancellationToken);
        }

        if (!_writesInline || !WritePace.AllowsInline)
        {
            return StartAppend(buffer, cancellationToken);
        }

        try
        {
            long begin = WritePace.Begin();
            long landed = Append(buffer.Span);
            WritePace.End(begin, buffer.Length);
            return new ValueTask<long>(landed);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return ValueTask.FromException<long>(e);
        }
    }

    /// <summary>Appends on this thread; the caller holds a reference.</summary>
    internal long AppendBlocking(ReadOnlySpan<byte> buffer)
    {
        long begin = WritePace.Begin();
        long landed = AppendHeld(buffer);
        WritePace.End(begin, buffer.Length);
        return landed;
    }

    private long AppendHeld(ReadOnlySpan<byte> buffer)
    {
        if (!Libc.IsSupported)
        {
            return AppendPortably(buffer);
        }

        if (DirectGate is null)
        {
            return AppendCombined(buffer, isHeld: true);
        }

        // A direct file ends anywhere in a block: appends go through the page cache, kept apart from block writes.
        DirectGate.EnterExclusive();
        try
        {
            SwitchDirect(on: false);
            try
            {
                return AppendCombined(buffer, isHeld: true);
            }
            finally
            {
                if (Caching == FileCaching.Direct)
                {
                    SwitchDirect(on: true);
                }
            }
        }
        finally
        {
            DirectGate.ExitExclusive();
        }
    }

    private long AppendCombined(ReadOnlySpan<byte> buffer, bool isHeld)
    {
        if (buffer.IsEmpty)
        {
            return RandomAccess.GetLength(_file);
        }

        AppendCombiner combiner = _rare?.Combiner ?? MakeCombiner();
        long landed = combiner.Append(buffer, isHeld);
        if (landed < 0)
        {
            if (landed == AppendCombiner.Closed)
            {
                IoErrors.ThrowClosed(Path);
            }

            IoErrors.Throw((int)-landed, IoVerb.Append, Path, -1);
        }

        return landed;
    }

    private AppendCombiner MakeCombiner()
    {
        RareHandleState rare = Rare;
        lock (rare.Lock)
        {
            rare.AppendTarget ??= new AppendTarget(_fd);
            return rare.Combiner ??= new AppendCombiner(rare.AppendTarget, _file);
        }
    }

    /// <summary>Where there is no RWF_APPEND: atomic among the threads of this handle only.</summary>
    private long AppendPortably(ReadOnlySpan<byte> buffer)
    {
        lock (Rare.Lock)
        {
            long end = RandomAccess.GetLength(_file);
            RandomAccess.Write(_file, buffer, end);
            return end;
        }
    }

    private void CheckAppend()
    {
        ThrowIfClosed();
        if (!CanSeek)
        {
            IoErrors.ThrowUnseekable("Appending to", Path);
        }
    }

    private ValueTask<long> StartAppend(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        IoOperation operation = IoOperation.ForAppend(this, buffer, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask<long>(operation, version);
    }
}
