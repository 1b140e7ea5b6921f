namespace Sluice.Files;

/// <summary>Writes the files of one batch, and counts what became of them. Thread-safe.</summary>
internal sealed class FileBatchWriter(bool continuesOnError, UnixFileMode? createMode, CancellationToken cancellationToken)
{
    private readonly Lock _lock = new();
    private readonly List<FileFailure> _failures = [];
    private long _files;
    private long _bytes;
    private volatile bool _hasFailed;

    /// <summary>Whether nothing more is to be begun.</summary>
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

    /// <exception cref="FileBatchException">Files have failed.</exception>
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
