using System.Runtime.CompilerServices;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// Closing beside a thread that is just writing: what that thread puts into the window is in the file, or the thread hears that it is not.
public sealed partial class SluiceStream
{
    /// <summary>An end that no quick write finds room before; the window is still one that is written to, and its bytes count.</summary>
    private const int NoRoom = -1;

    /// <summary>Looks at a copy of another thread before it is waited for asleep.</summary>
    private const int MaxSpins = 100;

    private static readonly Lock SealLock = new();

    /// <summary>Closing waits for no copy any longer; what a quick write has copied is in the file only if the seal is behind it.</summary>
    private volatile bool _isGivenUp;

    /// <summary>
    /// Quick writes end here: what another thread was putting into the window just now is in it when this returns. A thread that is put
    /// aside for longer than is waited for is told that its bytes are not.
    /// </summary>
    private void SealWriting()
    {
        if (!TrySeal())
        {
            // By the clock: a millisecond's sleep takes longer, or none at all where this thread is interrupted again and again.
            long end = Environment.TickCount64 + Tuning.StreamMaxCopyMs;
            bool isInterrupted = false;
            while (_isCopying && Environment.TickCount64 < end)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }

            Uninterrupted.Restore(isInterrupted);
            Seal();
        }
    }

    /// <summary>As <see cref="SealWriting"/>, without a thread that waits.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
    private async ValueTask SealWritingAsync()
    {
        if (!TrySeal())
        {
            long end = Environment.TickCount64 + Tuning.StreamMaxCopyMs;
            while (_isCopying && Environment.TickCount64 < end)
            {
                await MillisecondAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            Seal();
        }
    }

    /// <summary>False where a copy of another thread is still to be waited for.</summary>
    private bool TrySeal()
    {
        if (_writeEnd == 0)
        {
            return true;
        }

        _writeEnd = NoRoom;

        // A quick write sets its mark and looks at the end without a fence between: behind this barrier either it sees that there is no
        // room, or its mark is seen here.
        Interlocked.MemoryBarrierProcessWide();
        SpinWait spin = default;
        bool isInterrupted = false;
        while (_isCopying && spin.Count < MaxSpins)
        {
            Uninterrupted.SpinOnce(ref spin, sleepsLonger: false, ref isInterrupted);
        }

        Uninterrupted.Restore(isInterrupted);
        if (_isCopying)
        {
            return false;
        }

        _writeEnd = _pos;
        return true;
    }

    /// <summary>
    /// The window ends where the last write has ended that has, also where no mark is seen any more: another call of the stream that is
    /// being closed may have taken off the mark of the thread that was waited for (<see cref="EndQuickWay"/>).
    /// </summary>
    private void Seal()
    {
        // A quick write takes its mark off and looks here without a fence between: behind the first barrier it sees that it was given up,
        // or has moved the position before that is read below.
        _isGivenUp = true;
        Interlocked.MemoryBarrierProcessWide();
        using (SealLock.EnterUninterrupted())
        {
            int end = _pos;

            // Whoever has moved the position as far as this has stored its bytes before.
            Interlocked.MemoryBarrierProcessWide();
            _writeEnd = end;
            Extras.SealedEnd = end;
        }
    }

    /// <summary>
    /// Whether closing has left out a write up to <paramref name="end"/>, which has moved the position before this is asked: either it
    /// stands in front of the seal, or there is none yet, and closing will find the position moved.
    /// </summary>
    private bool IsLeftOut(int end)
    {
        using (SealLock.EnterUninterrupted())
        {
            return _extras is { SealedEnd: >= 0 and int sealedEnd } && end > sealedEnd;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ThrowIfLeftOut(int end)
    {
        if (IsLeftOut(end))
        {
            StreamErrors.ThrowClosed();
        }
    }

    /// <summary>
    /// A slow way takes off the mark of the quick one before it. Not of a stream that is closed, or nearly: the mark may be the one of a
    /// thread that is still copying, and the memory would be given to others.
    /// </summary>
    private void EndQuickWay()
    {
        if (_access is not 0 and < Closing)
        {
            _isCopying = false;
        }
    }

    private static Task MillisecondAsync()
    {
        try
        {
            return Uninterrupted.UntilDone(1, static ms => Task.Delay(ms));
        }
        catch (OutOfMemoryException)
        {
            // No memory for a timer: as a synchronous caller waits.
            bool isInterrupted = false;
            Uninterrupted.Sleep(1, ref isInterrupted);
            Uninterrupted.Restore(isInterrupted);
            return Task.CompletedTask;
        }
    }
}
