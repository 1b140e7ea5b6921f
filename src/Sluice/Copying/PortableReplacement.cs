using Sluice.Diagnostics;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>A replacement with the methods of .NET.</summary>
internal sealed class PortableReplacement : AtomicReplacement
{
    private readonly string _target;
    private readonly string _temporary;
    private bool _isDone;
    private bool _isOnlyFile;

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
        if (Directory.Exists(target))
        {
            throw new UnauthorizedAccessException($"Replacing '{target}' failed: it is a folder.");
        }

        string temporary = PortableCopier.TemporaryFor(target);
        SluiceOptions open = new()
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = FileShare.None,
            UnixCreateMode = OperatingSystem.IsWindows() ? null
                : File.Exists(target) ? (UnixFileMode)ModeBits.OwnerReadWrite
                : options.UnixCreateMode,
        };
        return new PortableReplacement(target, temporary, SluiceHandle.Open(temporary, open));
    }

    public override void Commit(CancellationToken cancellationToken)
    {
        bool replaces = File.Exists(_target);
        if (replaces && !OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(Handle.SafeFileHandle, File.GetUnixFileMode(_target) & (UnixFileMode)ModeBits.Permissions);
        }

        Handle.FlushToDisk();
        Handle.Dispose();
        cancellationToken.ThrowIfCancellationRequested();
        if (replaces)
        {
            Replace();
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
        if (!_isDone && (!_isOnlyFile || File.Exists(_target)))
        {
            File.Delete(_temporary);
        }
    }

    private void Replace()
    {
        try
        {
            // On Windows, keeps the attributes and the access control list of the old file.
            File.Replace(_temporary, _target, destinationBackupFileName: null);
        }
        catch (IOException) when (!File.Exists(_target))
        {
            // ReplaceFile of Windows may fail after it has removed the old file (ERROR_UNABLE_TO_MOVE_REPLACEMENT).
            _isOnlyFile = true;
            File.Move(_temporary, _target, overwrite: false);
        }
    }
}
