using Sluice.Kernel;

namespace Sluice.Files;

/// <summary>One file of a batch that is read: what is known of it so far.</summary>
internal struct SmallFile
{
    /// <summary>How files are opened to be read: a FIFO without waiting for who writes it.</summary>
    public const int OpenFlags = PathCalls.ReadOnly | PathCalls.NonBlocking | PathCalls.CloseOnExec;

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

    /// <summary>A batch waits for nobody, and who is at the other end of a FIFO may never come.</summary>
    public static IOException RefuseFifo(string verb, string path) =>
        new($"{verb} '{path}' failed: it is a FIFO or a socket, and a batch does not wait for its other end.");

    /// <summary>The full path, where .NET would find one; what is none is left to .NET, for its exception.</summary>
    public static byte[]? ToKernelPath(string path)
    {
        if (string.IsNullOrEmpty(path) || path.Contains('\0', StringComparison.Ordinal))
        {
            return null;
        }

        try
        {
            return PathCalls.ToKernel(System.IO.Path.GetFullPath(path));
        }
        catch (IOException)
        {
            // The current folder is gone.
            return null;
        }
    }
}
