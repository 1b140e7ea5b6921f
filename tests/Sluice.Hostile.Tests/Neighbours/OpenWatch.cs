using System.Runtime.InteropServices;

namespace Sluice.Hostile.Tests.Neighbours;

/// <summary>Hears whatever is opened, read, written, changed, made or removed in some folders (inotify).</summary>
internal sealed unsafe partial class OpenWatch : IDisposable
{
    private const int NonBlockingCloseOnExec = 0x80800;
    private const uint Everything = 0xFFF;

    private readonly int _descriptor;

    public OpenWatch(params string[] folders)
    {
        _descriptor = inotify_init1(NonBlockingCloseOnExec);
        foreach (string folder in folders)
        {
            inotify_add_watch(_descriptor, folder, Everything).ShouldBeGreaterThan(0, folder);
        }
    }

    /// <summary>What has happened since this was asked last: masks and names.</summary>
    public List<string> Take()
    {
        List<string> events = [];
        byte* buffer = stackalloc byte[8192];
        for (nint length; (length = read(_descriptor, buffer, 8192)) > 0;)
        {
            for (nint at = 0; at < length;)
            {
                uint mask = *(uint*)(buffer + at + 4);
                uint nameLength = *(uint*)(buffer + at + 12);
                string name = Marshal.PtrToStringUTF8((nint)(buffer + at + 16)) ?? "";
                events.Add($"{mask:X} {(nameLength == 0 ? "(the folder itself)" : name)}");
                at += 16 + (nint)nameLength;
            }
        }

        return events;
    }

    public void Dispose() => _ = close(_descriptor);

    [LibraryImport("libc")]
    private static partial int inotify_init1(int flags);

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int inotify_add_watch(int descriptor, string path, uint mask);

    [LibraryImport("libc")]
    private static partial nint read(int descriptor, byte* buffer, nint length);

    [LibraryImport("libc")]
    private static partial int close(int descriptor);
}
