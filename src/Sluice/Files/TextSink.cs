using System.Buffers;
using System.Text;

namespace Sluice.Files;

/// <summary>Encodes text into large pieces and writes them one after the other. Not thread-safe.</summary>
internal sealed class TextSink : IDisposable
{
#if DEBUG
    private const int PieceBytes = 512;
#else
    private const int PieceBytes = Kernel.Tuning.TextSinkPieceBytes;
#endif

    private const int MinRoomBytes = 64;

    private readonly SluiceHandle _handle;
    private readonly Encoding _encoding;
    private readonly Encoder _encoder;
    private byte[] _bytes;
    private int _used;
    private long _offset;

    /// <param name="handle">The file; it stays the caller's.</param>
    /// <param name="encoding">The encoding; its mark is written where the file is empty.</param>
    /// <param name="offset">Where to begin, in bytes.</param>
    public TextSink(SluiceHandle handle, Encoding encoding, long offset)
    {
        _handle = handle;
        _encoding = encoding;
        _encoder = encoding.GetEncoder();
        _offset = offset;
        ReadOnlySpan<byte> mark = offset == 0 ? encoding.Preamble : [];
        _bytes = ArrayPool<byte>.Shared.Rent(Math.Max(PieceBytes, mark.Length));
        mark.CopyTo(_bytes);
        _used = mark.Length;
    }

    /// <summary>
    /// Whether a write has failed, or was cancelled on a pipe, where nobody knows how much of it went out; what is in memory is then lost.
    /// </summary>
    public bool HasFailed { get; private set; }

    public ValueTask AddAsync(ReadOnlyMemory<char> text, CancellationToken cancellationToken)
    {
        if (text.Length > PieceBytes || InlineLimit.MaxBytes(_encoding, text.Length) > _bytes.Length - _used)
        {
            return AddPiecesAsync(text, cancellationToken);
        }

        // Lines mostly fit in: no state machine for them.
        _used += _encoder.GetBytes(text.Span, _bytes.AsSpan(_used), flush: false);
        return ValueTask.CompletedTask;
    }

    private async ValueTask AddPiecesAsync(ReadOnlyMemory<char> text, CancellationToken cancellationToken)
    {
        for (bool isCompleted = text.IsEmpty; !isCompleted;)
        {
            // Not completed is also what an encoder has taken whose replacement found no more room: UTF-32 with a lone surrogate.
            await MakeRoomAsync(cancellationToken).ConfigureAwait(false);
            _encoder.Convert(text.Span, _bytes.AsSpan(_used), flush: false, out int charsUsed, out int bytesUsed, out isCompleted);
            text = text[charsUsed..];
            _used += bytesUsed;
        }
    }

    /// <summary>Writes what is left, half a character included.</summary>
    public async ValueTask EndAsync(CancellationToken cancellationToken)
    {
        // A replacement may be longer than all else that is made room for.
        int room = Math.Max(MinRoomBytes, _encoder.GetByteCount([], flush: true));
        if (_bytes.Length - _used < room)
        {
            await WriteOutAsync(cancellationToken).ConfigureAwait(false);
        }

        if (_bytes.Length < room)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(room);
            Dispose();
            _bytes = larger;
        }

        // Convert would refuse an empty text where a caller's encoder leaves it to the base class.
        _used += _encoder.GetBytes([], _bytes.AsSpan(_used), flush: true);
        await WriteOutAsync(cancellationToken).ConfigureAwait(false);
    }

    public void Dispose()
    {
        if (_bytes.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = [];
        }
    }

    /// <summary>Room for whatever one character may become, a lone surrogate's replacement included: an encoder refuses less.</summary>
    private ValueTask MakeRoomAsync(CancellationToken cancellationToken) =>
        _bytes.Length - _used < MinRoomBytes ? WriteOutAsync(cancellationToken) : ValueTask.CompletedTask;

    private async ValueTask WriteOutAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _handle.WriteAsync(_bytes.AsMemory(0, _used), _offset, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException || !_handle.CanSeek)
        {
            HasFailed = true;
            throw;
        }

        _offset += _used;
        _used = 0;
    }
}
