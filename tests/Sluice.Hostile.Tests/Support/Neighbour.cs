namespace Sluice.Hostile.Tests.Support;

/// <summary>
/// An unrelated writer and an unrelated reader of the same process, one step at a time between a scenario's own: what the scenario does
/// wrong with its memory shows in their bytes.
/// </summary>
internal sealed class Neighbour : IDisposable
{
    private const int StepBytes = 5000;

    private readonly byte[] _content = Bytes.Pattern(120_000, 77);
    private readonly string _path;
    private readonly SluiceWriter _writer;
    private readonly SluiceReader _reader;
    private readonly byte[] _piece = new byte[StepBytes];
    private int _read;

    public Neighbour(TempFolder temp, FileCaching caching)
    {
        string source = temp.NewFile(_content);
        _path = temp.NewPath();
        _writer = new SluiceWriter(_path, new SluiceWriterOptions { Caching = caching, RequestSize = 16_384, Depth = 2 });
        _reader = new SluiceReader(source, new SluiceReaderOptions { Caching = caching, RequestSize = 16_384, Depth = 2 });
    }

    /// <summary>Writes and reads a little.</summary>
    public void Step()
    {
        int at = (int)_writer.Position;
        _writer.Write(_content.AsSpan(at, Math.Min(StepBytes, _content.Length - at)));
        int count = _reader.Read(_piece);
        ((ReadOnlySpan<byte>)_piece.AsSpan(0, count)).ShouldBeBytes(_content.AsSpan(_read, count), "an unrelated reader");
        _read += count;
    }

    public void Dispose()
    {
        while (_writer.Position < _content.Length)
        {
            Step();
        }

        _reader.Dispose();
        _writer.Dispose();
        File.ReadAllBytes(_path).ShouldBeBytes(_content, "an unrelated writer");
    }
}
