using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Text;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// The names that files have until they are whole, beside their target: <c>.name.(16 digits).sluice-tmp</c>.
/// </summary>
internal static class TemporaryName
{
    private const int MaxNameBytes = 255;
    private const int RandomBytes = 8;

    private static ReadOnlySpan<byte> SuffixBytes => ".sluice-tmp"u8;

    /// <summary>One that nobody can have foreseen.</summary>
    public static NodePath Random(in NodePath target)
    {
        Span<byte> random = stackalloc byte[RandomBytes];
        NodeCalls.FillRandom(random);
        return Beside(target, $".{Convert.ToHexStringLower(random)}");
    }

    /// <summary>The one under which a copy that is to be gone on from is found again: <c>.name.sluice-tmp</c>.</summary>
    public static NodePath Reserved(in NodePath target) => Beside(target, "");

    /// <summary>
    /// Whether a source's folder has something itself under the name that <see cref="Reserved"/> gives for the source: what the copy's
    /// folder has there may be a copy of that, and nothing to be gone on from. True where that cannot be looked at, too.
    /// </summary>
    [SupportedOSPlatform("linux")]
    public static bool IsSources(in NodePath source) =>
        NodeCalls.Stat(Reserved(source), followsLinks: false, StatxMask.Type, out _) != -Errno.ENOENT;

    /// <summary>What stands for a name that is too long to have something added.</summary>
    public static byte[] Shortened(ReadOnlySpan<byte> name) => Encoding.ASCII.GetBytes(Convert.ToHexStringLower(SHA256.HashData(name)));

    /// <summary>Whether a name leads to what is open: it may have been renamed, removed, or put there by somebody else.</summary>
    [SupportedOSPlatform("linux")]
    public static bool LeadsTo(in NodePath name, int fd) => LeadsTo(name, fd, out _);

    /// <inheritdoc cref="LeadsTo(in NodePath, int)"/>
    /// <param name="name">The name.</param>
    /// <param name="fd">What is open.</param>
    /// <param name="error">A negative errno where it cannot be told; 0 where it can, and where nothing has the name.</param>
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
        error = IsElsewhere(error) ? 0 : error;
        return leads;
    }

    /// <summary>Whether an errno says that something else, or nothing, has a name by now.</summary>
    private static bool IsElsewhere(int error) => error is -Errno.ENOENT or -Errno.ENOTDIR or -Errno.ELOOP;

    private static NodePath Beside(in NodePath target, string digits)
    {
        ReadOnlySpan<byte> name = target.Leaf;
        if (name.Length > MaxNameBytes - digits.Length - SuffixBytes.Length - 1)
        {
            name = Shortened(name);
        }

        return target.Beside([(byte)'.', .. name, .. Encoding.ASCII.GetBytes(digits), .. SuffixBytes]);
    }
}
