using Sluice.Streams;

namespace Sluice;

// The constructors with an IntPtr, which FileStream has for compatibility.
public sealed partial class SluiceStream
{
    private const string UseSafeFileHandle = "Use the constructor that takes a SafeFileHandle.";

    /// <summary>
    /// Creates a stream over an operating system handle. The stream starts at the current position of the handle, and closes the handle
    /// when it is disposed. The buffer size is <see cref="SluiceOptions.Adaptive"/>.
    /// </summary>
    /// <param name="handle">The open handle or file descriptor.</param>
    /// <param name="access">The access for which the handle was opened.</param>
    /// <exception cref="ArgumentException">The handle is invalid, or it was opened for asynchronous use.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="access"/> is not a valid combination of values.</exception>
    [Obsolete(UseSafeFileHandle)]
    public SluiceStream(nint handle, FileAccess access)
        : this(StreamOpening.Adopt(handle, access, ownsHandle: true, 0, isAsync: false), access) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    /// <summary>
    /// Creates a stream over an operating system handle. The stream starts at the current position of the handle. The buffer size is
    /// <see cref="SluiceOptions.Adaptive"/>.
    /// </summary>
    /// <param name="handle">The open handle or file descriptor.</param>
    /// <param name="access">The access for which the handle was opened.</param>
    /// <param name="ownsHandle">
    /// <see langword="true"/> to close the handle when the stream is disposed; <see langword="false"/> to leave it open. If the constructor
    /// throws, the handle stays open.
    /// </param>
    /// <exception cref="ArgumentException">The handle is invalid, or it was opened for asynchronous use.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="access"/> is not a valid combination of values.</exception>
    [Obsolete(UseSafeFileHandle)]
    public SluiceStream(nint handle, FileAccess access, bool ownsHandle)
        : this(StreamOpening.Adopt(handle, access, ownsHandle, 0, isAsync: false), access) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    /// <summary>
    /// Creates a stream over an operating system handle, with the specified buffer size. The stream starts at the current position of the
    /// handle.
    /// </summary>
    /// <param name="handle">The open handle or file descriptor.</param>
    /// <param name="access">The access for which the handle was opened.</param>
    /// <param name="ownsHandle">
    /// <see langword="true"/> to close the handle when the stream is disposed; <see langword="false"/> to leave it open. If the constructor
    /// throws, the handle stays open.
    /// </param>
    /// <param name="bufferSize">The size of the buffer, in bytes. 0 and 1 turn buffering off.</param>
    /// <exception cref="ArgumentException">The handle is invalid, or it was opened for asynchronous use.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="bufferSize"/> is negative. -or- <paramref name="access"/> is not a valid combination of values.
    /// </exception>
    [Obsolete(UseSafeFileHandle)]
    public SluiceStream(nint handle, FileAccess access, bool ownsHandle, int bufferSize)
        : this(handle, access, ownsHandle, bufferSize, isAsync: false)
    {
    }

    /// <summary>
    /// Creates a stream over an operating system handle, with the specified buffer size. The stream starts at the current position of the
    /// handle.
    /// </summary>
    /// <param name="handle">The open handle or file descriptor.</param>
    /// <param name="access">The access for which the handle was opened.</param>
    /// <param name="ownsHandle">
    /// <see langword="true"/> to close the handle when the stream is disposed; <see langword="false"/> to leave it open. If the constructor
    /// throws, the handle stays open.
    /// </param>
    /// <param name="bufferSize">The size of the buffer, in bytes. 0 and 1 turn buffering off.</param>
    /// <param name="isAsync">
    /// <see langword="true"/> if the handle was opened for asynchronous use; otherwise, <see langword="false"/>.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The handle is invalid, or <paramref name="isAsync"/> does not match the way in which it was opened.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="bufferSize"/> is negative. -or- <paramref name="access"/> is not a valid combination of values.
    /// </exception>
    [Obsolete(UseSafeFileHandle)]
    public SluiceStream(nint handle, FileAccess access, bool ownsHandle, int bufferSize, bool isAsync)
        : this(StreamOpening.Adopt(handle, access, ownsHandle, bufferSize, isAsync), access, bufferSize) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);
}
