using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>Records of a fixed size.</summary>
public sealed partial class SluiceReader
{
    /// <summary>
    /// The records from here to the end, in spans over the reader's own blocks where they are aligned for their type, else copied.
    /// </summary>
    /// <typeparam name="T">The record: its bytes in memory are those in the file, byte order included.</typeparam>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <remarks>An <see cref="InvalidDataException"/> tells of a file that ends within a record, after all whole ones.</remarks>
    public RecordEnumerator<T> ReadRecords<T>(CancellationToken cancellationToken = default)
        where T : unmanaged => new(this, cancellationToken);

    /// <summary>As <see cref="ReadRecords{T}"/>, without blocking the caller. The memory stands until the next is asked for.</summary>
    /// <exception cref="InvalidDataException">The file ends within a record.</exception>
    public async IAsyncEnumerable<ReadOnlyMemory<T>> ReadRecordsAsync<T>(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        int size = Unsafe.SizeOf<T>();
        T[] single = new T[1];
        while (_consumed < _block.Length || await NextBlockAsync(cancellationToken).ConfigureAwait(false))
        {
            if (TryTakeRecords(size, out Memory<byte> bytes, out nint address))
            {
                yield return Records.IsAligned<T>(address)
                    ? new RecordMemory<T>(bytes).Memory
                    : MemoryMarshal.Cast<byte, T>(bytes.Span).ToArray();
                continue;
            }

            long offset = Position;
            int got = 0;
            do
            {
                int count = Math.Min(size - got, _block.Length - _consumed);
                Unread[..count].CopyTo(MemoryMarshal.AsBytes(single.AsSpan())[got..]);
                _consumed += count;
                got += count;
            }
            while (got < size && await NextBlockAsync(cancellationToken).ConfigureAwait(false));
            if (got < size)
            {
                Records.ThrowCut<T>(_handle.Path, offset, got);
            }

            yield return single;
        }
    }

    /// <summary>Whether there is an unread byte; gets the next block where the current one is used up.</summary>
    internal bool HasUnread(CancellationToken cancellationToken) => _consumed < _block.Length || NextBlock(cancellationToken);

    /// <summary>The whole records at the front of what is unread; false when there is not one.</summary>
    internal bool TryTakeRecords(int size, out Memory<byte> bytes, out nint address)
    {
        int whole = (_block.Length - _consumed) / size * size;
        bytes = _block.Slice(_consumed, whole);
        address = (_current?.Block.Address ?? 0) + _consumed;
        _consumed += whole;
        return whole > 0;
    }
}
