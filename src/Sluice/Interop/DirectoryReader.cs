using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// One open folder, whose names are read in large pieces (getdents64). Reading belongs to one thread at a time; asking for metadata
/// by name may happen on several, each holding a reference.
/// </summary>
internal sealed unsafe partial class DirectoryReader
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
    private const int BufferBytes = 600;
#else
    private const int BufferBytes = 64 * 1024;
#endif

    private static readonly long NrGetDents64 = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 217 : 61;

    private readonly int _fd;
    private byte[] _buffer;
    private int _at;
    private int _end;
    private int _references = 1;

    private DirectoryReader(int fd)
    {
        _fd = fd;
        _buffer = ArrayPool<byte>.Shared.Rent(BufferBytes);
    }

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

    /// <summary>Reads the next piece: more than 0 when there are entries, 0 at the end, else a negative errno.</summary>
    public int Refill()
    {
        int bytes;
        fixed (byte* p = _buffer)
        {
            do
            {
                bytes = (int)syscall(NrGetDents64, _fd, (nint)p, BufferBytes, 0, 0, 0);
            }
            while (bytes < 0 && Marshal.GetLastSystemError() == Errno.EINTR);
            if (bytes < 0)
            {
                bytes = -Marshal.GetLastSystemError();
            }
        }

        _at = 0;
        _end = Math.Max(bytes, 0);
        return bytes;
    }

    /// <summary>The next entry of the piece, "." and ".." left out; false when another piece is needed. The name is valid until then.</summary>
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

    /// <summary>All names that are left, each ended by a NUL; for who removes some of them. 0, or a negative errno where not all could be read.</summary>
    public int ReadNames(out List<byte[]> names)
    {
        names = [];
        int result;
        while ((result = Refill()) > 0)
        {
            while (TryNext(out ReadOnlySpan<byte> name, out _))
            {
                names.Add([.. name, 0]);
            }
        }

        return result;
    }

    /// <summary>statx of a name in this folder, without following a link; the name ends with a NUL.</summary>
    public int Stat(ReadOnlySpan<byte> name, StatxMask mask, out Statx result) =>
        NodeCalls.StatAt(_fd, name, followsLinks: false, mask, out result);

    public void AddReference() => Interlocked.Increment(ref _references);

    /// <summary>Closes the folder with the last reference.</summary>
    public void Release()
    {
        if (Interlocked.Decrement(ref _references) == 0)
        {
            PathCalls.Close(_fd);
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = [];
        }
    }

    [LibraryImport("libc")]
    private static partial nint syscall(long number, nint a, nint b, nint c, nint d, nint e, nint f);
}
