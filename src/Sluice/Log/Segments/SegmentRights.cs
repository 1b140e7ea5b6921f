using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Uring.Abi;

namespace Sluice.Log.Segments;

/// <summary>
/// Whose a new segment is and who may read it, where the options do not say so: as the newest one that is there. So whoever goes on with a
/// log as another user, or with another umask, lets nobody read what comes, and keeps nobody from it.
/// </summary>
internal static class SegmentRights
{
    /// <summary>The newest segment, or log.state where there is none, open; null where neither can be opened.</summary>
    public static SluiceHandle? OpenModel(LogFolder folder)
    {
        IEnumerable<SegmentEntry> segments = folder.ListEntries().Where(static s => !s.IsForeign);
        IEnumerable<string> paths = segments.Reverse().SelectMany(static s => (string[])[s.Path, s.CompressedPath]);
        return paths.Append(Path.Combine(folder.Path, LogFolder.StateName)).Select(path => TryOpen(folder, path)).FirstOrDefault(
            static file => file is not null);
    }

    /// <summary>The permissions to make a file with, before it has the model's owner: nobody is to open it meanwhile.</summary>
    public static UnixFileMode? ModeOf(SluiceHandle? model) => model is null || OperatingSystem.IsWindows()
        ? null
        : File.GetUnixFileMode(model.SafeFileHandle) & (UnixFileMode)ModeBits.Permissions;

    /// <summary>
    /// Owner, access list and permissions of the model, on Linux. Where this user may not give the owner the file stays its maker's, and
    /// has no permissions that the umask keeps back: the model may be anybody's.
    /// </summary>
    public static void TakeOver(SluiceHandle model, SluiceHandle made)
    {
        if (!Libc.IsSupported || !OperatingSystem.IsLinux())
        {
            return;
        }

        using OpenFile.Reference from = model.Hold();
        using OpenFile.Reference to = made.Hold();
        PathErrors.ThrowIfFailed(Libc.Stat(model.Descriptor, StatxMask.BasicStats, out Statx its), "Looking at", model.Path);
        PathErrors.ThrowIfFailed(Libc.Stat(made.Descriptor, StatxMask.BasicStats, out Statx own), "Looking at", made.Path);
        if ((its.Uid, its.Gid, its.Mode) == (own.Uid, own.Gid, own.Mode)
            && NodeMetadata.ListOf(model.Descriptor).AsSpan().SequenceEqual(NodeMetadata.ListOf(made.Descriptor)))
        {
            return;
        }

        if (its.Uid != own.Uid && NodeCalls.SetOwner(made.Descriptor, its.Uid, its.Gid) < 0)
        {
            its.Mode &= own.Mode;
        }

        NodeMetadata.Preserve(model.Descriptor, its, made.Descriptor, made.Path, isSameContent: false);
    }

    private static SluiceHandle? TryOpen(LogFolder folder, string path)
    {
        try
        {
            return folder.Open(path, FileMode.Open, FileAccess.Read);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Removed or compressed meanwhile, or not the log's.
            return null;
        }
    }
}
