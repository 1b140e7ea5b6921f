using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The kind of data that a method returns or takes. Only methods of one kind can be compared.</summary>
internal enum ResultKind { Bytes, Text, Lines }

/// <summary>A way of reading or writing a whole file.</summary>
/// <param name="Name">The name, which is that in "Efficient File I/O From C#" for a method of this article.</param>
/// <param name="Run">
/// The measured call. A method that reads returns the number of bytes or characters that it has read into the array of its input, or the
/// bytes, text, lines or checksum that it has created.
/// </param>
internal sealed record Method(string Name, IoSide Side, ResultKind Kind, Func<MethodInput, object?> Run)
{
    public bool Writes { get; init; }

    /// <summary>Opens the file before the measured time; null if <see cref="Run"/> opens and closes it.</summary>
    public Func<MethodInput, IDisposable>? Open { get; init; }
}

/// <summary>The input of a method: the file, the text that it contains or that is to be written, and arrays to read into.</summary>
internal sealed class MethodInput(string path, TextSample sample, CancellationToken cancellationToken)
{
    /// <summary>The sector-aligned block size of "Efficient File I/O From C#": a multiple of every sector and page size.</summary>
    public const int BlockSize = 65_536;

    public string Path { get; } = path;

    public TextSample Sample { get; } = sample;

    /// <summary>An array of the file's length in bytes.</summary>
    public byte[] Bytes { get; } = new byte[sample.SizeBytes];

    /// <summary>An array with one element for each byte of the file.</summary>
    public char[] Chars { get; } = new char[sample.SizeBytes];

    /// <summary>The object that <see cref="Method.Open"/> returned.</summary>
    public IDisposable? Opened { get; set; }

    public Checksum NewSum() => new(cancellationToken);
}
