using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Kernel;

/// <summary>
/// The volume serial number and the file ID on Windows. The creation time cannot identify a file: a file that gets the name of a file
/// deleted within 15 seconds inherits its creation time (file system tunneling).
/// </summary>
[SupportedOSPlatform("windows")]
internal static partial class WindowsFileId
{
    private const uint ShareAll = 7;
    private const uint OpenExisting = 3;
    private const uint BackupSemantics = 0x0200_0000;

    /// <summary>Returns false if the file does not exist or the file system has no file IDs.</summary>
    public static bool TryGet(string path, out ulong volume, out ulong number)
    {
        // Access 0 is for attributes only, and does not conflict with the share mode of other openers.
        using SafeFileHandle file = CreateFile(path, 0, ShareAll, 0, OpenExisting, BackupSemantics, 0);
        if (file.IsInvalid)
        {
            volume = number = 0;
            return false;
        }

        return TryGet(file, out volume, out number);
    }

    /// <inheritdoc cref="TryGet(string, out ulong, out ulong)"/>
    public static bool TryGet(SafeFileHandle file, out ulong volume, out ulong number)
    {
        bool known = GetFileInformationByHandle(file, out ByHandleFileInformation information);
        volume = information.VolumeSerialNumber;
        number = ((ulong)information.FileIndexHigh << 32) | information.FileIndexLow;
        return known;
    }

    [LibraryImport("kernel32", EntryPoint = "CreateFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial SafeFileHandle CreateFile(
        string path, uint access, uint share, nint security, uint creation, uint flags, nint template);

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetFileInformationByHandle(SafeFileHandle file, out ByHandleFileInformation information);

    /// <summary>BY_HANDLE_FILE_INFORMATION of fileapi.h. Times are FILETIMEs in two halves.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct ByHandleFileInformation
    {
        public uint Attributes;
        public uint CreationTimeLow;
        public uint CreationTimeHigh;
        public uint AccessTimeLow;
        public uint AccessTimeHigh;
        public uint WriteTimeLow;
        public uint WriteTimeHigh;
        public uint VolumeSerialNumber;
        public uint SizeHigh;
        public uint SizeLow;
        public uint Links;
        public uint FileIndexHigh;
        public uint FileIndexLow;
    }
}
