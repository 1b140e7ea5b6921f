namespace Sluice;

/// <summary>
/// Some files of a batch, or of a tree, failed: every failure, and what was done beside them. The message names the first, which is
/// also the <see cref="Exception.InnerException"/>. Immutable.
/// </summary>
public sealed class FileBatchException : IOException
{
    /// <param name="failures">What failed, in the order in which it was found; at least one.</param>
    /// <param name="filesCompleted">Files that were done whole.</param>
    /// <param name="bytesCompleted">Bytes of those files.</param>
    /// <exception cref="ArgumentException">There is no failure.</exception>
    public FileBatchException(IReadOnlyList<FileFailure> failures, long filesCompleted = 0, long bytesCompleted = 0)
        : base(Describe(failures), failures[0].Error)
    {
        Failures = [.. failures];
        FilesCompleted = filesCompleted;
        BytesCompleted = bytesCompleted;
    }

    /// <summary>What failed, each path with its own error, in the order in which it was found.</summary>
    public IReadOnlyList<FileFailure> Failures { get; }

    /// <summary>Files that were done whole.</summary>
    public long FilesCompleted { get; }

    /// <summary>Bytes of the files that were done whole.</summary>
    public long BytesCompleted { get; }

    /// <summary>
    /// What the copy of a tree has done beside them, with the bytes of those files that were done whole; null of anything else.
    /// </summary>
    public CopyResult? Copied { get; init; }

    private static string Describe(IReadOnlyList<FileFailure> failures)
    {
        ArgumentNullException.ThrowIfNull(failures);
        if (failures.Count == 0)
        {
            throw new ArgumentException("There is no failure.", nameof(failures));
        }

        string first = $"'{failures[0].Path}' failed: {failures[0].Error.Message}";
        return failures.Count switch
        {
            1 => first,
            2 => $"{first} (and one more file failed)",
            int count => $"{first} (and {count - 1} more files failed)",
        };
    }
}
