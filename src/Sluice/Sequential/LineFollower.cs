using System.Runtime.CompilerServices;
using Sluice.Handles;
using Sluice.Kernel;

namespace Sluice.Sequential;

/// <summary>
/// Returns the lines that are written to the file with a name, as <c>tail -F</c> does. A file that has lost the name is read until a new
/// file with the name can be opened, and for one more interval, because the writer may not have switched yet.
/// </summary>
internal sealed class LineFollower(string path, SluiceFollowOptions options) : IDisposable
{
    private SluiceReader? _current;
    private SluiceReader? _next;
    private FileIdentity? _identity;
    private FileIdentity? _nextIdentity;

    /// <summary>True if the current file has reported a length other than 0.</summary>
    private bool _hasLength;
    private readonly byte[] _probe = new byte[1];

    /// <summary>The time between polls, at least 1 ms: a wait that completes synchronously would not release the thread.</summary>
    private readonly TimeSpan _interval = TimeSpan.FromMilliseconds(Math.Clamp(options.PollInterval.TotalMilliseconds, 1, int.MaxValue));

    public async IAsyncEnumerable<ReadOnlyMemory<byte>> RunAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // A file that is created later is read from its start.
        for (bool fromStart = options.FromStart; !TryOpenFirst(fromStart); fromStart = true)
        {
            await Task.Delay(_interval, cancellationToken).ConfigureAwait(false);
        }

        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            SluiceReader reader = _current!;
            while (await reader.TryReadWholeLineAsync(cancellationToken).ConfigureAwait(false) is { } line)
            {
                yield return line;
            }

            if (IsCut(reader))
            {
                // Waits before the file is read again, because a file that reports wrong lengths may seem truncated repeatedly.
                await Task.Delay(_interval, cancellationToken).ConfigureAwait(false);
                if (reader.TakeUnendedLine() is { } half)
                {
                    yield return half;
                }

                reader.Seek(0);
                continue;
            }

            if (_next is null)
            {
                _next = TryOpenNext();
                await Task.Delay(_interval, cancellationToken).ConfigureAwait(false);
                continue;
            }

            if (reader.TakeUnendedLine() is { } last)
            {
                yield return last;
            }

            reader.Dispose();
            (_current, _identity, _next, _hasLength) = (_next, _nextIdentity, null, false);
        }
    }

    public void Dispose()
    {
        _current?.Dispose();
        _next?.Dispose();
    }

    /// <summary>
    /// Returns true if the file was truncated before the position. The length is not sufficient: files in /proc report 0, and network file
    /// systems may report an old length. A file that has only reported 0, or that still has the byte before the position, was not
    /// truncated.
    /// </summary>
    private bool IsCut(SluiceReader reader)
    {
        SluiceHandle handle = reader.SluiceHandle;
        long length = handle.Length;
        _hasLength |= length > 0;
        return _hasLength && length < reader.Position && handle.Read(_probe, reader.Position - 1) == 0;
    }

    /// <summary>Opens the first file with the name. Returns false if it does not exist. Other errors are thrown.</summary>
    private bool TryOpenFirst(bool fromStart)
    {
        try
        {
            _current = Open(fromStart, out _identity);
            return true;
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return false;
        }
    }

    /// <summary>
    /// Opens the file that has the name now. Returns null if it is the current file, is not a regular file, or cannot be opened. The
    /// identity is checked again on the open file, because the current file may have been renamed back.
    /// </summary>
    private SluiceReader? TryOpenNext()
    {
        try
        {
            SluiceReader? next =
                FileIdentity.Of(path) is { } named && named != _identity ? Open(fromStart: true, out _nextIdentity) : null;
            if (next is null || _nextIdentity != _identity)
            {
                return next;
            }

            next.Dispose();
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Returns the offset after the last byte of a file, even if the file reports the length 0 (FUSE, /proc).</summary>
    private static long EndOf(SluiceHandle handle)
    {
        long end = handle.Length;
        if (end == 0)
        {
            byte[] buffer = new byte[4096];
            for (int read; (read = handle.Read(buffer, end)) > 0; end += read)
            {
            }
        }

        return end;
    }

    private SluiceReader Open(bool fromStart, out FileIdentity? identity)
    {
        // PlainFile checks the type of the open file, because the name may refer to another file than the one that TryOpenNext found.
        SluiceHandle handle = Libc.IsSupported
            ? PlainFile.Open(NodePath.Of(path), path, PathCalls.ReadOnly)
            : SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        try
        {
            identity = FileIdentity.Of(handle);
            return new SluiceReader(
                handle, new SluiceReaderOptions { Offset = fromStart ? 0 : EndOf(handle), Progress = options.Progress });
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }
}
