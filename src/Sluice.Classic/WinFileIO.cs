namespace Sluice.Classic;

/// <summary>
/// Reads and writes files through one pinned array, front to back: the interface of the WinFileIO class for .NET on Windows, on every
/// operating system. Each transfer goes straight from the file into the array, or back, by the system call.
/// </summary>
/// <remarks>
/// <para>
/// A file is read or written from its start; each call goes on where the last one ended. The buffer is used from its start by each call.
/// All sizes are in bytes, whatever the type of the elements.
/// </para>
/// <para>
/// What goes wrong is an <see cref="ApplicationException"/> whose message names the file and has the operating system's text; the
/// exception of System.IO is its <see cref="Exception.InnerException"/>. The exceptions to this: an argument that is null, an array that
/// holds references, and use after <see cref="Dispose"/>.
/// </para>
/// <para>
/// Not thread-safe: one thread at a time. Unpinning, closing or disposing while another thread's transfer runs does no harm: the buffer
/// stays pinned, and the file open, until that transfer has ended.
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

    /// <summary>Makes an object without a buffer: <see cref="PinBuffer"/> comes before the first transfer.</summary>
    public WinFileIO()
    {
    }

    /// <summary>Makes an object and pins its buffer.</summary>
    /// <param name="buffer">
    /// An array whose elements hold no references: byte, char, int, long, double, structures of such; of any number of dimensions.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is null.</exception>
    /// <exception cref="ArgumentException">The elements of <paramref name="buffer"/> hold references.</exception>
    public WinFileIO(Array buffer)
    {
        PinBuffer(buffer);
    }

    /// <summary>Pins an array, which all transfers use from now on, and unpins the one before.</summary>
    /// <param name="buffer">
    /// An array whose elements hold no references: byte, char, int, long, double, structures of such; of any number of dimensions.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is null; the buffer before stays.</exception>
    /// <exception cref="ArgumentException">The elements of <paramref name="buffer"/> hold references; the buffer before stays.</exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void PinBuffer(Array buffer)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        ArgumentNullException.ThrowIfNull(buffer);
        PinnedArray? before = _buffer;
        _buffer = new PinnedArray(buffer);
        before?.Dispose();
    }

    /// <summary>Lets the garbage collector move the buffer again; harmless when there is none.</summary>
    public void UnpinBuffer()
    {
        _buffer?.Dispose();
        _buffer = null;
    }

    /// <summary>Opens a file to read it from its start, and closes the one that was open. Others may read it meanwhile.</summary>
    /// <param name="fileName">Path and name of the file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="fileName"/> is null.</exception>
    /// <exception cref="ApplicationException">
    /// The file cannot be opened, or the one before could not be closed in good order (<see cref="Close"/>); none is open then.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void OpenForReading(string fileName) => Open(fileName, FileMode.Open, FileAccess.Read, "reading");

    /// <summary>
    /// Opens a file to write it from its start, and closes the one that was open. What the file had before is gone. Others may read it
    /// meanwhile.
    /// </summary>
    /// <param name="fileName">Path and name of the file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="fileName"/> is null.</exception>
    /// <exception cref="ApplicationException">
    /// The file cannot be opened or made, or the one before could not be closed in good order (<see cref="Close"/>); none is open then, and
    /// in the second case this one is as it was.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void OpenForWriting(string fileName) => Open(fileName, FileMode.Create, FileAccess.Write, "writing");

    /// <summary>Reads on, up to a number of bytes, into the start of the buffer.</summary>
    /// <param name="bytesToRead">The most to read, in bytes.</param>
    /// <returns>How many bytes were read: fewer only at the end of the file, 0 behind it. A pipe gives what it has.</returns>
    /// <exception cref="ApplicationException">
    /// No file is open, or not for reading; no buffer is pinned, or <paramref name="bytesToRead"/> is negative or larger than the buffer;
    /// or the operating system reported an error.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public int Read(int bytesToRead)
    {
        (SluiceHandle file, PinnedArray buffer) = Check(nameof(Read), bytesToRead);
        return Read(nameof(Read), file, buffer, 0, bytesToRead);
    }

    /// <summary>Reads on until the end of the file, into the start of the buffer.</summary>
    /// <returns>How many bytes were read.</returns>
    /// <exception cref="ApplicationException">
    /// The rest of the file is larger than the buffer, or than 2,147,483,647 bytes; the buffer is full then, and the next read goes on
    /// behind what it holds (a pipe has lost one byte more). Or no file is open, or not for reading; no buffer is pinned; or the operating
    /// system reported an error.
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

    /// <summary>Reads on, a number of bytes in requests of 65,536, into the start of the buffer.</summary>
    /// <param name="bytesToRead">The most to read, in bytes.</param>
    /// <returns>How many bytes were read: fewer only at the end of the file, 0 behind it.</returns>
    /// <exception cref="ApplicationException">
    /// No file is open, or not for reading; no buffer is pinned, or <paramref name="bytesToRead"/> is negative or larger than the buffer;
    /// or the operating system reported an error.
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

    /// <summary>Writes on, a number of bytes from the start of the buffer, in one request.</summary>
    /// <param name="bytesToWrite">How many bytes to write.</param>
    /// <returns>How many bytes were written: all.</returns>
    /// <exception cref="ApplicationException">
    /// No file is open, or not for writing; no buffer is pinned, or <paramref name="bytesToWrite"/> is negative or larger than the buffer;
    /// or the operating system reported an error: some of the bytes may be in the file, and the next write goes over them.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public int Write(int bytesToWrite)
    {
        (SluiceHandle file, PinnedArray buffer) = Check(nameof(Write), bytesToWrite);
        Write(nameof(Write), file, buffer, 0, bytesToWrite);
        return bytesToWrite;
    }

    /// <summary>Writes on, a number of bytes from the start of the buffer, in requests of 65,536.</summary>
    /// <param name="numBytesToWrite">How many bytes to write.</param>
    /// <returns>How many bytes were written: all.</returns>
    /// <exception cref="ApplicationException">
    /// No file is open, or not for writing; no buffer is pinned, or <paramref name="numBytesToWrite"/> is negative or larger than the
    /// buffer; or the operating system reported an error: the requests before are in the file, and the next write follows them.
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

    /// <summary>Closes the file; harmless when none is open. The buffer stays pinned.</summary>
    /// <returns>
    /// False when the operating system reports that it could not close the file in good order, as network file systems do that write back
    /// at close and cannot: the file is closed then too, but some of what was written may be missing. Otherwise true.
    /// </returns>
    public bool Close() => CloseFile() == 0;

    /// <summary>
    /// Closes the file and unpins the buffer. Harmless when called twice. That the operating system could not close the file in good order
    /// is told by <see cref="Close"/> alone, which a program calls before.
    /// </summary>
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
