using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>A replacement between its beginning and its end: a temporary file that becomes the target as a whole, or goes.</summary>
internal abstract class AtomicReplacement : IDisposable
{
    /// <summary>The temporary file, for the new content.</summary>
    public abstract SluiceHandle Handle { get; }

    /// <summary>Makes the temporary file, after looking at what it is to replace.</summary>
    public static AtomicReplacement Begin(string path, ReplaceOptions options)
    {
        string target = Path.GetFullPath(path);
        return OperatingSystem.IsLinux() && Libc.IsSupported
            ? LinuxReplacement.BeginAt(target, options)
            : PortableReplacement.BeginAt(target, options);
    }

    /// <summary>Begins, has the content written, and ends.</summary>
    public static async Task RunAsync(
        string path, ReplaceOptions options, Func<SluiceHandle, CancellationToken, ValueTask> write, CancellationToken cancellationToken)
    {
        using AtomicReplacement replacement = Begin(path, options);
        await write(replacement.Handle, cancellationToken).ConfigureAwait(false);

        // One hop for all that waits for the disk, instead of one for each.
        await Task.Run(() => replacement.Commit(cancellationToken), CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>Makes the content durable, gives it the target's name, and makes that durable. Blocks its thread.</summary>
    public abstract void Commit(CancellationToken cancellationToken);

    /// <summary>Removes the temporary file, unless it has become the target.</summary>
    public abstract void Dispose();
}
