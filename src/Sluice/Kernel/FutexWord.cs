using System.Runtime.InteropServices;
using Sluice.Uring;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>
/// A word of this process that a thread can sleep on until another one wakes it (futex(2)): without the processor time that a monitor of
/// .NET takes for the same.
/// </summary>
internal sealed unsafe partial class FutexWord
{
    private const int WaitPrivate = 128;
    private const int WakePrivate = 129;
    private const int IntsOfALine = 16;

    private static readonly long NrFutex = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 202 : 98;

    /// <summary>Two lines of a processor's cache, so that one of them is nobody else's; they stay where they are.</summary>
    private readonly int[] _pinned = GC.AllocateArray<int>(2 * IntsOfALine, pinned: true);
    private readonly int* _word;

    public FutexWord() => _word = (int*)Marshal.UnsafeAddrOfPinnedArrayElement(_pinned, IntsOfALine);

    /// <inheritdoc cref="Libc.IsSupported"/>
    public static bool IsSupported => Libc.IsSupported;

    public ref int Value => ref _pinned[IntsOfALine];

    /// <summary>
    /// Sleeps as long as the word is <paramref name="value"/>, or shorter: the caller looks again. <see cref="Thread.Interrupt"/> does not
    /// end it; it is kept for the thread's next wait.
    /// </summary>
    /// <param name="value">The word's value as long as nobody has woken anybody.</param>
    /// <param name="milliseconds">How long at most; <see cref="Timeout.Infinite"/> for no bound.</param>
    /// <returns>False where it was refused (by a sandbox), and nobody slept.</returns>
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

    /// <summary>Wakes the thread that sleeps on the word, if there is one.</summary>
    public void Wake()
    {
        // Nobody sleeps where it is refused.
        _ = wakeSleeper(NrFutex, _word, WakePrivate, 1);
        GC.KeepAlive(_pinned);
    }

    [LibraryImport(SystemLibrary.Name, EntryPoint = "syscall")]
    private static partial nint wakeSleeper(long number, int* word, nint operation, nint count);
}
