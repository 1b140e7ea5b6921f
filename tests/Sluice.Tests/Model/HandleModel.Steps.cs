namespace Sluice.Tests.Model;

/// <summary>The steps that one thread takes.</summary>
internal sealed partial class HandleModel
{
    private const int MaxSegments = 40;

    private async Task ReadAsync(bool isAsync)
    {
        int offset = SomeOffset();
        int used = 0;
        Memory<byte> buffer = SomeTarget(SomeLength(offset), ref used);
        Doing(isAsync ? "ReadAsync" : "Read", offset, buffer.Length);
        int bytes = isAsync ? await _handle.ReadAsync(buffer, offset) : _handle.Read(buffer.Span, offset);
        CheckRead(bytes, buffer, offset, _length);
    }

    private async Task WriteAsync(bool isAsync)
    {
        int offset = SomeOffset();
        ReadOnlyMemory<byte> bytes = SomeBytes(SomeLength(offset));
        Doing(isAsync ? "WriteAsync" : "Write", offset, bytes.Length);
        if (isAsync)
        {
            await _handle.WriteAsync(bytes, offset);
        }
        else
        {
            _handle.Write(bytes.Span, offset);
        }

        Book(bytes, offset);
    }

    private async Task AppendAsync(bool isAsync)
    {
        if (_length == MaxBytes)
        {
            return;
        }

        ReadOnlyMemory<byte> bytes = SomeBytes(SomeLength(_length));
        Doing(isAsync ? "AppendAsync" : "Append", _length, bytes.Length);
        long landed = isAsync ? await _handle.AppendAndGetOffsetAsync(bytes) : _handle.AppendAndGetOffset(bytes.Span);
        if (landed != _length)
        {
            throw Wrong($"landed at {landed}");
        }

        Book(bytes, _length);
    }

    private void SetLength()
    {
        int length = _random.Next(4) == 0 ? _random.Next(20_000) : SomeOffset();
        Doing("SetLength", 0, length);
        _handle.SetLength(length);
        if (length < _length)
        {
            _model.AsSpan(length, _length - length).Clear();
        }

        _length = length;
    }

    private void Allocate()
    {
        int offset = SomeOffset();
        int length = SomeLength(offset);
        if (length == 0 || !_allocates)
        {
            return;
        }

        Doing("Allocate", offset, length);
        try
        {
            _handle.Allocate(offset, length);
            _length = Math.Max(_length, offset + length);
        }
        catch (PlatformNotSupportedException)
        {
            _allocates = false;
        }
    }

    private void PunchHole()
    {
        int offset = SomeOffset();
        int length = SomeLength(offset);
        if (length == 0 || !_punches)
        {
            return;
        }

        Doing("PunchHole", offset, length);
        try
        {
            _handle.PunchHole(offset, length);
            _model.AsSpan(offset, length).Clear();
        }
        catch (PlatformNotSupportedException)
        {
            _punches = false;
        }
    }

    private void ReadBatch()
    {
        ReadRequest[] requests = new ReadRequest[_random.Next(_random.Next(20) == 0 ? 300 : 12)];
        int used = 0;
        for (int i = 0; i < requests.Length; i++)
        {
            int offset = SomeOffset();
            int length = requests.Length > 12 ? Math.Min(SomeLength(offset), 1024) : SomeLength(offset);
            requests[i] = new ReadRequest(offset, SomeTarget(length, ref used));
        }

        Doing("ReadBatch", 0, requests.Length);
        _handle.ReadBatch(requests);
        foreach (ReadRequest request in requests)
        {
            CheckRead(request.BytesRead, request.Buffer, (int)request.FileOffset, _length);
        }
    }

    private void WriteBatch()
    {
        // Requests that overlap leave either's bytes, so these follow one another.
        List<WriteRequest> requests = [];
        int offset = SomeOffset();
        int most = _random.Next(_random.Next(20) == 0 ? 300 : 12);
        while (requests.Count < most && offset < MaxBytes)
        {
            int length = most > 12 ? Math.Min(SomeLength(offset), 1024) : SomeLength(offset);
            requests.Add(new WriteRequest(offset, SomeBytes(length)));
            offset += length + (_random.Next(2) == 0 ? 0 : _random.Next(3_000));
        }

        WriteRequest[] shuffled = [.. requests];
        _random.Shuffle(shuffled);
        Doing("WriteBatch", offset, shuffled.Length);
        _handle.WriteBatch(shuffled);
        foreach (WriteRequest request in shuffled)
        {
            if (request.BytesWritten != request.Buffer.Length)
            {
                throw Wrong($"{request.BytesWritten} of {request.Buffer.Length} bytes were written at {request.FileOffset}");
            }

            Book(request.Buffer, (int)request.FileOffset);
        }
    }

    private async Task ReadVectorAsync()
    {
        int offset = SomeOffset();
        Memory<byte>[] segments = new Memory<byte>[_random.Next(MaxSegments)];
        int used = 0;
        int total = 0;
        for (int i = 0; i < segments.Length; i++)
        {
            int length = Math.Min(SomeSegmentLength(), MaxBytes - offset - total);
            segments[i] = SomeTarget(length, ref used);
            total += length;
        }

        bool isAsync = _random.Next(2) == 0;
        Doing(isAsync ? "ReadAsync (scatter)" : "Read (scatter)", offset, total);
        long bytes = isAsync ? await _handle.ReadAsync(segments, offset) : _handle.Read(segments, offset);
        if (bytes != Math.Clamp(_length - offset, 0, total))
        {
            throw Wrong($"{bytes} bytes were read");
        }

        foreach (Memory<byte> segment in segments)
        {
            int got = (int)Math.Clamp(bytes, 0, segment.Length);
            CheckRead(got, segment, offset, _length);
            bytes -= got;
            offset += got;
        }
    }

    private async Task WriteVectorAsync()
    {
        int offset = SomeOffset();
        ReadOnlyMemory<byte>[] segments = new ReadOnlyMemory<byte>[_random.Next(MaxSegments)];
        int total = 0;
        for (int i = 0; i < segments.Length; i++)
        {
            segments[i] = SomeBytes(Math.Min(SomeSegmentLength(), MaxBytes - offset - total));
            total += segments[i].Length;
        }

        bool isAsync = _random.Next(2) == 0;
        Doing(isAsync ? "WriteAsync (gather)" : "Write (gather)", offset, total);
        if (isAsync)
        {
            await _handle.WriteAsync(segments, offset);
        }
        else
        {
            _handle.Write(segments, offset);
        }

        foreach (ReadOnlyMemory<byte> segment in segments)
        {
            Book(segment, offset);
            offset += segment.Length;
        }
    }

    private int SomeSegmentLength() => _random.Next(4) switch
    {
        0 => 0,
        1 => _random.Next(600),
        2 => 512 * _random.Next(9),
        _ => _random.Next(5_000),
    };

    private void Reopen()
    {
        Doing("reopen", 0, 0);
        _handle.Dispose();
        _handle = Open(FileMode.Open);
        if (_handle.Length != _length)
        {
            throw Wrong($"the length is {_handle.Length} after opening again");
        }
    }
}
