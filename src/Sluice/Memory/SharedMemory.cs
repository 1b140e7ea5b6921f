using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Memory;

/// <summary>
/// Memory of the kernel that outlives the process: it has a key by which another process finds it, and stays until it is removed or the
/// machine (the IPC namespace) ends. Nobody can make it shorter, so that it is there as long as it is attached; and it is attached as long
/// as this object is in use.
/// </summary>
internal sealed class SharedMemory : IDisposable
{
    private readonly int _id;
    private nint _address;

    private SharedMemory(int id, nint address, long length) => (_id, _address, Length) = (id, address, length);

    ~SharedMemory() => Detach();

    public long Length { get; }

    /// <summary>Makes memory under a key that nobody uses.</summary>
    /// <param name="key">The key.</param>
    /// <param name="bytes">How much; filled with zeros.</param>
    /// <param name="memory">The memory.</param>
    /// <returns>0, -EEXIST where the key is in use, or the negative errno of the refusal.</returns>
    public static int Make(int key, long bytes, out SharedMemory? memory)
    {
        memory = null;
        int id = SharedMemoryCalls.Make(key, (nuint)bytes);
        if (id < 0)
        {
            return id;
        }

        int result = -Errno.ENOMEM;
        try
        {
            result = Attach(id, bytes, out memory);
        }
        finally
        {
            if (result < 0)
            {
                _ = SharedMemoryCalls.Remove(id);
            }
        }

        return result;
    }

    /// <summary>Attaches the memory that a user has made under a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="creator">The user.</param>
    /// <param name="memory">The memory.</param>
    /// <returns>0, -ENOENT where there is none, -EACCES where it is another user's, or another negative errno.</returns>
    public static int Find(int key, uint creator, out SharedMemory? memory)
    {
        memory = null;
        int id = SharedMemoryCalls.Find(key);
        if (id < 0)
        {
            return id;
        }

        int result = SharedMemoryCalls.Look(id, out uint maker, out ulong bytes);
        return result < 0 ? result : maker != creator ? -Errno.EACCES : Attach(id, (long)bytes, out memory);
    }

    /// <summary>Bytes of it. They must not be used when this object may have been collected, or <see cref="Dispose"/> was called.</summary>
    public Span<byte> At(long offset, int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offset + length, Length, nameof(length));
        return PinnedMemory.SpanOf(_address + (nint)offset, length);
    }

    /// <summary>Removes it for everybody: it is gone when nobody has it attached any more.</summary>
    public int Remove() => SharedMemoryCalls.Remove(_id);

    /// <summary>Nobody in this process uses it any more; it stays for others.</summary>
    public void Dispose()
    {
        Detach();
        GC.SuppressFinalize(this);
    }

    private void Detach()
    {
        nint address = Interlocked.Exchange(ref _address, 0);
        if (address != 0)
        {
            SharedMemoryCalls.Detach(address);
        }
    }

    private static int Attach(int id, long bytes, out SharedMemory? memory)
    {
        int result = SharedMemoryCalls.Attach(id, out nint address);
        memory = result < 0 ? null : new SharedMemory(id, address, bytes);
        return result;
    }
}
