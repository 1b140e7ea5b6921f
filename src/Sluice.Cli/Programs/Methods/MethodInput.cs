namespace Sluice.Cli.Programs.Methods;

/// <summary>
/// What a method works on: the file, the text that is in it or is to be written, and arrays to read into that it need not make.
/// </summary>
internal sealed class MethodInput(string path, TextSample sample, CancellationToken cancellationToken)
{
    /// <summary>What the article calls sector aligned: a multiple of every sector and page.</summary>
    public const int BlockSize = 65_536;

    public string Path { get; } = path;

    public TextSample Sample { get; } = sample;

    /// <summary>As long as the file.</summary>
    public byte[] Bytes { get; } = new byte[sample.SizeBytes];

    /// <summary>As long as the file.</summary>
    public char[] Chars { get; } = new char[sample.SizeBytes];

    public Checksum NewSum() => new(cancellationToken);

    /// <summary>What an earlier method read must not be taken for what the next one reads.</summary>
    public void Forget(ResultKind kind)
    {
        if (kind == ResultKind.Bytes)
            Array.Clear(Bytes);
        else if (kind == ResultKind.Text)
            Array.Clear(Chars);
    }
}
