using System.Runtime.InteropServices;

namespace Sluice.Classic;

/// <summary>
/// A pinned array. It is a <see cref="SafeHandle"/>, so that the array stays pinned until every transfer that uses it has ended, even if it
/// is disposed earlier, and is unpinned if it is not disposed.
/// </summary>
internal sealed class PinnedArray : SafeHandle
{
    private readonly nint _address;

    /// <exception cref="ArgumentException">The elements contain references.</exception>
    public PinnedArray(Array array)
        : base(0, ownsHandle: true)
    {
        GCHandle pin;
        try
        {
            pin = GCHandle.Alloc(array, GCHandleType.Pinned);
        }
        catch (ArgumentException e)
        {
            throw new ArgumentException($"{array.GetType()} holds references: bytes of a file cannot be put into it.", nameof(array), e);
        }

        SetHandle(GCHandle.ToIntPtr(pin));
        _address = pin.AddrOfPinnedObject();
        Length = array.LongLength * (Marshal.UnsafeAddrOfPinnedArrayElement(array, 1) - _address);
    }

    /// <summary>The size of all elements, in bytes.</summary>
    public long Length { get; }

    public override bool IsInvalid => handle == 0;

    /// <summary>Returns a range of the bytes. The caller holds a reference while it uses the span.</summary>
    public unsafe Span<byte> Slice(int start, int length) => new((void*)(_address + start), length);

    protected override bool ReleaseHandle()
    {
        GCHandle.FromIntPtr(handle).Free();
        return true;
    }
}
