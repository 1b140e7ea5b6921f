namespace Sluice.Classic;

/// <summary>
/// Reads and writes files sequentially through one pinned array. This class has the same members as the WinFileIO class for .NET on Windows
/// and works on all operating systems.
/// </summary>
/// <remarks>
/// <para>
/// A file is read or written from its start, and each call continues at the position in the file where the previous call ended. In the
/// array, each transfer begins at the start. All sizes are in bytes, regardless of the element type of the array.
/// </para>
/// <para>
/// I/O errors are reported as an <see cref="ApplicationException"/>. Its message contains the name of the file and the error of the
/// operating system. Its <see cref="Exception.InnerException"/> is the original exception, such as an <see cref="IOException"/>.
/// </para>
/// <para>
/// This type is not thread-safe. However, another thread can unpin the buffer, close the file or dispose the object during a transfer. The
/// buffer then stays pinned and the file stays open until the transfer has ended.
/// </para>
/// </remarks>
public sealed class WinFileIO : IDisposable
{
    private const int BlockSize = 65_536;

    private PinnedArray? _buffer;
    private SluiceHandle? _file;
    private string _path = "";
    private long _position;
    private bool _disposed;

    /// <summary>
    /// Initializes a new instance of the <see cref="WinFileIO"/> class without a buffer. Call <see cref="PinBuffer"/> before the first
    /// transfer.
    /// </summary>
    public WinFileIO()
    {
    }

    /// <summary>Initializes a new instance of the <see cref="WinFileIO"/> class and pins an array as its buffer.</summary>
    /// <param name="buffer">
    /// The array to use as the buffer. Its elements must not contain references. For example, byte, int, double and structures of these
    /// types are allowed. The array can have any number of dimensions.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The elements of <paramref name="buffer"/> contain references.</exception>
    public WinFileIO(Array buffer)
    {
        PinBuffer(buffer);
    }

    /// <summary>Pins an array as the buffer for subsequent transfers, and unpins the previous array.</summary>
    /// <param name="buffer">
    /// The array to use as the buffer. Its elements must not contain references. For example, byte, int, double and structures of these
    /// types are allowed. The array can have any number of dimensions.
    /// </param>
    /// <remarks>If an exception is thrown, the previous buffer stays in use.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The elements of <paramref name="buffer"/> contain references.</exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void PinBuffer(Array buffer)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        ArgumentNullException.ThrowIfNull(buffer);
        PinnedArray? before = _buffer;
        _buffer = new PinnedArray(buffer);
        before?.Dispose();
    }

    /// <summary>Unpins the buffer, so that the garbage collector can move it. If there is no buffer, the method has no effect.</summary>
    public void UnpinBuffer()
    {
        _buffer?.Dispose();
        _buffer = null;
    }

    /// <summary>Opens a file for reading. If another file is open, it is closed first. Other code can open the file for reading.</summary>
    /// <param name="fileName">The path of the file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="fileName"/> is <see langword="null"/>.</exception>
    /// <exception cref="ApplicationException">
    /// The file cannot be opened, or an error occurred when the previous file was closed (see <see cref="Close"/>). No file is open
    /// afterwards.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void OpenForReading(string fileName) => Open(fileName, FileMode.Open, FileAccess.Read, "reading");

    /// <summary>
    /// Creates or overwrites a file and opens it for writing. If another file is open, it is closed first. Other code can open the file for
    /// reading.
    /// </summary>
    /// <param name="fileName">The path of the file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="fileName"/> is <see langword="null"/>.</exception>
    /// <exception cref="ApplicationException">
    /// The file cannot be created or opened. -or- An error occurred when the previous file was closed (see <see cref="Close"/>); the file
    /// at <paramref name="fileName"/> is then neither created nor overwritten. In both cases, no file is open afterwards.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void OpenForWriting(string fileName) => Open(fileName, FileMode.Create, FileAccess.Write, "writing");

    /// <summary>Reads bytes into the buffer with one request.</summary>
    /// <param name="bytesToRead">The maximum number of bytes to read.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than <paramref name="bytesToRead"/> only at the end of the file or if
    /// the file is a pipe.
    /// </returns>
    /// <exception cref="ApplicationException">
    /// No file is open for reading, no buffer is pinned, <paramref name="bytesToRead"/> is negative or larger than the buffer, or the
    /// operating system reported an error.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public int Read(int bytesToRead)
    {
        (SluiceHandle file, PinnedArray buffer) = Check(nameof(Read), bytesToRead);
        return Read(nameof(Read), file, buffer, 0, bytesToRead);
    }

    /// <summary>Reads the rest of the file into the buffer.</summary>
    /// <returns>The number of bytes read.</returns>
    /// <exception cref="ApplicationException">
    /// <para>
    /// The rest of the file is larger than the buffer or than 2,147,483,647 bytes. In this case the buffer is full, and the next read
    /// continues after these bytes. If the file is a pipe, one byte is lost.
    /// </para>
    /// <para>-or-</para>
    /// <para>No file is open for reading, no buffer is pinned, or the operating system reported an error.</para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public int ReadUntilEOF()
    {
        (SluiceHandle file, PinnedArray buffer) = Check(nameof(ReadUntilEOF), 0);
        int room = (int)Math.Min(buffer.Length, int.MaxValue);
        int total = 0;
        while (total < room)
        {
            int bytes = Read(nameof(ReadUntilEOF), file, buffer, total, room - total);
            if (bytes == 0)
            {
                return total;
            }

            total += bytes;
        }

        if (!IsAtEnd(file))
        {
            if (buffer.Length > int.MaxValue)
            {
                WinFileIOErrors.ThrowTooLong(_path);
            }

            WinFileIOErrors.ThrowBufferTooSmall(_path, buffer.Length);
        }

        return total;
    }

    /// <summary>Reads bytes into the buffer with requests of 65,536 bytes.</summary>
    /// <param name="bytesToRead">The maximum number of bytes to read.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than <paramref name="bytesToRead"/> only at the end of the file.
    /// </returns>
    /// <exception cref="ApplicationException">
    /// No file is open for reading, no buffer is pinned, <paramref name="bytesToRead"/> is negative or larger than the buffer, or the
    /// operating system reported an error.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public int ReadBlocks(int bytesToRead)
    {
        (SluiceHandle file, PinnedArray buffer) = Check(nameof(ReadBlocks), bytesToRead);
        int total = 0;
        while (total < bytesToRead)
        {
            int bytes = Read(nameof(ReadBlocks), file, buffer, total, Math.Min(BlockSize, bytesToRead - total));
            if (bytes == 0)
            {
                break;
            }

            total += bytes;
        }

        return total;
    }

    /// <summary>Writes bytes from the buffer with one request.</summary>
    /// <param name="bytesToWrite">The number of bytes to write.</param>
    /// <returns>The number of bytes written, which is always <paramref name="bytesToWrite"/>.</returns>
    /// <exception cref="ApplicationException">
    /// <para>
    /// No file is open for writing, no buffer is pinned, or <paramref name="bytesToWrite"/> is negative or larger than the buffer.
    /// </para>
    /// <para>-or-</para>
    /// <para>
    /// The operating system reported an error. Some of the bytes may be in the file. The next write begins at the same position.
    /// </para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public int Write(int bytesToWrite)
    {
        (SluiceHandle file, PinnedArray buffer) = Check(nameof(Write), bytesToWrite);
        Write(nameof(Write), file, buffer, 0, bytesToWrite);
        return bytesToWrite;
    }

    /// <summary>Writes bytes from the buffer with requests of 65,536 bytes.</summary>
    /// <param name="numBytesToWrite">The number of bytes to write.</param>
    /// <returns>The number of bytes written, which is always <paramref name="numBytesToWrite"/>.</returns>
    /// <exception cref="ApplicationException">
    /// <para>
    /// No file is open for writing, no buffer is pinned, or <paramref name="numBytesToWrite"/> is negative or larger than the buffer.
    /// </para>
    /// <para>-or-</para>
    /// <para>
    /// The operating system reported an error. The bytes of the requests before the failed one are in the file. The next write continues
    /// after these bytes.
    /// </para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public int WriteBlocks(int numBytesToWrite)
    {
        (SluiceHandle file, PinnedArray buffer) = Check(nameof(WriteBlocks), numBytesToWrite);
        for (int total = 0; total < numBytesToWrite;)
        {
            int bytes = Math.Min(BlockSize, numBytesToWrite - total);
            Write(nameof(WriteBlocks), file, buffer, total, bytes);
            total += bytes;
        }

        return numBytesToWrite;
    }

    /// <summary>Closes the file. The buffer stays pinned. If no file is open, the method has no effect.</summary>
    /// <returns>
    /// <see langword="true"/> if the file was closed without an error or no file was open; <see langword="false"/> if the operating system
    /// reported an error (close(2)). The file is closed in both cases.
    /// </returns>
    /// <remarks>
    /// On some network file systems, written data is sent to the server when the file is closed. If that fails, some of the data may be
    /// missing. The error is detected only on Linux, and only for a file that was opened for writing.
    /// </remarks>
    public bool Close() => CloseFile() == 0;

    /// <summary>Closes the file and unpins the buffer. Calling this method again has no effect.</summary>
    /// <remarks>Errors that occur when the file is closed are ignored. To detect them, call <see cref="Close"/> first.</remarks>
    public void Dispose()
    {
        _disposed = true;
        CloseFile();
        UnpinBuffer();
    }

    /// <returns>0, or the number of the operating system's error.</returns>
    private int CloseFile()
    {
        SluiceHandle? file = _file;
        _file = null;
        if (file is null)
        {
            return 0;
        }

        using (file)
        {
            return file.Access == FileAccess.Read ? 0 : DescriptorClose.ErrorOf(file.SafeFileHandle);
        }
    }

    private void Open(string fileName, FileMode mode, FileAccess access, string purpose)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        ArgumentNullException.ThrowIfNull(fileName);
        if (CloseFile() is var error and not 0)
        {
            WinFileIOErrors.ThrowClosing(_path, error);
        }

        _path = fileName;
        _position = 0;
        try
        {
            _file = SluiceHandle.Open(fileName, mode, access, FileShare.Read, FileOptions.SequentialScan);
        }
        catch (Exception e) when (WinFileIOErrors.IsExpected(e))
        {
            WinFileIOErrors.ThrowOpening(fileName, purpose, e);
        }
    }

    /// <summary>
    /// Checks the state and the size, and returns the file and the buffer. The call uses these two until it ends, even if another thread
    /// closes the file or unpins the buffer.
    /// </summary>
    private (SluiceHandle File, PinnedArray Buffer) Check(string method, int sizeBytes)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        SluiceHandle? file = _file;
        PinnedArray? buffer = _buffer;
        if (file is null)
        {
            WinFileIOErrors.ThrowNotOpen(method);
        }

        if (buffer is null)
        {
            WinFileIOErrors.ThrowNotPinned(method);
        }

        if (sizeBytes < 0 || sizeBytes > buffer.Length)
        {
            WinFileIOErrors.ThrowSize(method, sizeBytes, buffer.Length);
        }

        return (file, buffer);
    }

    private int Read(string method, SluiceHandle file, PinnedArray buffer, int start, int length)
    {
        bool added = false;
        try
        {
            buffer.DangerousAddRef(ref added);
            int bytes = file.Read(buffer.Slice(start, length), _position);
            _position += bytes;
            return bytes;
        }
        catch (Exception e) when (WinFileIOErrors.IsExpected(e))
        {
            WinFileIOErrors.ThrowTransfer(method, _path, e);
            return 0;
        }
        finally
        {
            if (added)
            {
                buffer.DangerousRelease();
            }
        }
    }

    private void Write(string method, SluiceHandle file, PinnedArray buffer, int start, int length)
    {
        bool added = false;
        try
        {
            buffer.DangerousAddRef(ref added);
            file.Write(buffer.Slice(start, length), _position);
            _position += length;
        }
        catch (Exception e) when (WinFileIOErrors.IsExpected(e))
        {
            WinFileIOErrors.ThrowTransfer(method, _path, e);
        }
        finally
        {
            if (added)
            {
                buffer.DangerousRelease();
            }
        }
    }

    /// <summary>
    /// Returns true if a read at the position returns 0 bytes. The length is not sufficient, because a file may be growing, and a pipe has
    /// none.
    /// </summary>
    private bool IsAtEnd(SluiceHandle file)
    {
        try
        {
            return file.Read(stackalloc byte[1], _position) == 0;
        }
        catch (Exception e) when (WinFileIOErrors.IsExpected(e))
        {
            WinFileIOErrors.ThrowTransfer(nameof(ReadUntilEOF), _path, e);
            return false;
        }
    }
}
