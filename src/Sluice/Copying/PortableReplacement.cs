using Sluice.Diagnostics;

namespace Sluice.Copying;

/// <summary>A replacement with the methods of .NET.</summary>
internal sealed class PortableReplacement : AtomicReplacement
{
    private readonly string _target;
    private readonly string _temporary;
    private bool _isDone;

    private PortableReplacement(string target, string temporary, SluiceHandle handle)
    {
        (_target, _temporary) = (target, temporary);
        Handle = handle;
    }

    public override SluiceHandle Handle { get; }

    public static PortableReplacement BeginAt(string path, ReplaceOptions options)
    {
        // If the path is a link, its target is replaced.
        string target = new FileInfo(path).LinkTarget is null ? path : RealPath.Of(path);
        string temporary = PortableCopier.TemporaryFor(target);
        SluiceOptions open = new()
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = FileShare.None,
            UnixCreateMode = OperatingSystem.IsWindows() ? null : options.UnixCreateMode,
        };
        return new PortableReplacement(target, temporary, SluiceHandle.Open(temporary, open));
    }

    public override void Commit(CancellationToken cancellationToken)
    {
        Handle.FlushToDisk();
        Handle.Dispose();
        cancellationToken.ThrowIfCancellationRequested();
        if (File.Exists(_target))
        {
            // Keeps the attributes and the access control list of the old file.
            File.Replace(_temporary, _target, destinationBackupFileName: null);
        }
        else
        {
            File.Move(_temporary, _target, overwrite: false);
        }

        _isDone = true;
    }

    public override void Dispose()
    {
        Handle.Dispose();
        if (!_isDone)
        {
            File.Delete(_temporary);
        }
    }
}
