namespace Sluice.Files;

/// <summary>Writes the files of one batch and counts the results. Thread-safe.</summary>
internal sealed class FileBatchWriter(bool continuesOnError, UnixFileMode? createMode, CancellationToken cancellationToken)
{
    private readonly Lock _lock = new();
    private readonly List<FileFailure> _failures = [];
    private long _files;
    private long _bytes;
    private volatile bool _hasFailed;

    /// <summary>Gets a value that indicates whether no further file is to be written.</summary>
    public bool IsOver => (_hasFailed && !continuesOnError) || cancellationToken.IsCancellationRequested;

    public void Write((string Path, ReadOnlyMemory<byte> Bytes)[] group)
    {
        foreach ((string path, ReadOnlyMemory<byte> bytes) in group)
        {
            if (IsOver)
            {
                return;
            }

            Exception? error = SmallFileWriter.Write(path, bytes, createMode);
            lock (_lock)
            {
                if (error is null)
                {
                    _files++;
                    _bytes += bytes.Length;
                }
                else
                {
                    _failures.Add(new FileFailure(path, error));
                    _hasFailed = true;
                }
            }
        }
    }

    /// <exception cref="FileBatchException">One or more files failed.</exception>
    public void ThrowIfFailed()
    {
        lock (_lock)
        {
            if (_failures.Count > 0)
            {
                throw new FileBatchException(_failures, _files, _bytes);
            }
        }
    }
}
