using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice;

// Small transfers of a stream that goes to and fro in an uncached or direct file: plainly through the page cache, which has their pages
// for a while (KeptPages).
public sealed partial class SluiceHandle
{
    /// <summary>As <see cref="Read(Span{byte}, long)"/>.</summary>
    internal int Read(Span<byte> buffer, long fileOffset, bool isKept)
    {
        if (!isKept || !IsMetAgain(fileOffset, buffer.Length))
        {
            return Read(buffer, fileOffset);
        }

        using Reference reference = Hold();
        if (!TryBeginKept())
        {
            return IoOperation.Read(this, buffer, fileOffset, isKept: true);
        }

        int bytes;
        bool isDone;
        try
        {
            bytes = TransferCalls.ReadNoWait(_fd, CutForDebug(buffer), fileOffset, RwFlags.None);
            isDone = bytes == buffer.Length;
            if (!isDone)
            {
                // Pages that were there may be somebody else's, and are not dropped on our account.
                int met = Math.Max(bytes, 0);
                bytes = TransferCalls.Read(_fd, CutForDebug(buffer), fileOffset, RwFlags.None);
                isDone = bytes == buffer.Length || (bytes >= 0 && IsShortAtEnd(fileOffset + bytes));
                if (bytes > met)
                {
                    AfterKept(fileOffset + met, bytes - met, isRead: true);
                }
            }
        }
        finally
        {
            EndKept();
        }

        if (!isDone)
        {
            // The rest, or the error once more: thrown outside the gate, since code of the caller's may hear of it at once.
            return IoOperation.Read(this, buffer, fileOffset, isKept: true);
        }

        NoteKept(IoVerb.Read, bytes);
        return bytes;
    }

    /// <summary>As <see cref="ReadAsync(Memory{byte}, long, CancellationToken)"/>.</summary>
    internal ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset, bool isKept, CancellationToken cancellationToken)
    {
        if (!isKept || cancellationToken.IsCancellationRequested || !IsMetAgain(fileOffset, buffer.Length))
        {
            return ReadAsync(buffer, fileOffset, cancellationToken);
        }

        int bytes = 0;
        bool isMissed = false;
        Span<byte> span = buffer.Span;
        if (!IsCustomEngine && AsksCache())
        {
            using Reference reference = Hold();
            if (TryBeginKept())
            {
                bool isMet;
                try
                {
                    isMet = ReadFromCache(span, fileOffset, out bytes, isKept: true);
                }
                finally
                {
                    EndKept();
                }

                if (isMet)
                {
                    NoteKept(IoVerb.Read, bytes);
                    return new ValueTask<int>(bytes);
                }

                isMissed = true;
            }
        }

        IoOperation operation = IoOperation.ForRead(this, buffer, fileOffset, bytes, cancellationToken);
        operation.IsKept = true;
        operation.HasMissed = isMissed;
        short version = operation.Version;
        operation.Start();
        return new ValueTask<int>(operation, version);
    }

    /// <summary>As <see cref="Write(ReadOnlySpan{byte}, long)"/>.</summary>
    internal void Write(ReadOnlySpan<byte> buffer, long fileOffset, bool isKept)
    {
        if (!isKept || !KeepsWrite(fileOffset, buffer.Length))
        {
            Write(buffer, fileOffset);
            return;
        }

        using Reference reference = Hold();
        if (!TryBeginKept())
        {
            IoOperation.Write(this, buffer, fileOffset, isKept: true);
            return;
        }

        int written;
        try
        {
            written = OutcomeOf(TransferCalls.Write(_fd, CutForDebug(buffer), fileOffset, RwFlags.None));
            AfterKept(fileOffset, Math.Max(written, 0), isRead: false);
        }
        finally
        {
            EndKept();
        }

        if (written == buffer.Length)
        {
            NoteKept(IoVerb.Write, written);
            return;
        }

        if (written < 0)
        {
            // Outside the gate, as in a read.
            ThrowFailed(-written, IoVerb.Write, fileOffset);
        }

        IoOperation.Write(this, buffer, fileOffset, isKept: true, done: written);
    }

    /// <summary>As <see cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)"/>.</summary>
    internal ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset, bool isKept, CancellationToken cancellationToken)
    {
        if (!isKept || cancellationToken.IsCancellationRequested || !KeepsWrite(fileOffset, buffer.Length))
        {
            return WriteAsync(buffer, fileOffset, cancellationToken);
        }

        int bytes = 0;
        ReadOnlySpan<byte> span = buffer.Span;
        if (!IsCustomEngine && WritePace.AllowsInline)
        {
            using Reference reference = Hold();
            if (TryBeginKept())
            {
                try
                {
                    bytes = WriteInline(span, fileOffset, isKept: true);
                    AfterKept(fileOffset, Math.Max(bytes, 0), isRead: false);
                }
                finally
                {
                    EndKept();
                }

                if (bytes == span.Length)
                {
                    NoteKept(IoVerb.Write, bytes);
                    return ValueTask.CompletedTask;
                }
            }
        }

        return bytes < 0
            ? ValueTask.FromException(ErrorOf(-bytes, IoVerb.Write, fileOffset))
            : StartWrite(buffer, fileOffset, bytes, cancellationToken, isKept: true);
    }

    /// <summary>
    /// Whether a write that may be kept is: of a direct file where its pages are met again, of an uncached one at once. A write that is
    /// dropped behind sets the device to work, and the next write of the page would wait for that.
    /// </summary>
    private bool KeepsWrite(long fileOffset, int bytes) => IsMetAgain(fileOffset, bytes) || (DirectGate is null && Kept is not null);

    /// <summary>Whether a transfer that may be kept is: where not, it will be the next time.</summary>
    private bool IsMetAgain(long fileOffset, int bytes)
    {
        CheckOffset(fileOffset);
        using Reference reference = Hold();
        return Kept is { } kept && kept.IsMetAgain(_fd, fileOffset, bytes);
    }

    /// <summary>
    /// Whether this thread may make such a transfer itself: then O_DIRECT is off until <see cref="EndKept"/>, and others of this process
    /// are kept out. The caller holds a reference.
    /// </summary>
    private bool TryBeginKept()
    {
        if (IsIntercepted || (DirectGate is { } gate && !gate.TryEnterAlone()))
        {
            return false;
        }

        if (DirectGate is not null)
        {
            SuspendDirect();
        }

        return true;
    }

    private void EndKept()
    {
        if (DirectGate is { } gate)
        {
            ResumeDirect();
            gate.Exit();
        }
    }

    private void NoteKept(IoVerb verb, int bytes)
    {
        IoMetrics.Note(this, verb, Carrier.Inline, bytes);
        if (Caching == FileCaching.Direct)
        {
            NoteEdge();
        }
    }

    /// <summary>The handle is being closed, and its pages are not met again.</summary>
    private void LeaveKept()
    {
        if (_extras?.Kept is not { } kept)
        {
            return;
        }

        try
        {
            using Reference reference = Hold();
            kept.Leave(_fd);
        }
        catch (ObjectDisposedException)
        {
            // The operating system's handle was closed before this one.
        }
    }
}
