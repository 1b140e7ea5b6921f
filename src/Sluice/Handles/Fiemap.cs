using System.Runtime.InteropServices;
using Sluice.Kernel;

namespace Sluice.Handles;

/// <summary>FS_IOC_FIEMAP: a file's extents, as Documentation/filesystems/fiemap.rst of the kernel describes them.</summary>
internal static unsafe class Fiemap
{
    private const nuint FsIocFiemap = 0xC020660B;
    private const int ExtentsPerCall = 256;

    /// <summary>Adds all extents in the order of their offsets. Returns 0 or a negative errno.</summary>
    public static int Read(int fd, List<FileExtent> extents)
    {
        nuint bytes = (nuint)(sizeof(Header) + ExtentsPerCall * sizeof(Extent));
        Header* map = (Header*)NativeMemory.Alloc(bytes);
        try
        {
            ulong start = 0;
            while (true)
            {
                NativeMemory.Clear(map, bytes);
                map->Start = start;
                map->Length = ulong.MaxValue - start;
                map->ExtentCount = ExtentsPerCall;
                int result = Libc.Ioctl(fd, FsIocFiemap, map);
                if (result < 0)
                {
                    return result;
                }

                Extent* extent = (Extent*)(map + 1);
                for (uint i = 0; i < map->MappedExtents; i++, extent++)
                {
                    FileExtentFlags flags = (FileExtentFlags)extent->Flags;
                    extents.Add(new FileExtent((long)extent->Logical, (long)extent->Physical, (long)extent->Length, flags));
                    start = extent->Logical + extent->Length;
                    if ((flags & FileExtentFlags.Last) != FileExtentFlags.None)
                    {
                        return 0;
                    }
                }

                if (map->MappedExtents == 0)
                {
                    return 0;
                }
            }
        }
        finally
        {
            NativeMemory.Free(map);
        }
    }

    /// <summary>struct fiemap (32 bytes before the extents).</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Header
    {
        public ulong Start;
        public ulong Length;
        public uint Flags;
        public uint MappedExtents;
        public uint ExtentCount;
        public uint Reserved;
    }

    /// <summary>struct fiemap_extent (56 bytes).</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Extent
    {
        public ulong Logical;
        public ulong Physical;
        public ulong Length;
        public ulong Reserved0;
        public ulong Reserved1;
        public uint Flags;
        public uint Reserved2;
        public uint Reserved3;
        public uint Reserved4;
    }
}
