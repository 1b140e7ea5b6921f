using Sluice.Kernel;

namespace Sluice.Files;

/// <summary>The state of one file that is read as part of a batch.</summary>
internal struct SmallFile
{
    /// <summary>The flags for opening a file for reading. O_NONBLOCK opens a FIFO without waiting for a writer.</summary>
    public const int OpenFlags = PathCalls.ReadOnly | PathCalls.NonBlocking | PathCalls.CloseOnExec;

    public string Path;

    /// <summary>The full path for the kernel, with a terminating NUL, or null.</summary>
    public byte[]? KernelPath;

    /// <summary>The descriptor, or a negative value if the file is not open.</summary>
    public int Fd;

    public byte[]? Content;

    /// <summary>The result of the read: the number of bytes, or a negative errno.</summary>
    public int Result;

    public SmallFileState State;

    public Exception? Error;

    /// <summary>Returns the exception for a file that is not a regular file. Its other end may never answer.</summary>
    public static IOException Refuse(string verb, string path) => new($"{verb} '{path}' failed: it is a FIFO, a socket or a device, and a batch does not wait for its other end.");

    /// <summary>Returns the full path as .NET resolves it, or null if the path is invalid; .NET then throws the exception.</summary>
    public static byte[]? ToKernelPath(string path)
    {
        if (string.IsNullOrEmpty(path) || path.Contains('\0'))
        {
            return null;
        }

        try
        {
            return PathCalls.ToKernel(System.IO.Path.GetFullPath(path));
        }
        catch (IOException)
        {
            // The current directory has been removed.
            return null;
        }
    }
}
