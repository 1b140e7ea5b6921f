using System.Runtime.CompilerServices;
using Sluice.Errors;
using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// Hands the window down: synchronously, or asynchronously and perhaps behind the caller.
public sealed partial class SluiceStream
{
    /// <summary>Writes the window, and empties it; when that fails, those of its bytes stay that have not gone out.</summary>
    /// <param name="isLast">The stream is being closed: what can be written is written, whatever became of what was written behind.</param>
    private void HandDown(bool isLast = false)
    {
        if (_writeEnd == 0)
        {
            return;
        }

        int start = Window.Start;
        int pos = EndOfWritten(isLast);
        int length = pos - start;
        long end = _base + pos;
        if (length > 0)
        {
            if (!isLast)
            {
                // An earlier failure comes first, and a later write never overtakes an earlier one.
                WriteBehind?.Settle();
            }

            ReserveSpace(_base + start, length);
            try
            {
                _handle.Write(_buffer.AsSpan(start, length), _base + start);
            }
            catch (Exception e) when (!isLast)
            {
                KeepRest(e);
                throw;
            }

            NoteWritten(_base + start, length);
            _sizing.Ended(end, pos == _writeEnd);
        }

        EndWindow(end, isLast);
    }

    /// <summary>
    /// As <see cref="HandDown"/>; a large window that sized itself may be left to be written while the caller goes on.
    /// </summary>
    /// <param name="mayStayBehind">Whether it may be left to be written: it is a write's, some of whose bytes may be in it.</param>
    /// <param name="isLast">As in <see cref="HandDown"/>.</param>
    /// <param name="cancellationToken">Ends the wait; the bytes stay.</param>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
    private async ValueTask HandDownAsync(bool mayStayBehind, bool isLast, CancellationToken cancellationToken)
    {
        if (_writeEnd == 0)
        {
            return;
        }

        MemoryLease window = Window;
        int start = window.Start;
        int pos = EndOfWritten(isLast);
        int length = pos - start;
        long end = _base + pos;
        if (length > 0)
        {
            // Meanwhile the window is closed for quick writes of others; it opens again when this fails.
            int writeEnd = _writeEnd;
            bool wasWhole = pos == writeEnd;
            bool hasBegun = false;
            _writeEnd = pos;
            try
            {
                bool isOverlapped = mayStayBehind && IsAdaptive && length >= AdaptiveSize.Large && Extras.Overlap.PaysOff(_handle.Caching);
                if (!isLast)
                {
                    await SettleAsync(cancellationToken).ConfigureAwait(false);
                }

                ReserveSpace(_base + start, length);
                if (isOverlapped)
                {
                    (Extras.WriteBehind ??= new WriteBehind()).Start(_handle, this, window, start, length, _base + start);
                    SetWindow(default);
                }
                else
                {
                    Extras.Overlap.BeginWrite();

                    // What has begun to go out of the window of what cannot seek goes out, as from FileStream.
                    CancellationToken token = mayStayBehind || !_handle.CanSeek ? default : cancellationToken;
                    hasBegun = true;
                    ReadOnlyMemory<byte> memory = window.MemoryAt(start, length);
                    await _handle.WriteAsync(memory, _base + start, token).ConfigureAwait(false);
                    Extras.Overlap.EndWrite();
                }

                NoteWritten(_base + start, length);

                Extras.Overlap.BeginFill();
            }
            catch (Exception e)
            {
                _writeEnd = writeEnd;
                if (hasBegun && !isLast)
                {
                    KeepRest(e);
                }

                throw;
            }

            _sizing.Ended(end, wasWhole);
        }

        EndWindow(end, isLast);
    }

    /// <summary>Where the window's bytes end; a thread that was given up at the closing may still move the position.</summary>
    private int EndOfWritten(bool isLast) => isLast ? _writeEnd : _pos;

    /// <summary>The bytes are in the file. A stream that is being closed stays as it stands: another thread may just ask where.</summary>
    private void EndWindow(long end, bool isLast)
    {
        if (isLast)
        {
            _writeEnd = 0;
        }
        else
        {
            Forget(end);
        }
    }

    /// <summary>
    /// Of a window whose write has failed the bytes that have gone out are not kept: what cannot seek, and a file that appends, would have
    /// them twice. The position stays.
    /// </summary>
    private void KeepRest(Exception error)
    {
        int written = PartialWrite.Of(error, _handle);
        if (written > 0)
        {
            int start = Window.Start;
            _buffer.AsSpan(start + written, _pos - start - written).CopyTo(_buffer.AsSpan(start));
            (_base, _pos, _writeEnd) = (_base + written, _pos - written, _writeEnd - written);
        }
    }

    /// <summary>
    /// What this call put into a window that could not be handed down was not accepted, even where a part of it has gone out with that.
    /// </summary>
    private void TakeBack(int put)
    {
        _pos -= put;
        if (put > 0 && _windowBuffer is { } buffer && _pos < buffer.Start)
        {
            Forget(_base + _pos);
        }
    }
}
