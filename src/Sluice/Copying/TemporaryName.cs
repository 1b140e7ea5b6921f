using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Text;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Names of temporary files beside their target: <c>.name.(16 digits).sluice-tmp</c>.</summary>
internal static class TemporaryName
{
    private const int MaxNameBytes = 255;
    private const int RandomBytes = 8;

    private static ReadOnlySpan<byte> SuffixBytes => ".sluice-tmp"u8;

    /// <summary>Returns an unpredictable name.</summary>
    public static NodePath Random(in NodePath target)
    {
        Span<byte> random = stackalloc byte[RandomBytes];
        NodeCalls.FillRandom(random);
        return Beside(target, $".{Convert.ToHexStringLower(random)}");
    }

    /// <summary>Returns the reserved name under which a resumable copy is found again: <c>.name.sluice-tmp</c>.</summary>
    public static NodePath Reserved(in NodePath target) => Beside(target, "");

    /// <summary>
    /// Returns true if the directory of the source contains an entry with the reserved name of the source. The target's directory may then
    /// contain a copy of that entry, which must not be resumed. Also true if this cannot be determined.
    /// </summary>
    [SupportedOSPlatform("linux")]
    public static bool IsReservedNameInUse(in NodePath source) =>
        NodeCalls.Stat(Reserved(source), followsLinks: false, StatxMask.Type, out _) != -Errno.ENOENT;

    /// <summary>
    /// Returns true if the name still refers to the open file. The file may have been renamed or removed, and another file may have the
    /// name.
    /// </summary>
    [SupportedOSPlatform("linux")]
    public static bool LeadsTo(in NodePath name, int fd) => LeadsTo(name, fd, out _);

    /// <summary>Returns true if the name refers to the file with the specified state, which may have been closed.</summary>
    [SupportedOSPlatform("linux")]
    public static bool LeadsTo(in NodePath name, in Statx file) =>
        NodeCalls.Stat(name, followsLinks: false, StatxMask.BasicStats, out Statx named) == 0 && file.IsSame(named);

    /// <inheritdoc cref="LeadsTo(in NodePath, int)"/>
    /// <param name="name">The name.</param>
    /// <param name="fd">The open file.</param>
    /// <param name="error">A negative errno if the answer is unknown; otherwise 0, also if the name does not exist.</param>
    [SupportedOSPlatform("linux")]
    public static bool LeadsTo(in NodePath name, int fd, out int error)
    {
        error = Libc.Stat(fd, StatxMask.BasicStats, out Statx open);
        if (error < 0)
        {
            return false;
        }

        error = NodeCalls.Stat(name, followsLinks: false, StatxMask.BasicStats, out Statx named);
        bool leads = error == 0 && open.IsSame(named);

        // These errors mean that the name does not exist or refers to another entry.
        error = error is -Errno.ENOENT or -Errno.ENOTDIR or -Errno.ELOOP ? 0 : error;
        return leads;
    }

    private static NodePath Beside(in NodePath target, string digits)
    {
        ReadOnlySpan<byte> name = target.Leaf;
        if (name.Length > MaxNameBytes - digits.Length - SuffixBytes.Length - 1)
        {
            name = Encoding.ASCII.GetBytes(Convert.ToHexStringLower(SHA256.HashData(name)));
        }

        return target.Beside([(byte)'.', .. name, .. Encoding.ASCII.GetBytes(digits), .. SuffixBytes]);
    }
}
