using Sluice.Interop;

namespace Sluice.Files;

/// <summary>One file of a batch that is read: what is known of it so far.</summary>
internal struct SmallFile
{
    public string Path;

    /// <summary>The full path for the kernel, ended by a NUL; null where there is none.</summary>
    public byte[]? KernelPath;

    /// <summary>The descriptor, or -1.</summary>
    public int Fd;

    public byte[]? Content;

    /// <summary>Bytes read, or a negative errno, of the last system call.</summary>
    public int Result;

    public SmallFileState State;

    public Exception? Error;

    /// <summary>The full path, where .NET would find one; what is none is left to .NET, for its exception.</summary>
    public static byte[]? ToKernelPath(string path)
    {
        if (string.IsNullOrEmpty(path) || path.Contains('\0', StringComparison.Ordinal))
        {
            return null;
        }

        return PathCalls.ToKernel(System.IO.Path.GetFullPath(path));
    }
}
