using System.Runtime.InteropServices;
using Sluice.Uring;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>
/// A word on which a thread can wait until another thread wakes it (futex(2)). Takes less processor time than a monitor of .NET.
/// </summary>
internal sealed unsafe partial class FutexWord
{
    private const int WaitPrivate = 128;
    private const int WakePrivate = 129;
    private const int IntsOfALine = 16;

    private static readonly long NrFutex = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 202 : 98;

    /// <summary>Pinned memory of two cache lines, of which the second contains only the word.</summary>
    private readonly int[] _pinned = GC.AllocateArray<int>(2 * IntsOfALine, pinned: true);
    private readonly int* _word;

    public FutexWord() => _word = (int*)Marshal.UnsafeAddrOfPinnedArrayElement(_pinned, IntsOfALine);

    /// <inheritdoc cref="Libc.IsSupported"/>
    public static bool IsSupported => Libc.IsSupported;

    public ref int Value => ref _pinned[IntsOfALine];

    /// <summary>
    /// Waits until the word differs from <paramref name="value"/>. May return earlier, so the caller must check again. <see
    /// cref="Thread.Interrupt"/> does not end the wait; it interrupts the next wait of the thread.
    /// </summary>
    /// <param name="value">The value with which the thread waits.</param>
    /// <param name="milliseconds">The maximum time in milliseconds, or <see cref="Timeout.Infinite"/>.</param>
    /// <returns>False if the call was refused (by a sandbox) and did not wait.</returns>
    public bool Wait(int value, int milliseconds = Timeout.Infinite)
    {
        long* span = stackalloc long[] { milliseconds / 1000, milliseconds % 1000 * 1_000_000L };
        nint result = SystemCallFaults.Fails("futex", -1)
            ? -1
            : syscall(NrFutex, (nint)_word, WaitPrivate, value, milliseconds == Timeout.Infinite ? 0 : (nint)span, 0, 0);
        bool waited = result == 0 || Marshal.GetLastSystemError() is Errno.EAGAIN or Errno.EINTR or Errno.ETIMEDOUT;
        GC.KeepAlive(_pinned);
        return waited;
    }

    /// <summary>Wakes the thread that waits on the word, if any.</summary>
    public void Wake()
    {
        // If the call is refused, no thread waits.
        _ = wakeSleeper(NrFutex, _word, WakePrivate, 1);
        GC.KeepAlive(_pinned);
    }

    [LibraryImport(SystemLibrary.Name, EntryPoint = "syscall")]
    private static partial nint wakeSleeper(long number, int* word, nint operation, nint count);
}
