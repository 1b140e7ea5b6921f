using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>
/// Tests the features of a file system for the space of files: reflinks, copies in the kernel, preallocation, holes, extents.
/// </summary>
internal static class SpaceFindings
{
    public static IEnumerable<Finding> Collect(SluiceHandle file, string folder)
    {
        string target = Path.Combine(folder, "doctor-copy.dat");
        yield return Clone(file, target);
        yield return CopyRange(file, target);
        yield return Preallocation(file);
        yield return Finding.Tried(
            "punching holes", CapabilityProbe.PunchHole(file.SafeFileHandle, 0, file.Length / 2), "fallocate PUNCH_HOLE tried",
            "PunchHole gives space back; copies keep holes", "PunchHole throws PlatformNotSupportedException");
        yield return Locks(Path.Combine(folder, "doctor-lock.dat"));
    }

    public static Finding Extents(SluiceHandle file)
    {
        try
        {
            return Finding.Yes("extents (FIEMAP)", $"{file.GetExtents().Count} listed",
                "GetExtents and sluice extents show where files lie");
        }
        catch (Exception e) when (e is PlatformNotSupportedException or IOException or UnauthorizedAccessException)
        {
            string reason = e is PlatformNotSupportedException ? "the file system does not list extents" : ErrorText.Of(e);
            return Finding.No("extents (FIEMAP)", reason, "GetExtents throws PlatformNotSupportedException");
        }
    }

    public static Finding FreeSpace(string folder)
    {
        try
        {
            VolumeSpace space = VolumeSpace.Of(folder);
            return Finding.Fact("free space",
                $"{ByteSize.Format(space.AvailableBytes)} of {ByteSize.Format(space.TotalBytes)} for this user",
                "a preallocation larger than this fails at once");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return Finding.Unknown("free space", ErrorText.Of(e));
        }
    }

    private static Finding Clone(SluiceHandle file, string target)
    {
        using SluiceHandle copy = SluiceHandle.Open(target, FileMode.Create, FileAccess.Write);
        return Finding.Tried(
            "reflink (FICLONE)", CapabilityProbe.Clone(file.SafeFileHandle, copy.SafeFileHandle), "a file was cloned",
            "copies share blocks and take no time", "copies move bytes");
    }

    private static Finding CopyRange(SluiceHandle file, string target)
    {
        using SluiceHandle copy = SluiceHandle.Open(target, FileMode.Create, FileAccess.Write);
        return Finding.Tried(
            "copy_file_range", CapabilityProbe.CopyRange(file.SafeFileHandle, copy.SafeFileHandle, file.Length),
            "a file was copied within the kernel", "copies of files larger than 256 KiB stay in the kernel if no blocks can be shared",
            "copies read and write");
    }

    private static Finding Preallocation(SluiceHandle file) => Finding.Tried(
        "preallocation (fallocate)", CapabilityProbe.Allocate(file.SafeFileHandle, file.Length, file.Length),
        $"{ByteSize.Format(file.Length / 2)} tried",
        "PreallocationSize and Allocate reserve", "Allocate throws; PreallocationSize has no effect");

    private static Finding Locks(string path)
    {
        using FileStream first = new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None);
        try
        {
            using SluiceHandle second = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.Read);
            return Finding.No("advisory locks (flock)", "a second handle opened a file of FileShare.None",
                "FileShare has no effect here");
        }
        catch (IOException)
        {
            return Finding.Yes("advisory locks (flock)", "a second handle was refused",
                "FileShare holds among programs that take such locks, as .NET and Sluice do");
        }
    }
}
