using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Errors;

/// <summary>Creates the exceptions of operations on paths: the type that .NET throws, with operation, path and reason.</summary>
internal static class PathErrors
{
    /// <param name="result">A negative errno.</param>
    /// <param name="verb">The operation, as the first word of the message.</param>
    /// <param name="path">The path of the file.</param>
    public static Exception Create(int result, string verb, string path)
    {
        int errno = -result;
        string message = $"{verb} '{path}' failed: {Reason(errno)}";
        return errno switch
        {
            Errno.ENOENT when !HasParent(path) => new DirectoryNotFoundException(message),
            Errno.ENOENT => new FileNotFoundException(message, path),
            Errno.ENOTDIR => new DirectoryNotFoundException(message),
            Errno.EACCES or Errno.EPERM or Errno.EBADF => new UnauthorizedAccessException(message),
            Errno.ENAMETOOLONG => new PathTooLongException(message),
            _ => new IOException(message, errno),
        };
    }

    public static void ThrowIfFailed(int result, string verb, string path)
    {
        if (result < 0)
        {
            throw Create(result, verb, path);
        }
    }

    /// <summary>Creates the exception of .NET for a file that another program has opened without sharing it.</summary>
    public static IOException InUse(string path) =>
        new($"The process cannot access the file '{path}' because it is being used by another process.", Errno.EAGAIN);

    private static bool HasParent(string path) => Path.GetDirectoryName(path) is not { Length: > 0 } parent || Directory.Exists(parent);

    /// <summary>Returns the description of an error number, followed by the number.</summary>
    public static string Reason(int errno)
    {
        string words = errno switch
        {
            Errno.ENOSPC => "the disk is full",
            Errno.EDQUOT => "the quota is used up",
            Errno.EROFS => "the file system is read-only",
            Errno.EISDIR => "it is a folder",
            Errno.ENOTDIR => "a part of the path is not a folder",
            Errno.ELOOP => "too many symbolic links, or a link where none is allowed",
            Errno.EXDEV => "it is on another file system",
            Errno.ENOTEMPTY => "the folder is not empty",
            Errno.ETXTBSY => "it is a program that is running",
            _ => Marshal.GetPInvokeErrorMessage(errno),
        };
        return $"{words} (errno {errno})";
    }
}
