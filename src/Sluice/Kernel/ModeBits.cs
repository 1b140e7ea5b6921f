namespace Sluice.Kernel;

/// <summary>Bits of a node's mode, as the kernel has them.</summary>
internal static class ModeBits
{
    /// <summary>Permissions, setuid, setgid and the sticky bit.</summary>
    public const uint All = 0xFFF;

    /// <summary>Of a folder: what is made in it is its group's, and so are the folders in it.</summary>
    public const uint SetGroup = 0x400;

    /// <summary>Read, write and execute of owner, group and others.</summary>
    public const uint Permissions = 0x1FF;

    public const uint OwnerAll = 0x1C0;
    public const uint OwnerReadWrite = 0x180;
    public const uint GroupAndOthers = 0x3F;

    /// <summary>What .NET asks for a new file, before the umask: read and write for all.</summary>
    public const uint NewFile = 0x1B6;
}
