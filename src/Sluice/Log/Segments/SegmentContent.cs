using System.IO.Compression;
using Sluice.Kernel;
using Sluice.Log.Folders;

namespace Sluice.Log.Segments;

/// <summary>The bytes of a segment as they were written: a file's own, or those that a compressed one has. For one thread at a
/// time.</summary>
internal abstract class SegmentContent : IDisposable
{
    /// <summary>The file.</summary>
    public abstract string Path { get; }

    public abstract long Length { get; }

    /// <summary>Whether the file's name still leads to it; false where the system does not tell.</summary>
    public abstract bool HasName { get; }

    public virtual bool IsCompressed => false;

    /// <summary>Why the last call of <see cref="Read"/> gave less than it was to, where that was not the end.</summary>
    public virtual string? Fault => null;

    /// <summary>Opens a file by its name.</summary>
    /// <exception cref="FileNotFoundException">There is none.</exception>
    /// <exception cref="SluiceLogDamagedException">It is compressed, and its table is not whole.</exception>
    public static SegmentContent Open(string path) => Own(LogFile.OpenToRead(path));

    /// <summary>What a file has by whose name it is a segment, compressed or not; it is closed with this.</summary>
    /// <exception cref="SluiceLogDamagedException">It is compressed, and its table is not whole.</exception>
    public static SegmentContent Own(SluiceHandle file)
    {
        try
        {
            return file.Path.EndsWith(SegmentNames.Compressed, StringComparison.Ordinal)
                ? new CompressedContent(file, ownsFile: true)
                : new PlainContent(file, ownsFile: true);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>What a compressed file has that somebody else closes.</summary>
    public static SegmentContent OfCompressed(SluiceHandle file) => new CompressedContent(file, ownsFile: false);

    /// <summary>A file that somebody else closes.</summary>
    public static SegmentContent Of(SluiceHandle file) => new PlainContent(file, ownsFile: false);

    /// <summary>Reads at an offset until the buffer is full, the segment ends, or something cannot be read (<see cref="Fault"/>).</summary>
    public abstract int Read(Span<byte> buffer, long offset);

    public abstract void Dispose();

    private sealed class PlainContent(SluiceHandle file, bool ownsFile) : SegmentContent
    {
        public override string Path => file.Path;

        public override long Length => file.Length;

        public override bool HasName => Libc.IsSupported && LogFile.HasName(file);

        public override int Read(Span<byte> buffer, long offset) => file.Read(buffer, offset);

        public override void Dispose()
        {
            if (ownsFile)
            {
                file.Dispose();
            }
        }
    }

    /// <summary>Members of gzip, each a block of the segment, and one without content whose header says where they are.</summary>
    private sealed class CompressedContent : SegmentContent
    {
        private readonly SluiceHandle _file;
        private readonly bool _ownsFile;
        private readonly BlockTable _table;
        private readonly byte[] _block;
        private long _blockIndex = -1;
        private string? _fault;

        public CompressedContent(SluiceHandle file, bool ownsFile)
        {
            (_file, _ownsFile) = (file, ownsFile);
            _table = BlockTable.Read(file);
            _block = GC.AllocateUninitializedArray<byte>((int)Math.Min(_table.BlockBytes, _table.Length));
        }

        public override string Path => _file.Path;

        public override long Length => _table.Length;

        public override bool HasName => Libc.IsSupported && LogFile.HasName(_file);

        public override bool IsCompressed => true;

        public override string? Fault => _fault;

        public override int Read(Span<byte> buffer, long offset)
        {
            _fault = null;
            int read = 0;
            while (read < buffer.Length && offset < _table.Length)
            {
                long index = offset / _table.BlockBytes;
                if (!TryLoad(index))
                {
                    break;
                }

                int skip = (int)(offset % _table.BlockBytes);
                int take = Math.Min(buffer.Length - read, _table.BytesOf(index) - skip);
                _block.AsSpan(skip, take).CopyTo(buffer[read..]);
                read += take;
                offset += take;
            }

            return read;
        }

        public override void Dispose()
        {
            if (_ownsFile)
            {
                _file.Dispose();
            }
        }

        private bool TryLoad(long index)
        {
            if (index == _blockIndex)
            {
                return true;
            }

            _blockIndex = -1;
            (long start, long end) = _table.PlaceOf(index);
            Span<byte> block = _block.AsSpan(0, _table.BytesOf(index));
            try
            {
                using GZipStream content = new(new FilePart(_file, start, end), CompressionMode.Decompress);
                int read = content.ReadAtLeast(block, block.Length, throwOnEndOfStream: false);

                // Not a byte more is taken, whatever there may be: the block would be none that was written.
                if (read == block.Length && content.ReadByte() < 0)
                {
                    _blockIndex = index;
                    return true;
                }

                _fault = $"what is compressed at offset {start} of the file is not as long as its table says";
            }
            catch (InvalidDataException)
            {
                _fault = $"what is compressed at offset {start} of the file is damaged";
            }

            return false;
        }
    }

    /// <summary>A part of a file as a stream that is read once.</summary>
    private sealed class FilePart(SluiceHandle file, long start, long end) : Stream
    {
        private long _offset = start;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

        public override int Read(Span<byte> buffer)
        {
            int read = file.Read(buffer[..(int)Math.Min(buffer.Length, end - _offset)], _offset);
            _offset += read;
            return read;
        }

        public override void Flush() => throw new NotSupportedException();

        public override long Seek(long to, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int start, int count) => throw new NotSupportedException();
    }
}
