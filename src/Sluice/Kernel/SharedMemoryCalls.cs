using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>
/// System V shared memory (shmget(2), shmat(2), shmctl(2)): memory of the kernel that has a number instead of a name in a file system, that
/// nobody can cut, and that stays until it is removed. Each call returns its result or a negative errno.
/// </summary>
internal static unsafe partial class SharedMemoryCalls
{
    private const int Create = 0x200;
    private const int Exclusive = 0x400;
    private const int OwnersAlone = 0x180;
    private const int RemoveId = 0;
    private const int Stat = 2;

    /// <summary>struct shmid_ds of 64-bit Linux.</summary>
    private const int StatBytes = 112;
    private const int CreatorOffset = 12;
    private const int SizeOffset = 48;

    /// <summary>Makes memory that only its maker's user may use, filled with zeros; -EEXIST where there is some with that key.</summary>
    /// <returns>Its id, or a negative errno.</returns>
    public static int Make(int key, nuint bytes) =>
        SystemCall.Result(SystemCallFaults.Fails("shmget", -1) ? -1 : shmget(key, bytes, Create | Exclusive | OwnersAlone));

    /// <summary>The id of the memory with a key; -ENOENT where there is none.</summary>
    public static int Find(int key) => SystemCall.Result(SystemCallFaults.Fails("shmget", -1) ? -1 : shmget(key, 0, 0));

    /// <summary>Who made it, and how large it is.</summary>
    public static int Look(int id, out uint creator, out ulong bytes)
    {
        byte* state = stackalloc byte[StatBytes];
        int result = SystemCall.Result(SystemCallFaults.Fails("shmctl", -1) ? -1 : shmctl(id, Stat, state));
        (creator, bytes) = (*(uint*)(state + CreatorOffset), *(ulong*)(state + SizeOffset));
        return result;
    }

    /// <summary>Brings it into the process's memory, at an address.</summary>
    public static int Attach(int id, out nint address)
    {
        address = SystemCallFaults.Fails("shmat", -1) ? -1 : shmat(id, 0, 0);
        return address == -1 ? SystemCall.Result(-1) : 0;
    }

    /// <summary>Takes it out of the process's memory.</summary>
    public static void Detach(nint address) => _ = shmdt(address);

    /// <summary>Removes it; it is gone when nobody has it any more.</summary>
    public static int Remove(int id) => SystemCall.Result(SystemCallFaults.Fails("shmctl", -1) ? -1 : shmctl(id, RemoveId, null));

    [LibraryImport("libc")]
    private static partial int shmget(int key, nuint size, int flags);

    [LibraryImport("libc")]
    private static partial nint shmat(int id, nint address, int flags);

    [LibraryImport("libc")]
    private static partial int shmdt(nint address);

    [LibraryImport("libc")]
    private static partial int shmctl(int id, int command, byte* state);
}
