using Sluice.Copying;

namespace Sluice.Interop;

/// <summary>The flush of a folder, for benchmarks that replace a file by hand: .NET has no call for it.</summary>
internal static class PathFlush
{
    public static void Flush(string folder)
    {
        if (OperatingSystem.IsLinux() && Libc.IsSupported)
        {
            FileCopier.FlushFolder(folder);
        }
    }
}
