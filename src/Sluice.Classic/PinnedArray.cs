using System.Runtime.InteropServices;

namespace Sluice.Classic;

/// <summary>
/// An array that stays where it is. A SafeHandle, so that the pin outlives every transfer that uses it, whoever disposes it meanwhile,
/// and ends when its owner is forgotten.
/// </summary>
internal sealed class PinnedArray : SafeHandle
{
    private readonly nint _address;

    /// <exception cref="ArgumentException">The elements hold references.</exception>
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

    /// <summary>Bytes of all elements.</summary>
    public long Length { get; }

    public override bool IsInvalid => handle == 0;

    /// <summary>The bytes; the caller holds a reference while it uses them.</summary>
    public unsafe Span<byte> Slice(int start, int length) => new((void*)(_address + start), length);

    protected override bool ReleaseHandle()
    {
        GCHandle.FromIntPtr(handle).Free();
        return true;
    }
}
