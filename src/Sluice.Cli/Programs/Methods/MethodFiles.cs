using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Methods;

/// <summary>
/// The rows of `methods` for one size of file, with their files: one that is read, and one that is written. Both contain the same text.
/// </summary>
internal sealed class MethodFiles(string folder, int sizeBytes, CancellationToken cancellationToken)
{
    /// <summary>The sector-aligned block size of "Efficient File I/O From C#": a multiple of every sector and page size.</summary>
    public const int BlockSize = 65_536;

    // A run over a small file is short, so a slice has several runs.
    private const int BytesPerSlice = 10 << 20;
    private const int MaxRunsPerSlice = 15;

    public string ReadPath { get; } = Path.Combine(folder, "read.txt");

    public string WritePath { get; } = Path.Combine(folder, "write.txt");

    public TextSample Sample { get; } = new(sizeBytes);

    public int RunsPerSlice => Math.Clamp(BytesPerSlice / sizeBytes, 1, MaxRunsPerSlice);

    /// <summary>All methods, those of the article "Efficient File I/O From C#" and newer ones.</summary>
    public IReadOnlyList<TimedRow> Rows => [.. new ReadMethods(this).Rows, .. new WriteMethods(this).Rows];

    /// <summary>Creates the file that is read.</summary>
    public void Make() => File.WriteAllBytes(ReadPath, Sample.Content);

    public Checksum NewSum() => new(cancellationToken);

    public TimedRow Row(string group, string name, IoSide side, Func<object?> run, Func<object?, string?> check) =>
        new(group, name, side, sizeBytes, () => Task.FromResult(run()), check);

    /// <summary>Returns a row whose file is opened before the measured time and closed after it.</summary>
    public TimedRow RowOnOpenFile<T>(
        string group, string name, IoSide side, Func<T> open, Func<T, object?> run, Func<object?, string?> check)
        where T : class, IDisposable
    {
        T? file = null;
        return Row(group, name, side, () => run(file!), check) with { Open = () => file = open() };
    }

    public static object? Using<T>(T file, Func<T, object?> use)
        where T : IDisposable
    {
        using (file)
            return use(file);
    }

    /// <summary>Converts errors of WinFileIO to I/O errors, since the rest of the tool does not handle ApplicationException.</summary>
    public static object? Checked(Func<int> transfer)
    {
        try
        {
            return transfer();
        }
        catch (ApplicationException e)
        {
            throw new IOException(e.Message, e);
        }
    }
}
