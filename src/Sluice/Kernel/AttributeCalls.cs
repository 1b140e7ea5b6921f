using System.Runtime.InteropServices;
using System.Text;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>
/// Extended attributes of open files, directories and other nodes, on 64-bit Linux. Descriptors may be opened with O_PATH. Names end with a
/// NUL. Each call returns a non-negative result or a negative errno, does not throw, and retries after EINTR.
/// </summary>
internal static unsafe partial class AttributeCalls
{
    /// <summary>Returns the value of an attribute, or null and a negative errno.</summary>
    public static byte[]? Get(int fd, ReadOnlySpan<byte> name, out int errno)
    {
        byte[] value = new byte[256];
        fixed (byte* n = name)
        {
            while (true)
            {
                nint length;
                fixed (byte* v = value)
                {
                    while (WasInterrupted(
                        SystemCallFaults.Fails("fgetxattr", fd) ? -1 : fgetxattr(fd, n, v, (nuint)value.Length), out length))
                    {
                    }

                    if (length == -Errno.EBADF)
                    {
                        fixed (byte* p = PathOf(fd))
                        {
                            while (WasInterrupted(
                                SystemCallFaults.Fails("getxattr", fd) ? -1 : getxattr(p, n, v, (nuint)value.Length), out length))
                            {
                            }
                        }
                    }
                }

                if (length != -Errno.ERANGE || value.Length > ushort.MaxValue)
                {
                    errno = (int)Math.Min(length, 0);
                    return length < 0 ? null : value[..(int)length];
                }

                value = new byte[ushort.MaxValue + 1];
            }
        }
    }

    public static int Set(int fd, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        fixed (byte* n = name)
        fixed (byte* v = value)
        {
            nint result;
            while (WasInterrupted(SystemCallFaults.Fails("fsetxattr", fd) ? -1 : fsetxattr(fd, n, v, (nuint)value.Length, 0), out result))
            {
            }

            if (result == -Errno.EBADF)
            {
                fixed (byte* p = PathOf(fd))
                {
                    while (WasInterrupted(
                        SystemCallFaults.Fails("setxattr", fd) ? -1 : setxattr(p, n, v, (nuint)value.Length, 0), out result))
                    {
                    }
                }
            }

            return (int)result;
        }
    }

    public static int Remove(int fd, ReadOnlySpan<byte> name)
    {
        fixed (byte* n = name)
        {
            nint result;
            while (WasInterrupted(SystemCallFaults.Fails("fremovexattr", fd) ? -1 : fremovexattr(fd, n), out result))
            {
            }

            if (result == -Errno.EBADF)
            {
                fixed (byte* p = PathOf(fd))
                {
                    while (WasInterrupted(SystemCallFaults.Fails("removexattr", fd) ? -1 : removexattr(p, n), out result))
                    {
                    }
                }
            }

            return (int)result;
        }
    }

    /// <summary>Returns the names of all attributes, each with its NUL, or an empty list and a negative errno.</summary>
    public static List<byte[]> List(int fd, out int errno)
    {
        // The list may grow between the call that returns its length and the second call. A buffer of the kernel's maximum length is then
        // used.
        nint length = List(fd, []);
        byte[] names = new byte[Math.Max(length, 0)];
        length = length > 0 ? List(fd, names) : length;
        if (length == -Errno.ERANGE)
        {
            names = new byte[ushort.MaxValue + 1];
            length = List(fd, names);
        }

        errno = (int)Math.Min(length, 0);
        List<byte[]> found = [];
        for (ReadOnlySpan<byte> rest = names.AsSpan(0, (int)Math.Max(length, 0)); rest.Length > 0;)
        {
            // A missing NUL at the end is an error of a server. The incomplete name is ignored.
            int end = rest.IndexOf((byte)0) + 1;
            if (end == 0)
            {
                break;
            }

            found.Add(rest[..end].ToArray());
            rest = rest[end..];
        }

        return found;
    }

    private static nint List(int fd, Span<byte> names)
    {
        fixed (byte* n = names)
        {
            nint length;
            while (WasInterrupted(SystemCallFaults.Fails("flistxattr", fd) ? -1 : flistxattr(fd, n, (nuint)names.Length), out length))
            {
            }

            if (length == -Errno.EBADF)
            {
                fixed (byte* p = PathOf(fd))
                {
                    while (WasInterrupted(SystemCallFaults.Fails("listxattr", fd) ? -1 : listxattr(p, n, (nuint)names.Length), out length))
                    {
                    }
                }
            }

            return length;
        }
    }

    /// <summary>Returns a path that refers to the open node, for calls that do not support descriptors opened with O_PATH.</summary>
    private static byte[] PathOf(int fd) => Encoding.ASCII.GetBytes($"/proc/self/fd/{fd}\0");

    /// <summary>Returns true if the call must be repeated; otherwise, sets the result or a negative errno.</summary>
    private static bool WasInterrupted(nint answer, out nint result) => (result = (nint)SystemCall.Result((long)answer)) == -Errno.EINTR;

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint fgetxattr(int fd, byte* name, byte* value, nuint length);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint getxattr(byte* path, byte* name, byte* value, nuint length);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fsetxattr(int fd, byte* name, byte* value, nuint length, int flags);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int setxattr(byte* path, byte* name, byte* value, nuint length, int flags);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fremovexattr(int fd, byte* name);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int removexattr(byte* path, byte* name);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint flistxattr(int fd, byte* names, nuint length);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint listxattr(byte* path, byte* names, nuint length);
}
