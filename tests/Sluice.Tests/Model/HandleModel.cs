namespace Sluice.Tests.Model;

/// <summary>
/// A file beside a model of it in memory, and random steps on both, in the manner of fsx: the same seed makes the same steps. Every
/// read is compared, and now and then the whole file, by a handle of System.IO.
/// </summary>
internal sealed partial class HandleModel : IAsyncDisposable
{
    private const int MaxBytes = 256 * 1024;
    private const int PoolBytes = 1024 * 1024;
    private const int MaxTransfer = 72 * 1024;
    private const byte Guard = 0xA5;

    private readonly string _path;
    private readonly FileCaching _caching;
    private readonly IoEngine? _engine;
    private readonly int _seed;
    private readonly Random _random;
    private readonly Memory<byte> _source = Bytes.Pinned(PoolBytes);
    private readonly Memory<byte> _target = Bytes.Pinned(PoolBytes);

    /// <summary>What the file should hold: zeros behind <see cref="_length"/>.</summary>
    private readonly byte[] _model = new byte[MaxBytes];
    private int _length;
    private SluiceHandle _handle;
    private string _doing = "";
    private int _doingOffset;
    private int _doingLength;
    private bool _punches = true;
    private bool _allocates = true;

    public HandleModel(string path, FileCaching caching, IoEngine? engine, int seed)
    {
        _path = path;
        _caching = caching;
        _engine = engine;
        _seed = seed;
        _random = new Random(seed);
        _random.NextBytes(_source.Span);
        _handle = Open(FileMode.CreateNew);
    }

    /// <summary>Steps done and found right.</summary>
    public long Step { get; private set; }

    public string EngineName => _handle.EngineName;

    public FileCaching EffectiveCaching => _handle.Caching;

    /// <summary>Takes so many steps more.</summary>
    /// <exception cref="ModelException">File and model disagree.</exception>
    public async Task RunAsync(long steps)
    {
        for (long i = 0; i < steps; i++)
        {
            try
            {
                await TakeStepAsync();
            }
            catch (Exception e) when (e is not ModelException)
            {
                throw Wrong($"{e.GetType().Name}: {e.Message}", e);
            }

            Step++;
        }

        CompareWhole();
    }

    public ValueTask DisposeAsync() => _handle.DisposeAsync();

    private Task TakeStepAsync()
    {
        int dice = _random.Next(2000);
        switch (dice)
        {
            case < 400: return ReadAsync(isAsync: false);
            case < 700: return ReadAsync(isAsync: true);
            case < 950: return WriteAsync(isAsync: false);
            case < 1200: return WriteAsync(isAsync: true);
            case < 1280: return AppendAsync(isAsync: false);
            case < 1360: return AppendAsync(isAsync: true);
            case < 1420: SetLength(); return Task.CompletedTask;
            case < 1440: Allocate(); return Task.CompletedTask;
            case < 1470: PunchHole(); return Task.CompletedTask;
            case < 1550: ReadBatch(); return Task.CompletedTask;
            case < 1630: WriteBatch(); return Task.CompletedTask;
            case < 1710: return ReadVectorAsync();
            case < 1790: return WriteVectorAsync();
            case < 1900: return ConcurrentRangesAsync();
            case < 1950: return ConcurrentAppendsAsync();
            case < 1990: return ConcurrentThreadsAsync();
            case < 1998: Reopen(); return Task.CompletedTask;
            default: CompareWhole(); return Task.CompletedTask;
        }
    }

    private SluiceHandle Open(FileMode mode) => SluiceHandle.Open(_path, new SluiceOptions
    {
        Mode = mode,
        Access = FileAccess.ReadWrite,
        Share = FileShare.ReadWrite,
        Caching = _caching,
        Engine = _engine,
    });

    private ModelException Wrong(string what, Exception? inner = null) =>
        new(_seed, Step, $"{_doing} offset {_doingOffset} length {_doingLength} of {_length}: {what}", inner);

    private void Doing(string what, int offset, int length)
    {
        _doing = what;
        _doingOffset = offset;
        _doingLength = length;
    }

    /// <summary>Where things go wrong: borders of blocks and pages, the end of the file, and anywhere.</summary>
    private int SomeOffset()
    {
        int offset = _random.Next(8) switch
        {
            0 => 0,
            1 => _length,
            2 => _length + _random.Next(-2, 3),
            3 => _random.Next(_length + 1) & ~511,
            4 => (_random.Next(_length + 1) & ~4095) + _random.Next(-1, 2),
            5 => _length + _random.Next(10_000),
            _ => _random.Next(_length + 1),
        };
        return Math.Clamp(offset, 0, MaxBytes - 1);
    }

    private int SomeLength(int offset)
    {
        int length = _random.Next(16) switch
        {
            0 => 0,
            < 6 => _random.Next(600),
            < 11 => _random.Next(5_000),
            < 13 => _random.Next(1, 33) * 512,
            < 15 => (_random.Next(1, 5) * 4096) + _random.Next(-1, 2),
            _ => _random.Next(MaxTransfer),
        };
        return Math.Min(length, MaxBytes - offset);
    }

    /// <summary>Bytes to write, from memory that is aligned about every other time.</summary>
    private ReadOnlyMemory<byte> SomeBytes(int length)
    {
        int start = _random.Next(PoolBytes - length);
        return _source.Slice((start & 3) < 2 ? start & ~511 : start, length);
    }

    /// <summary>Memory to read into, with a guard before and behind; places do not overlap within one step.</summary>
    private Memory<byte> SomeTarget(int length, ref int used)
    {
        int start = used + 512 + (_random.Next(2) == 0 ? 0 : _random.Next(1, 512));
        used = (start + length + 1 + 511) & ~511;
        Span<byte> target = _target.Span;
        target[start - 1] = Guard;
        target[start + length] = Guard;
        return _target.Slice(start, length);
    }

    private void CheckRead(long bytes, Memory<byte> buffer, int offset, int oldLength)
    {
        int expected = Math.Clamp(oldLength - offset, 0, buffer.Length);
        if (bytes != expected)
        {
            throw Wrong($"{bytes} bytes were read at {offset}, expected {expected}");
        }

        ReadOnlySpan<byte> got = buffer.Span[..expected];
        int same = got.CommonPrefixLength(_model.AsSpan(offset, expected));
        if (same != expected)
        {
            throw Wrong($"byte {offset + same} is {got[same]}, expected {_model[offset + same]}");
        }

        System.Runtime.InteropServices.MemoryMarshal.TryGetArray((ReadOnlyMemory<byte>)buffer, out ArraySegment<byte> segment);
        if (segment.Array![segment.Offset - 1] != Guard || segment.Array[segment.Offset + segment.Count] != Guard)
        {
            throw Wrong($"the read at {offset} wrote outside its buffer");
        }
    }

    private void Book(ReadOnlyMemory<byte> bytes, int offset)
    {
        if (bytes.Length == 0)
        {
            return;
        }

        bytes.Span.CopyTo(_model.AsSpan(offset));
        _length = Math.Max(_length, offset + bytes.Length);
    }

    private void CompareWhole()
    {
        Doing("compare the whole file", 0, _length);
        using Microsoft.Win32.SafeHandles.SafeFileHandle file = File.OpenHandle(_path, share: FileShare.ReadWrite);
        long length = RandomAccess.GetLength(file);
        if (length != _length || _handle.Length != _length)
        {
            throw Wrong($"the file has {length} bytes, the handle says {_handle.Length}");
        }

        Span<byte> whole = _target.Span[.._length];
        int done = 0;
        while (done < _length)
        {
            done += RandomAccess.Read(file, whole[done..], done);
        }

        int same = whole.CommonPrefixLength(_model.AsSpan(0, _length));
        if (same != _length)
        {
            throw Wrong($"byte {same} of the file is {whole[same]}, expected {_model[same]}");
        }
    }
}
