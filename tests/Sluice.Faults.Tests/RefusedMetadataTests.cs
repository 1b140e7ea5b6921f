using Shouldly;
using Sluice.Faults.Child.Fuse;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// A file system that refuses owners, permissions or times keeps what was copied, as with cp -a, and the caller is told once.
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class RefusedMetadataTests : FaultTests
{
    private const int Eperm = 1;

    [SkippableTheory]
    [InlineData(nameof(FuseFault.Chmod), "permissions")]
    [InlineData(nameof(FuseFault.Times), "times")]
    [InlineData(nameof(FuseFault.Chown), "owner")]
    public async Task What_is_copied_stays_and_the_refusal_is_told_once(string fault, string what)
    {
        using FuseMount mount = FuseMount.OrSkip(Enum.Parse<FuseFault>(fault));
        string source = Path.Combine(Root, "source");
        string[] files = ["a", "b", "below/a", "below/b"];
        Directory.CreateDirectory(Path.Combine(source, "below"));
        foreach (string file in files)
        {
            await File.WriteAllTextAsync(Path.Combine(source, file), file);
        }

        Command.Run("chmod", "-R", "700", source);
        Command.Run("chown", "-R", "1000:1000", source);
        string target = mount.PathOf("tree");
        CopyOptions tree = new() { Recurse = true, PreserveMetadata = true };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, tree));
        FileFailure failure = error.Failures.ShouldHaveSingleItem();
        failure.Error.Message.ShouldContain(what);
        failure.Error.HResult.ShouldBeOneOf(Eperm, new UnauthorizedAccessException().HResult);
        error.FilesCompleted.ShouldBe(files.Length);
        foreach (string file in files)
        {
            (await File.ReadAllTextAsync(Path.Combine(target, file))).ShouldBe(file);
        }

        // A file alone, new and in the place of another one.
        string alone = mount.PathOf("alone");
        foreach (string file in files.Take(2))
        {
            CopyOptions options = new() { PreserveMetadata = true, Overwrite = true };
            Exception refused = await Should.ThrowAsync<Exception>(() => SluiceFile.CopyAsync(Path.Combine(source, file), alone, options));
            refused.GetType().ShouldBe(failure.Error.GetType());
            refused.Message.ShouldContain(what);
            (await File.ReadAllTextAsync(alone)).ShouldBe(file);
        }

        Directory.GetFileSystemEntries(mount.Folder).Order().ShouldBe([alone, target]);
    }

    /// <summary>As File.Copy: what such a file system refuses is no error where it was not asked for.</summary>
    [SkippableTheory]
    [InlineData(nameof(FuseFault.Chmod))]
    [InlineData(nameof(FuseFault.Times))]
    [InlineData(nameof(FuseFault.Chown))]
    public async Task A_plain_copy_is_none_the_worse(string fault)
    {
        using FuseMount mount = FuseMount.OrSkip(Enum.Parse<FuseFault>(fault));
        string source = Path.Combine(Root, "source");
        Directory.CreateDirectory(source);
        await File.WriteAllTextAsync(Path.Combine(source, "a"), "a");
        Command.Run("chmod", "666", Path.Combine(source, "a"));
        _ = await SluiceFile.CopyAsync(source, mount.PathOf("tree"), new CopyOptions { Recurse = true });
        _ = await SluiceFile.CopyAsync(Path.Combine(source, "a"), mount.PathOf("alone"));
        (await File.ReadAllTextAsync(mount.PathOf("tree/a"))).ShouldBe("a");
        (await File.ReadAllTextAsync(mount.PathOf("alone"))).ShouldBe("a");
    }
}
