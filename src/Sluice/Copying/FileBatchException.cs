namespace Sluice;

/// <summary>The exception that is thrown when one or more files of a batch or a tree failed.</summary>
/// <remarks>
/// The message describes the first failure. The exception of the first failure is also the <see cref="Exception.InnerException"/>. The
/// properties do not change and can be read from any thread.
/// </remarks>
public sealed class FileBatchException : IOException
{
    /// <summary>Initializes a new instance of the <see cref="FileBatchException"/> class.</summary>
    /// <param name="failures">The failures, at least one, in the order in which they were found.</param>
    /// <param name="filesCompleted">The number of files that were completed. The default is 0.</param>
    /// <param name="bytesCompleted">The total size of these files, in bytes. The default is 0.</param>
    /// <exception cref="ArgumentNullException"><paramref name="failures"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="failures"/> is empty.</exception>
    public FileBatchException(IReadOnlyList<FileFailure> failures, long filesCompleted = 0, long bytesCompleted = 0)
        : base(Describe(failures), failures[0].Error)
    {
        Failures = [.. failures];
        FilesCompleted = filesCompleted;
        BytesCompleted = bytesCompleted;
    }

    /// <summary>Gets the failures, each with its path and its exception, in the order in which they were found.</summary>
    public IReadOnlyList<FileFailure> Failures { get; }

    /// <summary>Gets the number of files that were completed.</summary>
    public long FilesCompleted { get; }

    /// <summary>Gets the total size of the files that were completed, in bytes.</summary>
    public long BytesCompleted { get; }

    /// <summary>
    /// Gets the result for the files that were copied before the copy of a tree failed, or <see langword="null"/> (the default) if the
    /// exception was thrown by another operation.
    /// </summary>
    public CopyResult? Copied { get; init; }

    private static string Describe(IReadOnlyList<FileFailure> failures)
    {
        ArgumentNullException.ThrowIfNull(failures);
        if (failures.Count == 0)
        {
            throw new ArgumentException("The list of failures is empty.", nameof(failures));
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
