using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>What a file system can do about the space of files: share, copy, reserve, give back, tell.</summary>
internal static class SpaceFindings
{
    public static IEnumerable<Finding> Collect(SluiceHandle file, string folder)
    {
        string target = Path.Combine(folder, "doctor-copy.dat");
        yield return Clone(file, target);
        yield return CopyRange(file, target);
        yield return Preallocation(file);
        int punched = CapabilityProbe.PunchHole(file.SafeFileHandle, 0, file.Length / 2);
        yield return punched == 0
            ? new Finding("punching holes", FindingState.Yes, "fallocate PUNCH_HOLE tried", "PunchHole gives space back; copies keep holes")
            : new Finding("punching holes", FindingState.No, ErrnoText.Of(punched), "PunchHole throws PlatformNotSupportedException");
        yield return Locks(Path.Combine(folder, "doctor-lock.dat"));
    }

    public static Finding Extents(SluiceHandle file)
    {
        try
        {
            return new Finding("extents (FIEMAP)", FindingState.Yes, $"{file.GetExtents().Count} listed",
                "GetExtents and sluice extents show where files lie");
        }
        catch (Exception e) when (e is PlatformNotSupportedException or IOException or UnauthorizedAccessException)
        {
            return new Finding("extents (FIEMAP)", FindingState.No, e.Message, "GetExtents throws PlatformNotSupportedException");
        }
    }

    public static Finding FreeSpace(string folder)
    {
        try
        {
            VolumeSpace space = VolumeSpace.Of(folder);
            return new Finding("free space", FindingState.Fact,
                $"{ByteSize.Format(space.AvailableBytes)} of {ByteSize.Format(space.TotalBytes)} for this user",
                "a preallocation larger than this fails at once");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return new Finding("free space", FindingState.Unknown, ErrorText.Of(e), "");
        }
    }

    private static Finding Clone(SluiceHandle file, string target)
    {
        using SluiceHandle copy = SluiceHandle.Open(target, FileMode.Create, FileAccess.Write);
        int errno = CapabilityProbe.Clone(file.SafeFileHandle, copy.SafeFileHandle);
        return errno == 0
            ? new Finding("reflink (FICLONE)", FindingState.Yes, "a file was cloned", "copies share blocks and take no time")
            : new Finding("reflink (FICLONE)", FindingState.No, ErrnoText.Of(errno), "copies move bytes");
    }

    private static Finding CopyRange(SluiceHandle file, string target)
    {
        using SluiceHandle copy = SluiceHandle.Open(target, FileMode.Create, FileAccess.Write);
        int errno = CapabilityProbe.CopyRange(file.SafeFileHandle, copy.SafeFileHandle, file.Length);
        return errno == 0
            ? new Finding("copy_file_range", FindingState.Yes, "a file was copied within the kernel",
                "small copies, and those of cached files, stay in the kernel")
            : new Finding("copy_file_range", FindingState.No, ErrnoText.Of(errno), "copies read and write");
    }

    private static Finding Preallocation(SluiceHandle file)
    {
        int errno = CapabilityProbe.Allocate(file.SafeFileHandle, file.Length, file.Length);
        if (errno != 0)
            return new Finding("preallocation (fallocate)", FindingState.No, ErrnoText.Of(errno),
                "Allocate throws; PreallocationSize has no effect");
        return new Finding("preallocation (fallocate)", FindingState.Yes, $"{ByteSize.Format(file.Length / 2)} tried",
            CapabilityProbe.IsExt(file.SafeFileHandle)
                ? "PreallocationSize and Allocate reserve; on ext, streams also reserve just before each large piece"
                : "PreallocationSize and Allocate reserve");
    }

    private static Finding Locks(string path)
    {
        using FileStream first = new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None);
        try
        {
            using SluiceHandle second = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.Read);
            return new Finding("advisory locks (flock)", FindingState.No, "a second handle opened a file of FileShare.None",
                "FileShare has no effect here");
        }
        catch (IOException)
        {
            return new Finding("advisory locks (flock)", FindingState.Yes, "a second handle was refused",
                "FileShare holds among programs that take such locks, as .NET and Sluice do");
        }
    }
}
