using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// Decides whether a system call or an entry of a ring fails. Called before the call is made or the entry is passed to the ring. A result
/// of 0 changes nothing, a negative errno lets the call fail, a positive number less than <paramref name="length"/> shortens the transfer,
/// and <see cref="SystemCallFaults.NoBytes"/> lets it transfer nothing. Called on the thread of the call, by several threads at the same
/// time.
/// </summary>
/// <param name="call">The name of the call. For an entry of a ring, it is "ring " followed by the opcode.</param>
/// <param name="fd">The descriptor, or the directory in which a name is looked up; -1 if there is none.</param>
/// <param name="length">The number of bytes or segments to transfer, or of entries to submit; 0 for other calls.</param>
internal delegate long SystemCallFault(string call, int fd, long length);

/// <summary>
/// All system calls of the library pass through this class, so that a test can make any of them fail or end early. It has an effect only in
/// a process that was started with the switch <see cref="SwitchName"/>. Otherwise, the compiler removes it, also from the hot paths.
/// </summary>
internal static unsafe class SystemCallFaults
{
    /// <summary>The name of the switch in runtimeconfig.json. It is read once.</summary>
    public const string SwitchName = "Sluice.SystemCallFaults";

    /// <summary>The result of a <see cref="SystemCallFault"/> that lets a transfer succeed with 0 bytes.</summary>
    public const long NoBytes = long.MinValue;

    private static SystemCallFault? s_fault;

    /// <summary>
    /// True if the process was started with the switch. A constant for the compiler from tier 1 on, and in trimmed code
    /// (ILLink.Substitutions.xml).
    /// </summary>
    [FeatureSwitchDefinition(SwitchName)]
    public static bool IsOn { get; } = AppContext.TryGetSwitch(SwitchName, out bool isOn) && isOn;

    /// <summary>Sets the delegate that decides on all system calls of the process; null to let all of them pass.</summary>
    /// <exception cref="InvalidOperationException">The process was started without the switch.</exception>
    public static void Use(SystemCallFault? fault)
    {
        if (!IsOn)
        {
            throw new InvalidOperationException($"This process was started without {SwitchName}.");
        }

        Volatile.Write(ref s_fault, fault);
    }

    /// <summary>Returns true if this call is to fail. Then errno is set, and the result of the call is -1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fails(string call, int fd) => IsOn && IsRefused(Ask(call, fd, 0));

    /// <inheritdoc cref="Fails(string, int)"/>
    /// <param name="call">The name of the call.</param>
    /// <param name="fd">The descriptor.</param>
    /// <param name="length">The number of bytes to transfer. It is reduced if the call is to end early.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fails(string call, int fd, ref int length) => IsOn && FailsOrEndsEarly(call, fd, ref length);

    /// <inheritdoc cref="Fails(string, int, ref int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fails(string call, int fd, ref long length) => IsOn && FailsOrEndsEarly(call, fd, ref length);

    /// <inheritdoc cref="Fails(string, int)"/>
    /// <param name="call">The name of the call.</param>
    /// <param name="fd">The descriptor.</param>
    /// <param name="segments">The segments. A single one is replaced by <paramref name="shorter"/> if the call is to end early.</param>
    /// <param name="count">The number of segments. It is reduced if the call is to end early.</param>
    /// <param name="shorter">Memory for one segment.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fails(string call, int fd, ref Iovec* segments, ref int count, Iovec* shorter) =>
        IsOn && FailsOrEndsEarly(call, fd, ref segments, ref count, shorter);

    /// <summary>Fails or shortens an entry of a ring before the kernel sees it.</summary>
    /// <returns>0, or the result that replaces that of the completion.</returns>
    public static int Alter(IoUringSqe* entry)
    {
        bool isTransfer = entry->Opcode is Opcode.Read or Opcode.Write or Opcode.ReadV or Opcode.WriteV;
        long answer = Ask("ring " + entry->Opcode, entry->Fd, isTransfer ? entry->Len : 0);
        if (isTransfer && answer == NoBytes)
        {
            entry->Len = 0;
            return 0;
        }

        if (answer < 0 && entry->Opcode == Opcode.Close)
        {
            // A close that fails closes the descriptor nevertheless.
            return (int)answer;
        }

        if (answer < 0)
        {
            ulong userData = entry->UserData;
            SqeFlags flags = entry->Flags;
            *entry = default;
            entry->Opcode = Opcode.Nop;
            entry->Fd = -1;
            entry->UserData = userData;
            entry->Flags = flags;
            return (int)answer;
        }

        if (isTransfer && answer > 0 && answer < entry->Len)
        {
            entry->Len = (uint)answer;
        }

        return 0;
    }

    private static long Ask(string call, int fd, long length) => Volatile.Read(ref s_fault)?.Invoke(call, fd, length) ?? 0;

    private static bool FailsOrEndsEarly(string call, int fd, ref int length)
    {
        long allowed = length;
        bool fails = FailsOrEndsEarly(call, fd, ref allowed);
        length = (int)allowed;
        return fails;
    }

    private static bool FailsOrEndsEarly(string call, int fd, ref long length)
    {
        long answer = Ask(call, fd, length);
        if (answer == NoBytes)
        {
            length = 0;
            return false;
        }

        if (answer > 0 && answer < length)
        {
            length = answer;
        }

        return IsRefused(answer);
    }

    private static bool FailsOrEndsEarly(string call, int fd, ref Iovec* segments, ref int count, Iovec* shorter)
    {
        long length = count == 1 ? (long)segments[0].Len : count;
        long answer = Ask(call, fd, length);
        if (answer == NoBytes)
        {
            count = 0;
            return false;
        }

        if (answer > 0 && answer < length)
        {
            if (count > 1)
            {
                count = (int)answer;
            }
            else
            {
                shorter->Base = segments[0].Base;
                shorter->Len = (nuint)answer;
                segments = shorter;
            }
        }

        return IsRefused(answer);
    }

    private static bool IsRefused(long answer)
    {
        if (answer < 0)
        {
            Marshal.SetLastSystemError((int)-answer);
        }

        return answer < 0;
    }
}
