using Sluice.Testing;
using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

/// <summary>What every configuration of <see cref="SluiceStream"/> must do; one small subclass for each buffer x sync/async x caching x
/// engine.</summary>
public abstract partial class SluiceStreamConformance : IDisposable
{
    private readonly TempFolder _temp = new();
    private readonly int _bufferSize;
    private readonly bool _isAsync;
    private readonly FileCaching _caching;
    private readonly IoEngine? _engine;
    private readonly bool _isFileStream;

    protected SluiceStreamConformance(ITestOutputHelper output, int bufferSize, bool isAsync, FileCaching caching, string engine)
    {
        _bufferSize = bufferSize;
        _isAsync = isAsync;
        _caching = caching;
        _engine = StreamConfiguration.EngineNamed(engine);
        _isFileStream = engine == StreamConfiguration.AsFileStream;
        if (_engine is FaultyEngine faulty)
        {
            output.WriteLine($"fault seed {faulty.Plan.Seed}");
        }
    }

    private bool IsBuffered => _bufferSize is not (0 or 1);

    public void Dispose()
    {
        _temp.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>The stream, or the FileStream that it can be.</summary>
    private Stream Open(
        string path, FileMode mode = FileMode.Open, FileAccess access = FileAccess.ReadWrite, FileShare share = FileShare.ReadWrite) =>
        _isFileStream ? OpenOwn(path, mode, access, share).AsFileStream() : OpenOwn(path, mode, access, share);

    /// <summary>The same, with the members that both have beside those of <see cref="Stream"/>.</summary>
    private StreamSubject OpenSubject(string path, FileMode mode = FileMode.Open, FileAccess access = FileAccess.ReadWrite)
    {
        Stream stream = Open(path, mode, access);
        return stream is FileStream file ? new FileStreamSubject(file) : new SluiceStreamSubject((SluiceStream)stream);
    }

    private SluiceStream OpenOwn(
        string path, FileMode mode = FileMode.Open, FileAccess access = FileAccess.ReadWrite, FileShare share = FileShare.ReadWrite) =>
        new(path, new SluiceOptions
        {
            Mode = mode,
            Access = access,
            Share = share,
            BufferSize = _bufferSize,
            Options = _isAsync ? FileOptions.Asynchronous : FileOptions.None,
            Caching = _caching,
            Engine = _engine,
        });

    private Stream OpenNew(int length, out byte[] content)
    {
        content = Bytes.Pattern(length);
        return Open(_temp.NewFile(content));
    }

    private Stream Create(out string path)
    {
        path = _temp.NewPath();
        return Open(path, FileMode.CreateNew);
    }

    private static byte[] OnDisk(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, 0);
        byte[] bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }
}
