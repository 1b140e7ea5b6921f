using System.Runtime.InteropServices;

namespace Sluice.Faults.Child.Support;

/// <summary>A seccomp filter on every thread of this process: the named system calls fail with an errno, all others pass.</summary>
internal static unsafe partial class Seccomp
{
    private const int PrSetNoNewPrivs = 38;
    private const int SetModeFilter = 1;
    private const int FlagThreadSync = 1;

    private const ushort LoadWord = 0x20;
    private const ushort JumpEqual = 0x15;
    private const ushort Return = 0x06;
    private const uint ReturnErrno = 0x0005_0000;
    private const uint ReturnAllow = 0x7FFF_0000;

    /// <summary>io_uring's calls have the same numbers on all architectures.</summary>
    public const int IoUringSetup = 425;
    public const int IoUringEnter = 426;
    public const int IoUringRegister = 427;

    public static int Statx => IsArm64 ? 291 : 332;

    public static int Preadv2 => IsArm64 ? 286 : 327;

    public static int Pwritev2 => IsArm64 ? 287 : 328;

    public static int Clone => IsArm64 ? 220 : 56;

    public static int Clone3 => 435;

    private static bool IsArm64 => RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    public static void Refuse(int errno, params ReadOnlySpan<int> calls)
    {
        Instruction* program = stackalloc Instruction[calls.Length + 3];
        int at = 0;
        program[at++] = new Instruction(LoadWord, 0, 0, 0);
        for (int i = 0; i < calls.Length; i++)
        {
            // To the last instruction when it is this call, else to the next comparison.
            program[at++] = new Instruction(JumpEqual, (byte)(calls.Length - i), 0, (uint)calls[i]);
        }

        program[at++] = new Instruction(Return, 0, 0, ReturnAllow);
        program[at++] = new Instruction(Return, 0, 0, ReturnErrno | (uint)errno);
        Program filter = new() { Length = (ushort)at, Instructions = program };
        if (prctl(PrSetNoNewPrivs, 1, 0, 0, 0) < 0)
        {
            throw new InvalidOperationException($"PR_SET_NO_NEW_PRIVS failed (errno {Marshal.GetLastSystemError()})");
        }

        nint result = syscall(IsArm64 ? 277 : 317, SetModeFilter, FlagThreadSync, (nint)(&filter));
        if (result != 0)
        {
            throw new InvalidOperationException($"seccomp failed ({result}, errno {Marshal.GetLastSystemError()})");
        }
    }

    [LibraryImport("libc")]
    private static partial int prctl(int option, nuint a, nuint b, nuint c, nuint d);

    [LibraryImport("libc")]
    private static partial nint syscall(nint number, nint a, nint b, nint c);

    /// <summary>struct sock_filter.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Instruction(ushort code, byte ifTrue, byte ifFalse, uint operand)
    {
        public readonly ushort Code = code;
        public readonly byte IfTrue = ifTrue;
        public readonly byte IfFalse = ifFalse;
        public readonly uint Operand = operand;
    }

    /// <summary>struct sock_fprog.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Program
    {
        public ushort Length;
        public Instruction* Instructions;
    }
}
