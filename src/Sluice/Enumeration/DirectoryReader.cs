using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Enumeration;

/// <summary>
/// Reads the entries of an open directory in pieces (getdents64). The first piece is small, for callers that stop early. Only one thread
/// reads at a time; several threads, each with a reference, may call <see cref="Stat"/>. If it is not released, the finalizer closes the
/// directory.
/// </summary>
internal sealed class DirectoryReader
{
    /// <summary>The type of an entry as returned by getdents64 (DT_*).</summary>
    public const byte TypeUnknown = 0;
    public const byte TypeDirectory = 4;
    public const byte TypeFile = 8;
    public const byte TypeLink = 10;

    private const int RecordLengthAt = 16;
    private const int TypeAt = 18;
    private const int NameAt = 19;

#if DEBUG
    private const int FirstPieceBytes = 300;
    private const int PieceBytes = 600;
#else
    private const int FirstPieceBytes = 4 * 1024;

    /// <summary>The size of the other pieces, in bytes (0010).</summary>
    private const int PieceBytes = 32 * 1024;
#endif

    private readonly int _fd;
    private byte[] _buffer = [];
    private int _pieceBytes;
    private int _at;
    private int _end;
    private int _references = 1;

    private DirectoryReader(int fd) => _fd = fd;

    ~DirectoryReader() => PathCalls.Close(_fd);

    public int Descriptor => _fd;

    /// <summary>Opens a directory. Returns null and a negative errno if that fails.</summary>
    public static DirectoryReader? TryOpen(string path, out int errno)
    {
        int fd = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        errno = Math.Min(fd, 0);
        return fd < 0 ? null : new DirectoryReader(fd);
    }

    /// <summary>Creates a reader for an open directory and takes ownership of the descriptor.</summary>
    public static DirectoryReader Of(int fd) => new(fd);

    /// <summary>
    /// Reads the next piece. Returns a positive number if there are entries, 0 at the end of the directory or if it was removed, or a
    /// negative errno.
    /// </summary>
    public int Refill()
    {
        if (_pieceBytes < PieceBytes)
        {
            ReturnBuffer();
            _pieceBytes = _pieceBytes == 0 ? FirstPieceBytes : PieceBytes;
            _buffer = ArrayPool<byte>.Shared.Rent(_pieceBytes);
        }

        int bytes = PathCalls.ReadEntries(_fd, _buffer.AsSpan(0, _pieceBytes));
        if (bytes == -Errno.EINVAL && _pieceBytes < PieceBytes)
        {
            // A name does not fit into the first piece.
            return Refill();
        }

        _at = 0;
        _end = Math.Max(bytes, 0);
        return bytes == -Errno.ENOENT ? 0 : bytes;
    }

    /// <summary>Gets a value that indicates whether the piece may contain more entries.</summary>
    public bool HasEntries => _at < _end;

    /// <summary>
    /// Returns the next entry of the piece, without "." and "..", or false if the piece has no more entries. The name is valid until the
    /// next call.
    /// </summary>
    public bool TryNext(out ReadOnlySpan<byte> name, out byte type)
    {
        while (_at < _end)
        {
            ReadOnlySpan<byte> record = _buffer.AsSpan(_at, _end - _at);
            record = record[..MemoryMarshal.Read<ushort>(record[RecordLengthAt..])];
            _at += record.Length;
            name = record[NameAt..];
            name = name[..name.IndexOf((byte)0)];
            if (name is not ([(byte)'.'] or [(byte)'.', (byte)'.']))
            {
                type = record[TypeAt];
                return true;
            }
        }

        name = default;
        type = TypeUnknown;
        return false;
    }

    /// <summary>Returns the metadata of an entry without following links. The name ends with a NUL.</summary>
    public int Stat(ReadOnlySpan<byte> name, StatxMask mask, out Statx result)
    {
        int error = NodeCalls.StatAt(_fd, name, followsLinks: false, mask, out result);
        GC.KeepAlive(this);
        return error;
    }

    public DirectoryReader AddReference()
    {
        Interlocked.Increment(ref _references);
        return this;
    }

    /// <summary>Releases a reference. The last one closes the directory.</summary>
    public void Release()
    {
        if (Interlocked.Decrement(ref _references) == 0)
        {
#pragma warning disable CA1816 // Release is called by several owners, so the class does not implement IDisposable.
            GC.SuppressFinalize(this);
#pragma warning restore CA1816
            PathCalls.Close(_fd);
            ReturnBuffer();
        }
    }

    private void ReturnBuffer()
    {
        if (_buffer.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = [];
        }
    }
}
