using System.Runtime.InteropServices;

namespace Sluice.Uring.Tests.Support;

/// <summary>The system calls by which tests interrupt and restrict threads.</summary>
internal static unsafe partial class Native
{
    public const int MemlockResource = 8;
    public const int TestSignal = 62;

    /// <summary>Lets <see cref="TestSignal"/> interrupt system calls and do nothing else: its handler is libc's abs(int).</summary>
    public static void InstallHarmlessHandler()
    {
        if (signal(TestSignal, NativeLibrary.GetExport(NativeLibrary.GetMainProgramHandle(), "abs")) == -1)
        {
            throw new InvalidOperationException("signal() refused the handler.");
        }
    }

    public static void Interrupt(int threadId)
    {
        // By number, because musl has no wrapper.
        int tgkill = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 234 : 131;
        if (syscall(tgkill, Environment.ProcessId, threadId, TestSignal) != 0)
        {
            throw new InvalidOperationException("tgkill() failed.");
        }
    }

    /// <summary>Drops every capability of the calling thread alone.</summary>
    public static bool TryDropCapabilities()
    {
        uint* header = stackalloc uint[2] { 0x20080522, 0 };
        uint* sets = stackalloc uint[6];
        new Span<uint>(sets, 6).Clear();
        return capset(header, sets) == 0;
    }

    public static (ulong Soft, ulong Hard) GetLimit(int resource)
    {
        ulong* limits = stackalloc ulong[2];
        return getrlimit(resource, limits) == 0 ? (limits[0], limits[1]) : throw new InvalidOperationException("getrlimit() failed.");
    }

    public static void SetLimit(int resource, ulong soft, ulong hard)
    {
        ulong* limits = stackalloc ulong[2] { soft, hard };
        if (setrlimit(resource, limits) != 0)
        {
            throw new InvalidOperationException("setrlimit() failed.");
        }
    }

    [LibraryImport("libc")]
    public static partial int gettid();

    [LibraryImport("libc")]
    private static partial nint syscall(nint number, nint processId, nint threadId, nint signalNumber);

    [LibraryImport("libc")]
    private static partial nint signal(int number, nint handler);

    [LibraryImport("libc")]
    private static partial int capset(uint* header, uint* sets);

    [LibraryImport("libc")]
    private static partial int getrlimit(int resource, ulong* limits);

    [LibraryImport("libc")]
    private static partial int setrlimit(int resource, ulong* limits);
}
