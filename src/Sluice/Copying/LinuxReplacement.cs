using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>A durable replacement: temporary file, metadata, flush of the data, rename, flush of the directory.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LinuxReplacement : AtomicReplacement
{
    private const string Verb = "Replacing";

    private readonly TargetLocation _target;
    private readonly TemporaryFile _temporary;

    private LinuxReplacement(TargetLocation target, TemporaryFile temporary)
    {
        (_target, _temporary) = (target, temporary);
        Handle = SluiceHandle.FromSafeFileHandle(temporary.SafeFileHandle, target.Path.Text, FileAccess.ReadWrite, ownsHandle: false);
        Handle.HasOwnOffsets = true;
    }

    public override SluiceHandle Handle { get; }

    public static LinuxReplacement BeginAt(string path, ReplaceOptions options)
    {
        TargetLocation target = TargetLocation.Resolve(path, Verb);
        try
        {
            if (target.Existing is { } old)
            {
                target.ThrowIfPlanted(old.Stat, Verb);
                OldFile.ThrowIfReadOnly(target.Path, Verb);
            }

            uint mode = target.Existing is null ? (uint?)options.UnixCreateMode ?? ModeBits.NewFile : ModeBits.OwnerReadWrite;
            return new LinuxReplacement(target, TemporaryFile.Create(target.Path, mode));
        }
        catch
        {
            target.Dispose();
            throw;
        }
    }

    public override void Commit(CancellationToken cancellationToken)
    {
        if (_target.Existing is { } old)
        {
            PathErrors.ThrowIfFailed(Libc.Stat(old.Descriptor, StatxMask.BasicStats, out Statx kept), Verb, _target.Path.Text);
            PathErrors.ThrowIfFailed(
                Libc.Stat(_temporary.Descriptor, StatxMask.BasicStats, out Statx made), Verb, _target.Path.Text);
            uint mode = kept.Mode & ModeBits.All;
            NodeMetadata.Inherit(old.Descriptor, kept, _temporary.Descriptor, made, mode, mustHaveOwner: true, _target.Path.Text);
        }

        _temporary.GiveName();
        PathErrors.ThrowIfFailed(Libc.FlushData(_temporary.Descriptor), "Writing to the disk", _target.Path.Text);

        // Closing a duplicate before the rename reports errors that a network file system has delayed.
        WrittenFile.ThrowIfFailed(PathCalls.CloseDuplicate(_temporary.Descriptor), _target.Path.Text);
        cancellationToken.ThrowIfCancellationRequested();
        _temporary.ReplaceTarget();
        _target.Flush(_temporary.Descriptor);
    }

    public override void Dispose()
    {
        Handle.Dispose();
        _temporary.Dispose();
        _target.Dispose();
    }
}
