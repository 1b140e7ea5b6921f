using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>A replacement in progress: a temporary file that either becomes the target as a whole or is removed.</summary>
internal abstract class AtomicReplacement : IDisposable
{
    /// <summary>Gets the handle of the temporary file, to which the new content is written.</summary>
    public abstract SluiceHandle Handle { get; }

    /// <summary>Checks the target and creates the temporary file.</summary>
    public static AtomicReplacement Begin(string path, ReplaceOptions options)
    {
        string target = Path.GetFullPath(path);
        return OperatingSystem.IsLinux() && Libc.IsSupported
            ? LinuxReplacement.BeginAt(target, options)
            : PortableReplacement.BeginAt(target, options);
    }

    /// <summary>Creates the temporary file, calls the method that writes the content, and commits the replacement.</summary>
    public static async Task RunAsync(
        string path, ReplaceOptions options, Func<SluiceHandle, CancellationToken, ValueTask> write, CancellationToken cancellationToken)
    {
        using AtomicReplacement replacement = Begin(path, options);
        await write(replacement.Handle, cancellationToken).ConfigureAwait(false);

        // All blocking calls run in one work item of the thread pool, instead of one for each.
        await Task.Run(() => replacement.Commit(cancellationToken), CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>
    /// Makes the content durable, renames the file to the target, and makes the rename durable. Blocks the calling thread.
    /// </summary>
    public abstract void Commit(CancellationToken cancellationToken);

    /// <summary>Removes the temporary file, unless it has become the target.</summary>
    public abstract void Dispose();
}
