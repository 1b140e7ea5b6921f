using System.Runtime.InteropServices;

namespace Sluice.Faults.Child.Support;

/// <summary>A seccomp filter: the named system calls fail with an errno, all others pass.</summary>
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

    private static bool IsArm64 => RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    /// <summary>On every thread of this process, for good.</summary>
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
        if (!TryInstall(program, at, FlagThreadSync))
        {
            throw new InvalidOperationException($"seccomp failed (errno {Marshal.GetLastSystemError()})");
        }
    }

    /// <summary>
    /// On the calling thread alone; where <paramref name="argument"/> is given, only calls whose argument of that index is not 0.
    /// </summary>
    /// <returns>False when the sandbox refuses filters.</returns>
    public static bool TryRefuseOnThisThread(int call, int errno, int? argument = null)
    {
        const uint argumentsOffset = 16;
        Instruction* program = stackalloc Instruction[6];
        int at = 0;
        program[at++] = new Instruction(LoadWord, 0, 0, 0);
        program[at++] = new Instruction(JumpEqual, 0, (byte)(argument is null ? 1 : 3), (uint)call);
        if (argument is int index)
        {
            program[at++] = new Instruction(LoadWord, 0, 0, argumentsOffset + ((uint)index * 8));
            program[at++] = new Instruction(JumpEqual, 1, 0, 0);
        }

        program[at++] = new Instruction(Return, 0, 0, ReturnErrno | (uint)errno);
        program[at++] = new Instruction(Return, 0, 0, ReturnAllow);
        return TryInstall(program, at, flags: 0);
    }

    private static bool TryInstall(Instruction* program, int length, int flags)
    {
        Program filter = new() { Length = (ushort)length, Instructions = program };
        return prctl(PrSetNoNewPrivs, 1, 0, 0, 0) == 0
            && syscall(IsArm64 ? 277 : 317, SetModeFilter, flags, (nint)(&filter)) == 0;
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
