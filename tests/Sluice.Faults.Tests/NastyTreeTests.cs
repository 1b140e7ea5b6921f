using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// A tree with everything that a tree may have is, on each file system, what cp -a makes of it. Paths that cp cannot copy have their own
/// tests (CopyResumeTests, TreeNameTests).
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class NastyTreeTests
{
    private const string MakeScript = """
        set -e
        cd "$0"
        mkdir -p plain deep "$(printf 'a\nb \377\376')" shut others inside
        head -c 300000 /dev/urandom > plain/large; printf x > plain/small; : > plain/empty
        ln plain/large "$(printf 'a\nb \377\376')/second name"; ln plain/large third
        ln -s nowhere plain/dangling; ln -s ../third deep/link; ln -P deep/link "$(printf 'link\200')"
        mkfifo -m 622 plain/fifo; ln plain/fifo 'same fifo'
        mknod -m 600 plain/null c 1 3; mknod plain/block b 259 262143
        perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1)' || :
        truncate -s 5M plain/sparse; printf data | dd of=plain/sparse bs=1 seek=2M conv=notrunc status=none
        truncate -s 8K plain/hole
        printf s > plain/program; chown 12:34 plain/program; chmod 6755 plain/program
        printf odd > -n; printf odd > ' '; printf odd > "$(printf 'caf\351')"
        (cd deep; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
           d="$(printf 'd%.0s' $(seq 200))$i"; mkdir "$d"; cd "$d"; printf $i > file; ln -s file link; done)
        printf s > shut/file; chmod 500 shut; chown 12:34 others; chmod 3777 others
        find . -depth -execdir touch -h -d '2001-02-03 04:05:06.123456789' {} +
        """;

    // Lengths of folders are the file system's own matter; contents by checksum, holes by blocks.
    private const string ListScript = """
        cd "$0" && export LC_ALL=C && {
          find . -type d -printf '%P|d|%m|%U|%G|%T@\n'
          find . ! -type d -printf '%P|%y|%m|%U|%G|%s|%T@|%n|%l\n'
          find . -name sparse -printf '%b\n' -o -name hole -printf '%b\n'
          find . -type f -execdir md5sum {} +
          find . \( -type b -o -type c \) -execdir stat -c '%n %t %T' {} +
        } | sort
        """;

    // Owner and one user may write, the group and others may read.
    private static readonly byte[] AccessList =
    [
        2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 6, 0, 0x39, 0x30, 0, 0, 4, 0, 4, 0, 255, 255, 255, 255,
        0x10, 0, 6, 0, 255, 255, 255, 255, 0x20, 0, 4, 0, 255, 255, 255, 255,
    ];

    private static readonly byte[][] Attributes =
        [[.. "user.a\0"u8], [.. "trusted.b\0"u8], [.. "system.posix_acl_access\0"u8], [.. "system.posix_acl_default\0"u8]];

    [SkippableTheory]
    [InlineData(FileSystemKind.Local)]
    [InlineData(FileSystemKind.Btrfs)]
    [InlineData(FileSystemKind.Xfs)]
    [InlineData(FileSystemKind.Tmpfs)]
    public async Task It_is_what_cp_makes_of_it(FileSystemKind kind)
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root makes devices and gives files away");
        using Mount mount = Mount.OrSkip(kind);
        string source = Directory.CreateDirectory(Path.Combine(mount.Folder, "source")).FullName;
        try
        {
            Command.Run("bash", "-c", MakeScript, source);
            string[] listed = [Path.Combine(source, "plain", "small"), Path.Combine(source, "plain")];
            byte[][] set = [.. listed.SelectMany((path, i) => Attributes.Take(i == 0 ? 3 : 4).Where(name => Set(path, name)))];

            // The copy contains the files of a file system that is mounted in the tree.
            string? refusal = Command.TryRun("mount", "-t", "tmpfs", "tmpfs", Path.Combine(source, "inside"));
            await File.WriteAllTextAsync(Path.Combine(source, "inside", "file"), "inside");
            (string expected, string actual) = (Path.Combine(mount.Folder, "expected"), Path.Combine(mount.Folder, "actual"));
            Command.Run("cp", "-a", source, expected);
            CopyOptions options = new() { Recurse = true, PreserveMetadata = true };
            CopyResult result = await SluiceFile.CopyAsync(source, actual, options);
            ShouldBeSame(actual, expected);
            foreach (string path in listed)
            {
                foreach (byte[] name in Attributes)
                {
                    byte[]? kept = Get(path.Replace(source, actual), name);
                    kept.ShouldBe(Get(path.Replace(source, expected), name), $"{path}, {refusal}");
                    kept.ShouldBe(Get(path, name));
                }
            }

            set.ShouldNotBeEmpty();

            // Once more there is nothing to do; and over what was changed and taken away.
            CopyOptions again = new() { Recurse = true, PreserveMetadata = true, SkipUnchanged = true, Overwrite = true };
            CopyResult next = await SluiceFile.CopyAsync(source, actual, again);
            (next.Files, next.UnchangedFiles, next.Bytes).ShouldBe((0, result.Files, 0));
            ShouldBeSame(actual, expected);
            Command.Run("bash", "-c", "cd \"$0\" && rm third plain/fifo plain/dangling plain/null && printf y >> plain/small && "
                + "printf z > plain/sparse && rm -r deep/d* && chmod 700 shut && chown 0:0 others", actual);
            _ = await SluiceFile.CopyAsync(source, actual, again);
            ShouldBeSame(actual, expected);
            _ = await SluiceFile.CopyAsync(source, actual, new CopyOptions { Recurse = true, PreserveMetadata = true, Overwrite = true });
            ShouldBeSame(actual, expected);
        }
        finally
        {
            _ = Command.TryRun("umount", Path.Combine(source, "inside"));

            // .NET removes neither names that are no text nor paths that are too long.
            Command.Run("bash", "-c", "rm -rf \"$0\"/{source,expected,actual}", mount.Folder);
        }
    }

    private static void ShouldBeSame(string actual, string expected)
    {
        string[] made = Command.Run("bash", "-c", ListScript, actual).Split('\n');
        string[] wanted = Command.Run("bash", "-c", ListScript, expected).Split('\n');
        made.Except(wanted).ShouldBeEmpty();
        wanted.Except(made).ShouldBeEmpty();
        made.Length.ShouldBe(wanted.Length);
    }

    private static bool Set(string path, byte[] name)
    {
        using Copying.Descriptor node = new(PathCalls.Open(NodePath.Of(path), PathCalls.ReadOnly));
        byte[] value = name.AsSpan().StartsWith("system."u8) ? AccessList : [.. "one\0two"u8];
        return AttributeCalls.Set(node.Fd, name, value) == 0;
    }

    private static byte[]? Get(string path, byte[] name)
    {
        using Copying.Descriptor node = new(PathCalls.Open(NodePath.Of(path), PathCalls.ReadOnly));
        return AttributeCalls.Get(node.Fd, name, out _);
    }
}
