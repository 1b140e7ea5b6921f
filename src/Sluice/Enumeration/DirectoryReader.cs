using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Enumeration;

/// <summary>
/// One open folder, whose names are read in pieces (getdents64): a small one first, for who leaves early, then large ones. Reading
/// belongs to one thread at a time; asking for metadata by name may happen on several, each holding a reference. One that is forgotten
/// is closed by the collector.
/// </summary>
internal sealed class DirectoryReader
{
    /// <summary>DT_*: what getdents64 tells of an entry.</summary>
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

    /// <summary>Bytes of the others (0010).</summary>
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

    /// <summary>Null and a negative errno where it cannot be opened.</summary>
    public static DirectoryReader? TryOpen(string path, out int errno)
    {
        int fd = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        errno = Math.Min(fd, 0);
        return fd < 0 ? null : new DirectoryReader(fd);
    }

    /// <summary>Reads an open folder, whose descriptor becomes the reader's.</summary>
    public static DirectoryReader Of(int fd) => new(fd);

    /// <summary>
    /// Reads the next piece: more than 0 when there are entries, else a negative errno, or 0 at the end, which is also where a folder
    /// that was removed meanwhile ends.
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
            // A name that is longer than the first piece.
            return Refill();
        }

        _at = 0;
        _end = Math.Max(bytes, 0);
        return bytes == -Errno.ENOENT ? 0 : bytes;
    }

    /// <summary>Whether something of the piece may be left.</summary>
    public bool HasEntries => _at < _end;

    /// <summary>
    /// The next entry of the piece, "." and ".." left out; false when another piece is needed. The name is valid until then.
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

    /// <summary>statx of a name in this folder, without following a link; the name ends with a NUL.</summary>
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

    /// <summary>Closes the folder with the last reference.</summary>
    public void Release()
    {
        if (Interlocked.Decrement(ref _references) == 0)
        {
#pragma warning disable CA1816 // This is the end of an object that several share; a Dispose would have one owner.
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
