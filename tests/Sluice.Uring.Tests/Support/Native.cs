using System.Runtime.InteropServices;

namespace Sluice.Uring.Tests.Support;

/// <summary>The system calls by which tests interrupt and restrict threads.</summary>
internal static unsafe partial class Native
{
    public const int MemlockResource = 8;
    public const int TestSignal = 62;

    private const int PrSetSeccomp = 22;
    private const int PrSetNoNewPrivs = 38;
    private const int SeccompModeFilter = 2;
    private const uint SeccompReturnAllow = 0x7fff0000;
    private const uint SeccompReturnErrno = 0x00050000;

    private const ushort BpfLoadWord = 0x20;
    private const ushort BpfJumpIfEqual = 0x15;
    private const ushort BpfReturn = 0x06;

    /// <summary>Lets <see cref="TestSignal"/> interrupt system calls and do nothing else: its handler is libc's abs(int).</summary>
    public static void InstallHarmlessHandler()
    {
        nint libc = NativeLibrary.Load("libc.so.6");
        if (signal(TestSignal, NativeLibrary.GetExport(libc, "abs")) == -1)
        {
            throw new InvalidOperationException("signal() refused the handler.");
        }
    }

    public static void Interrupt(int threadId)
    {
        if (tgkill(Environment.ProcessId, threadId, TestSignal) != 0)
        {
            throw new InvalidOperationException("tgkill() failed.");
        }
    }

    /// <summary>
    /// Makes one system call of the calling thread fail with an errno, by a seccomp filter; where <paramref name="argument"/> is given,
    /// only calls whose argument of that index is not 0.
    /// </summary>
    /// <returns>False when the sandbox refuses filters.</returns>
    public static bool TryRefuseOnThisThread(int systemCall, int errno, int? argument = null)
    {
        const uint numberOffset = 0;
        const uint argumentsOffset = 16;
        Instruction* program = stackalloc Instruction[6];
        int length = 0;
        program[length++] = new(BpfLoadWord, 0, 0, numberOffset);
        program[length++] = new(BpfJumpIfEqual, 0, (byte)(argument is null ? 1 : 3), (uint)systemCall);
        if (argument is int index)
        {
            program[length++] = new(BpfLoadWord, 0, 0, argumentsOffset + (uint)index * 8);
            program[length++] = new(BpfJumpIfEqual, 1, 0, 0);
        }

        program[length++] = new(BpfReturn, 0, 0, SeccompReturnErrno | (uint)errno);
        program[length++] = new(BpfReturn, 0, 0, SeccompReturnAllow);
        FilterProgram filter = new() { Length = (ushort)length, Instructions = program };
        return prctl(PrSetNoNewPrivs, 1, 0, 0, 0) == 0 && prctl(PrSetSeccomp, SeccompModeFilter, (nint)(&filter), 0, 0) == 0;
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
    private static partial int tgkill(int processId, int threadId, int signalNumber);

    [LibraryImport("libc")]
    private static partial nint signal(int number, nint handler);

    [LibraryImport("libc")]
    private static partial int prctl(int option, nint a, nint b, nint c, nint d);

    [LibraryImport("libc")]
    private static partial int capset(uint* header, uint* sets);

    [LibraryImport("libc")]
    private static partial int getrlimit(int resource, ulong* limits);

    [LibraryImport("libc")]
    private static partial int setrlimit(int resource, ulong* limits);

    /// <summary>struct sock_filter.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Instruction(ushort code, byte whenTrue, byte whenFalse, uint value)
    {
        private readonly ushort _code = code;
        private readonly byte _whenTrue = whenTrue;
        private readonly byte _whenFalse = whenFalse;
        private readonly uint _value = value;
    }

    /// <summary>struct sock_fprog.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct FilterProgram
    {
        public ushort Length;
        public Instruction* Instructions;
    }
}
