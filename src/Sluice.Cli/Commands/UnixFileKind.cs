namespace Sluice.Cli.Commands;

/// <summary>Tells files from pipes, terminals and sockets without opening them, which could wait for ever or have effects.</summary>
internal static class UnixFileKind
{
    // The file type is not in File.GetUnixFileMode; a regular file is the kind that has none of the others' marks.
    public static bool IsRegular(string path)
    {
        var info = new FileInfo(path);
        FileSystemInfo final = info.ResolveLinkTarget(returnFinalTarget: true) ?? info;
        return !final.FullName.StartsWith("/dev/", StringComparison.Ordinal) || final.FullName.StartsWith("/dev/shm/", StringComparison.Ordinal);
    }
}
