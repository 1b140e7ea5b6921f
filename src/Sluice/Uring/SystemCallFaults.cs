using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// Asked before a system call is made, or an entry is handed to a ring: 0 lets it pass, a negative errno fails it, a smaller number than
/// <paramref name="length"/> cuts it short, and <see cref="SystemCallFaults.NoBytes"/> leaves nothing of a transfer. Called on the thread
/// of the call, from many threads.
/// </summary>
/// <param name="call">The call's name; an entry of a ring is "ring " and its opcode.</param>
/// <param name="fd">The descriptor that it is about, or the folder that a name is looked up in; -1 where there is none.</param>
/// <param name="length">The bytes or segments to be transferred, or the entries that a ring is to take; 0 for other calls.</param>
internal delegate long SystemCallFault(string call, int fd, long length);

/// <summary>
/// The one place that every system call of the library passes, so that a test can make any of them fail or end early. It is there only
/// in a process that was started with the switch <see cref="SwitchName"/>: elsewhere the compiler leaves it out, also of the hot paths.
/// </summary>
internal static unsafe class SystemCallFaults
{
    /// <summary>A setting of runtimeconfig.json; read once.</summary>
    public const string SwitchName = "Sluice.SystemCallFaults";

    /// <summary>Lets a transfer succeed with a result of 0 bytes.</summary>
    public const long NoBytes = long.MinValue;

    private static SystemCallFault? s_fault;

    /// <summary>A constant for the compiler from tier 1 on, and in trimmed code (ILLink.Substitutions.xml).</summary>
    [FeatureSwitchDefinition(SwitchName)]
    public static bool IsOn { get; } = AppContext.TryGetSwitch(SwitchName, out bool isOn) && isOn;

    /// <summary>Asks <paramref name="fault"/> from now on, in the whole process; null asks nobody.</summary>
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
    /// <param name="call">Its name.</param>
    /// <param name="fd">Its descriptor.</param>
    /// <param name="length">How much it is to transfer; becomes less where it is to end early.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fails(string call, int fd, ref int length) => IsOn && FailsOrEndsEarly(call, fd, ref length);

    /// <inheritdoc cref="Fails(string, int, ref int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fails(string call, int fd, ref long length) => IsOn && FailsOrEndsEarly(call, fd, ref length);

    /// <inheritdoc cref="Fails(string, int)"/>
    /// <param name="call">Its name.</param>
    /// <param name="fd">Its descriptor.</param>
    /// <param name="segments">Become fewer or, a single one, <paramref name="shorter"/> where the call is to end early.</param>
    /// <param name="count">How many there are.</param>
    /// <param name="shorter">Room for one segment.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Fails(string call, int fd, ref Iovec* segments, ref int count, Iovec* shorter) =>
        IsOn && FailsOrEndsEarly(call, fd, ref segments, ref count, shorter);

    /// <summary>Fails or shortens an entry of a ring before the kernel sees it.</summary>
    /// <returns>0, or the result that its completion is to have in place of its own.</returns>
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
