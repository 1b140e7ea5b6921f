using System.Text;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// What a compressed segment takes over from the original: nobody may do more with it, and it says nothing untrue of its bytes.
/// </summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class TakeOverTests : IDisposable
{
    private const int EPERM = 1;

    private readonly TempFolder _folder = new();

    public void Dispose()
    {
        SystemCallFaults.Use(null);
        _folder.Dispose();
    }

    [SkippableFact]
    public void What_is_about_the_bytes_of_the_original_stays_behind()
    {
        Linux.RootOrSkip();
        string first = Make();
        byte[] capability = [1, 0, 0, 2, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        Set(first, "user.checksum", "1234"u8);
        Set(first, "user.sha256", "1234"u8);
        Set(first, "trusted.md5sum", "1234"u8);
        Set(first, "security.capability", capability);
        Set(first, "security.label-of-mine", "only for some"u8);
        Compress();
        string[] names = [.. Names(first + SegmentNames.Compressed)];
        names.ShouldContain("security.label-of-mine");
        names.ShouldNotContain(static name => name.StartsWith("user.", StringComparison.Ordinal));
        names.ShouldNotContain(static name => name.StartsWith("trusted.", StringComparison.Ordinal));
        names.ShouldNotContain("security.capability");
    }

    /// <summary>The group is another than the original's, and that one is part of the others now.</summary>
    [SkippableTheory]
    [InlineData(0x184, 0x180)] // 604 -> 600
    [InlineData(0x1A0, 0x180)] // 640 -> 600
    [InlineData(0x1B4, 0x1A4)] // 664 -> 644
    [InlineData(0x1A6, 0x1A4)] // 646 -> 644
    public void Without_its_group_a_copy_gives_the_group_and_others_no_more_than_both_had(int mode, int expected)
    {
        Linux.RootOrSkip();
        string first = Make();
        using (SluiceHandle file = LogFile.OpenToRead(first))
        {
            NodeCalls.SetOwner(file.Descriptor, 1234, 2345).ShouldBe(0);
        }

        File.SetUnixFileMode(first, (UnixFileMode)mode);
        SystemCallFaults.Use(static (call, _, _) => call == "fchownat" ? -EPERM : 0);
        Compress();
        File.GetUnixFileMode(first + SegmentNames.Compressed).ShouldBe((UnixFileMode)expected);
    }

    /// <summary>Who may give files away, and not change those of others, cannot set anything once he has.</summary>
    [SkippableFact]
    public void A_copy_whose_owner_can_be_set_and_whose_permissions_cannot_is_none()
    {
        Linux.RootOrSkip();
        string first = Make();
        byte[] content = File.ReadAllBytes(first);
        using (SluiceHandle file = LogFile.OpenToRead(first))
        {
            NodeCalls.SetOwner(file.Descriptor, 1234, 2345).ShouldBe(0);
        }

        File.SetUnixFileMode(first, UnixFileMode.UserRead);
        int refused = 0;
        UnixFileMode most = UnixFileMode.None;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call is not ("fchmod" or "fchmodat" or "fsetxattr" or "setxattr" or "fremovexattr" or "futimens"))
            {
                return 0;
            }

            Directory.GetFiles(_folder.Log, "*.tmp").ToList().ForEach(f => most |= File.GetUnixFileMode(f));
            refused++;
            return -EPERM;
        });
        using (SluiceLog log = _folder.Open(CompressedLog.Options()))
        {
            Threads.WaitUntil(() => log.LastError is not null);
            log.LastError.ShouldBeOfType<UnauthorizedAccessException>();
        }

        SystemCallFaults.Use(null);
        refused.ShouldBeGreaterThan(0);
        most.ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        File.ReadAllBytes(first).ShouldBe(content);
        File.Exists(first + SegmentNames.Compressed).ShouldBeFalse();
        Directory.GetFiles(_folder.Log, "*.tmp").ShouldBeEmpty();
    }

    private string Make()
    {
        CompressedLog.Fill(_folder.Log, count: 60);
        return _folder.RawFiles.Min()!;
    }

    private void Compress()
    {
        using SluiceLog log = _folder.Open(CompressedLog.Options());
        CompressedLog.AwaitCompressed(_folder.Log);
        log.LastError.ShouldBeNull();
    }

    private static void Set(string path, string name, ReadOnlySpan<byte> value)
    {
        using SluiceHandle file = LogFile.OpenToRead(path);
        int errno = AttributeCalls.Set(file.Descriptor, Encoding.ASCII.GetBytes(name + "\0"), value);
        Skip.If(errno != 0, $"this file system has no {name} (errno {-errno})");
    }

    private static IEnumerable<string> Names(string path)
    {
        using SluiceHandle file = LogFile.OpenToRead(path);
        return [.. AttributeCalls.List(file.Descriptor, out _).Select(static n => Encoding.ASCII.GetString(n).TrimEnd('\0'))];
    }
}
