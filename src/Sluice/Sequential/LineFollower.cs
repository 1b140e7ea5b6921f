using System.Runtime.CompilerServices;
using Sluice.Handles;
using Sluice.Kernel;

namespace Sluice.Sequential;

/// <summary>
/// The lines that are written to whatever file has a name, as <c>tail -F</c> tells them. A file that has lost its name is read on until
/// another one that has it could be opened, and one interval longer: whoever writes may not have turned to the new one yet.
/// </summary>
internal sealed class LineFollower(string path, SluiceFollowOptions options) : IDisposable
{
    private SluiceReader? _current;
    private SluiceReader? _next;
    private FileIdentity? _identity;
    private FileIdentity? _nextIdentity;

    /// <summary>The current file has reported a length other than 0.</summary>
    private bool _hasLength;
    private readonly byte[] _probe = new byte[1];

    /// <summary>A wait that has ended when it begins would let nobody else have the thread.</summary>
    private readonly TimeSpan _interval = TimeSpan.FromMilliseconds(Math.Clamp(options.PollInterval.TotalMilliseconds, 1, int.MaxValue));

    public async IAsyncEnumerable<ReadOnlyMemory<byte>> RunAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // What comes into being later is new from its first byte.
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
                // Not at once: a file that reports wrong lengths may seem cut again and again.
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
    /// Whether the file has lost what was read. Its length is not the only witness: files of /proc report 0, and network file systems an
    /// old length. A file that has always reported 0, or still has the byte in front of the position, was not cut.
    /// </summary>
    private bool IsCut(SluiceReader reader)
    {
        SluiceHandle handle = reader.SluiceHandle;
        long length = handle.Length;
        _hasLength |= length > 0;
        return _hasLength && length < reader.Position && handle.Read(_probe, reader.Position - 1) == 0;
    }

    /// <summary>False while there is no such file; other errors are the caller's.</summary>
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
    /// The file that has the name now, unless that is the current one, no file, or one that cannot be opened at the moment. What was opened
    /// is looked at once more: the current one may have got its name back meanwhile.
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

    private SluiceReader Open(bool fromStart, out FileIdentity? identity)
    {
        // Others may have put something else under the name since it was looked at.
        SluiceHandle handle = Libc.IsSupported
            ? PlainFile.Open(NodePath.Of(path), path, PathCalls.ReadOnly)
            : SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        try
        {
            identity = FileIdentity.Of(handle);
            return new SluiceReader(
                handle, new SluiceReaderOptions { Offset = fromStart ? 0 : handle.Length, Progress = options.Progress });
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }
}
