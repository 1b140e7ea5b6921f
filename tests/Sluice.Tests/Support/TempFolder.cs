namespace Sluice.Tests.Support;

/// <summary>A folder in the temporary folder, deleted with all that is in it at the end.</summary>
internal sealed class TempFolder : IDisposable
{
    private int _files;

    public TempFolder(string? parent = null)
    {
        Root = Path.Combine(parent ?? Path.GetTempPath(), "sluice-tests-" + Guid.NewGuid().ToString("N"));
        Directory.CreateDirectory(Root);
    }

    public string Root { get; }

    /// <summary>A path where nothing is yet.</summary>
    public string NewPath() => Path.Combine(Root, $"f{Interlocked.Increment(ref _files)}");

    /// <summary>A new file with this content.</summary>
    public string NewFile(ReadOnlySpan<byte> content)
    {
        string path = NewPath();
        File.WriteAllBytes(path, content);
        return path;
    }

    /// <summary>A new file of <see cref="Bytes.Pattern"/>.</summary>
    public string NewFile(int length) => NewFile(Bytes.Pattern(length));

    /// <summary>A new FIFO.</summary>
    public string NewFifo()
    {
        string path = NewPath();
        Native.MakeFifo(path);
        return path;
    }

    public void Dispose() => Directory.Delete(Root, recursive: true);
}
