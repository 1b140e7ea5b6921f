namespace Sluice.Kernel;

/// <summary>Bits of the mode of a node.</summary>
internal static class ModeBits
{
    /// <summary>Permissions, set-user-ID, set-group-ID and the sticky bit.</summary>
    public const uint All = 0xFFF;

    /// <summary>
    /// The set-group-ID bit. New entries of a directory with it get the group of the directory, and new directories also the bit.
    /// </summary>
    public const uint SetGroup = 0x400;

    /// <summary>The permissions of owner, group and others.</summary>
    public const uint Permissions = 0x1FF;

    public const uint OwnerAll = 0x1C0;
    public const uint OwnerReadWrite = 0x180;

    /// <summary>The mode of new files in .NET before the umask is applied: read and write permission for everyone.</summary>
    public const uint NewFile = 0x1B6;
}
