using System.Runtime.InteropServices;

namespace Sluice.Hostile.Tests.Support;

/// <summary>
/// Memory that is not there until it is given: whoever touches it before stands still, as where a page comes from a slow disk or network
/// (userfaultfd(2), which needs no privilege for a program's own touches).
/// </summary>
internal sealed unsafe partial class HeldMemory : IDisposable
{
    /// <summary>
    /// Bytes that .NET copies by the C library's memmove on x64, as a call during which the collector may run: with its own copy a thread
    /// that stands still would hold up the whole process.
    /// </summary>
    public const int Length = 8192;

    private const int CloseOnExec = 0x80000;
    private const int UserModeOnly = 1;
    private const uint ApiRequest = 0xC018AA3F;
    private const uint RegisterRequest = 0xC020AA00;
    private const uint CopyRequest = 0xC028AA03;

    private readonly int _faults;
    private readonly byte* _memory;
    private bool _isGiven;

    public HeldMemory()
    {
        Skip.IfNot(
            OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture == Architecture.X64, "held memory needs Linux on x64");
        _faults = (int)syscall(323, CloseOnExec | UserModeOnly);
        Skip.If(_faults < 0, $"userfaultfd: {Marshal.GetLastPInvokeErrorMessage()}");
        ulong* api = stackalloc ulong[] { 0xAA, 0, 0 };
        Expect(ioctl(_faults, ApiRequest, api));
        _memory = (byte*)NativeMemory.AlignedAlloc(Length, Length);
        Expect(madvise(_memory, Length, 4));
        ulong* range = stackalloc ulong[] { (ulong)_memory, Length, 1, 0 };
        Expect(ioctl(_faults, RegisterRequest, range));
    }

    public Span<byte> Span => new(_memory, Length);

    /// <summary>Returns when a thread stands still at this memory.</summary>
    public void WaitUntilTouched()
    {
        byte* message = stackalloc byte[32];
        Assert.Equal(32, read(_faults, message, 32));
    }

    /// <summary>The memory is there, and has this in it; who stood still goes on.</summary>
    public void Give(ReadOnlySpan<byte> content)
    {
        if (!_isGiven)
        {
            _isGiven = true;
            fixed (byte* source = content)
            {
                ulong* copy = stackalloc ulong[] { (ulong)_memory, (ulong)source, Length, 0, 0 };
                Expect(ioctl(_faults, CopyRequest, copy));
            }
        }
    }

    public void Dispose()
    {
        // Nobody is left standing, whatever the test said.
        byte* page = (byte*)NativeMemory.AlignedAlloc(Length, Length);
        Give(new Span<byte>(page, Length));
        NativeMemory.AlignedFree(page);
        _ = close(_faults);
        NativeMemory.AlignedFree(_memory);
    }

    private static void Expect(int result) => Assert.True(result == 0, Marshal.GetLastPInvokeErrorMessage());

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint syscall(nint number, nint flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int ioctl(int descriptor, nuint request, void* argument);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int madvise(void* address, nuint length, int advice);

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint read(int descriptor, void* buffer, nuint count);

    [LibraryImport("libc")]
    private static partial int close(int descriptor);
}
