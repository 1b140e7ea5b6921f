using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>Hard links on systems that <see cref="NodeCalls"/> does not support: Windows, macOS and other architectures.</summary>
internal static partial class PortableLinks
{
    private const int FileNotFound = 2;
    private const int PathNotFound = 3;
    private const int AccessDenied = 5;
    private const int NameTooLong = 206;
    private const int Win32Facility = unchecked((int)0x8007_0000);

    /// <summary>link(2): 0, or a negative errno.</summary>
    public static int Create(string path, string target)
    {
        nint answer;
        while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("link", -1) ? -1 : link(target, path)))
        {
        }

        return SystemCall.Result(answer);
    }

    /// <summary>CreateHardLink of winbase.h. An error becomes the exception of .NET.</summary>
    [SupportedOSPlatform("windows")]
    public static void CreateOnWindows(string path, string target)
    {
        if (CreateHardLink(path, target, 0))
        {
            return;
        }

        int error = Marshal.GetLastPInvokeError();
        string message = $"Linking to '{target}' as '{path}' failed: {Marshal.GetPInvokeErrorMessage(error)}";
        throw error switch
        {
            FileNotFound => new FileNotFoundException(message, path),
            PathNotFound => new DirectoryNotFoundException(message),
            AccessDenied => new UnauthorizedAccessException(message),
            NameTooLong => new PathTooLongException(message),
            _ => new IOException(message, Win32Facility | error),
        };
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int link(string target, string path);

    [LibraryImport("kernel32", EntryPoint = "CreateHardLinkW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool CreateHardLink(string path, string target, nint security);
}
