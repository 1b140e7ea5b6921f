using Sluice.Streams;

namespace Sluice;

// The constructors that FileStream keeps for programs older than SafeFileHandle.
public sealed partial class SluiceStream
{
    private const string UseSafeFileHandle = "Use the constructor that takes a SafeFileHandle.";

    /// <inheritdoc cref="SluiceStream(nint, FileAccess, bool, int, bool)"/>
    [Obsolete(UseSafeFileHandle)]
    public SluiceStream(nint handle, FileAccess access)
        : this(StreamOpening.Adopt(handle, access, ownsHandle: true, 0, isAsync: false), access) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    /// <inheritdoc cref="SluiceStream(nint, FileAccess, bool, int, bool)"/>
    [Obsolete(UseSafeFileHandle)]
    public SluiceStream(nint handle, FileAccess access, bool ownsHandle)
        : this(StreamOpening.Adopt(handle, access, ownsHandle, 0, isAsync: false), access) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    /// <inheritdoc cref="SluiceStream(nint, FileAccess, bool, int, bool)"/>
    [Obsolete(UseSafeFileHandle)]
    public SluiceStream(nint handle, FileAccess access, bool ownsHandle, int bufferSize)
        : this(handle, access, ownsHandle, bufferSize, isAsync: false)
    {
    }

    /// <summary>A stream over a descriptor or handle of the operating system, which begins where that stands.</summary>
    /// <param name="handle">An open descriptor or handle.</param>
    /// <param name="access">What it was opened for.</param>
    /// <param name="ownsHandle">Whether disposing the stream closes it. A constructor that throws leaves it open.</param>
    /// <param name="bufferSize">Bytes of the buffer, kept exactly; 0 and 1 for none.</param>
    /// <param name="isAsync">Whether it was opened for asynchronous use.</param>
    /// <exception cref="ArgumentException">As FileStream's constructor.</exception>
    [Obsolete(UseSafeFileHandle)]
    public SluiceStream(nint handle, FileAccess access, bool ownsHandle, int bufferSize, bool isAsync)
        : this(StreamOpening.Adopt(handle, access, ownsHandle, bufferSize, isAsync), access, bufferSize) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);
}
