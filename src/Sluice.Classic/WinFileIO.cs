namespace Sluice.Classic;

/// <summary>
/// Reads and writes files sequentially through one pinned array. The class has the interface of the WinFileIO class for .NET on Windows
/// and works on all operating systems.
/// </summary>
/// <remarks>
/// <para>
/// Each transfer copies directly between the file and the array. A file is read or written from its start, and each call continues
/// where the previous one ended. Each call uses the buffer from its start. All sizes are in bytes, regardless of the element type of
/// the array.
/// </para>
/// <para>
/// Errors are reported as an <see cref="ApplicationException"/>. Its message contains the name of the file and the text of the
/// operating system, and its <see cref="Exception.InnerException"/> is the exception of System.IO. Other types are thrown only for an
/// argument that is <see langword="null"/>, for an array whose elements contain references, and for the use of a disposed object.
/// </para>
/// <para>
/// Not thread-safe: use an instance on one thread at a time. However, another thread can unpin the buffer, close the file or dispose
/// the object during a transfer: the buffer stays pinned and the file stays open until the transfer has ended.
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
    /// Initializes a new instance of the <see cref="WinFileIO"/> class without a buffer. <see cref="PinBuffer"/> must be called before
    /// the first transfer.
    /// </summary>
    public WinFileIO()
    {
    }

    /// <summary>Initializes a new instance of the <see cref="WinFileIO"/> class and pins its buffer.</summary>
    /// <param name="buffer">
    /// The array to use as the buffer. Its elements must not contain references; byte, char, int, long, double and structures of these
    /// are allowed. It can have any number of dimensions.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The elements of <paramref name="buffer"/> contain references.</exception>
    public WinFileIO(Array buffer)
    {
        PinBuffer(buffer);
    }

    /// <summary>Pins an array as the buffer of all following transfers, and unpins the previous one.</summary>
    /// <param name="buffer">
    /// The array to use as the buffer. Its elements must not contain references; byte, char, int, long, double and structures of these
    /// are allowed. It can have any number of dimensions.
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

    /// <summary>Unpins the buffer, so that the garbage collector can move it. Does nothing if there is no buffer.</summary>
    public void UnpinBuffer()
    {
        _buffer?.Dispose();
        _buffer = null;
    }

    /// <summary>
    /// Opens a file for reading from its start, and closes the file that was open. Others can open the file for reading.
    /// </summary>
    /// <param name="fileName">The path of the file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="fileName"/> is <see langword="null"/>.</exception>
    /// <exception cref="ApplicationException">
    /// The file cannot be opened, or the operating system reported an error when the previous file was closed (see
    /// <see cref="Close"/>). No file is open afterwards.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void OpenForReading(string fileName) => Open(fileName, FileMode.Open, FileAccess.Read, "reading");

    /// <summary>
    /// Creates a file, or empties an existing one, and opens it for writing from its start. Closes the file that was open. Others can
    /// open the file for reading.
    /// </summary>
    /// <param name="fileName">The path of the file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="fileName"/> is <see langword="null"/>.</exception>
    /// <exception cref="ApplicationException">
    /// The file cannot be created or opened, or the operating system reported an error when the previous file was closed (see
    /// <see cref="Close"/>), in which case <paramref name="fileName"/> is unchanged. No file is open afterwards.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void OpenForWriting(string fileName) => Open(fileName, FileMode.Create, FileAccess.Write, "writing");

    /// <summary>Reads bytes into the start of the buffer, in one request.</summary>
    /// <param name="bytesToRead">The maximum number of bytes to read.</param>
    /// <returns>
    /// The number of bytes read. It is less than <paramref name="bytesToRead"/> only at the end of the file, and 0 after it. A pipe
    /// returns the bytes that it has.
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

    /// <summary>Reads the rest of the file into the start of the buffer.</summary>
    /// <returns>The number of bytes read.</returns>
    /// <exception cref="ApplicationException">
    /// <para>
    /// The rest of the file is larger than the buffer or than 2,147,483,647 bytes. The buffer is full, and the next read continues
    /// after the bytes in it. If the file is a pipe, one more byte is lost.
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

    /// <summary>Reads bytes into the start of the buffer, in requests of 65,536 bytes.</summary>
    /// <param name="bytesToRead">The maximum number of bytes to read.</param>
    /// <returns>
    /// The number of bytes read. It is less than <paramref name="bytesToRead"/> only at the end of the file, and 0 after it.
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

    /// <summary>Writes bytes from the start of the buffer, in one request.</summary>
    /// <param name="bytesToWrite">The number of bytes to write.</param>
    /// <returns>The number of bytes written, which is always <paramref name="bytesToWrite"/>.</returns>
    /// <exception cref="ApplicationException">
    /// <para>
    /// No file is open for writing, no buffer is pinned, or <paramref name="bytesToWrite"/> is negative or larger than the buffer.
    /// </para>
    /// <para>-or-</para>
    /// <para>
    /// The operating system reported an error. Some of the bytes may be in the file; the next write begins at the same position.
    /// </para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public int Write(int bytesToWrite)
    {
        (SluiceHandle file, PinnedArray buffer) = Check(nameof(Write), bytesToWrite);
        Write(nameof(Write), file, buffer, 0, bytesToWrite);
        return bytesToWrite;
    }

    /// <summary>Writes bytes from the start of the buffer, in requests of 65,536 bytes.</summary>
    /// <param name="numBytesToWrite">The number of bytes to write.</param>
    /// <returns>The number of bytes written, which is always <paramref name="numBytesToWrite"/>.</returns>
    /// <exception cref="ApplicationException">
    /// <para>
    /// No file is open for writing, no buffer is pinned, or <paramref name="numBytesToWrite"/> is negative or larger than the buffer.
    /// </para>
    /// <para>-or-</para>
    /// <para>
    /// The operating system reported an error. The requests before the failed one are in the file, and the next write continues after
    /// them.
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

    /// <summary>Closes the file. The buffer stays pinned. Does nothing if no file is open.</summary>
    /// <returns>
    /// <see langword="false"/> if the operating system reports an error of close(2); otherwise, <see langword="true"/>. The file is
    /// closed in both cases.
    /// </returns>
    /// <remarks>
    /// A network file system can write data back when a file is closed. If that fails, some of the written data may be missing. The
    /// error is detected on Linux only, and only for a file that was opened for writing.
    /// </remarks>
    public bool Close() => CloseFile() == 0;

    /// <summary>Closes the file and unpins the buffer. A second call does nothing.</summary>
    /// <remarks>Errors on closing the file are ignored. Call <see cref="Close"/> before to detect them.</remarks>
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

    /// <summary>What this call works on until it ends, whatever another thread closes meanwhile.</summary>
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

    /// <summary>The length alone would not tell: a file may be growing, and a pipe has none.</summary>
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
