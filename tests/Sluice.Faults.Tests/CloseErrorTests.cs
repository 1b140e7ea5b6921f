using System.Text;
using Shouldly;
using Sluice.Faults.Child.Fuse;
using Sluice.Faults.Tests.Support;
using Sluice.Tests.Shared;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>What only close(2) reports reaches the caller: a full quota of a network file system, for example.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class CloseErrorTests
{
    private const int LargeBytes = FuseServer.Quota * 3;
    private const int Edquot = 122, Eio = 5;

    private static readonly Dictionary<string, Func<string, byte[], Task>> Ways = new()
    {
        ["handle"] = static (path, bytes) =>
        {
            using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write);
            handle.Write(bytes, 0);
            return Task.CompletedTask;
        },
        ["handle async"] = static async (path, bytes) =>
        {
            await using SluiceHandle handle =
                SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, FileShare.Read, FileOptions.Asynchronous);
            await handle.WriteAsync(bytes, 0);
        },
        ["handle append"] = static (path, bytes) =>
        {
            using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write);
            handle.Append(bytes);
            return Task.CompletedTask;
        },
        ["writer"] = static (path, bytes) =>
        {
            using SluiceWriter writer = new(path);
            writer.Write(bytes);
            return Task.CompletedTask;
        },
        ["writer async"] = static async (path, bytes) =>
        {
            await using SluiceWriter writer = new(path);
            await writer.WriteAsync(bytes);
            await writer.CompleteAsync();
        },
        ["stream"] = static (path, bytes) =>
        {
            using SluiceStream stream = new(path, FileMode.Create, FileAccess.Write);
            stream.Write(bytes);
            return Task.CompletedTask;
        },
        ["stream async"] = static async (path, bytes) =>
        {
            await using SluiceStream stream = new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.Read, 0, useAsync: true);
            await stream.WriteAsync(bytes);
        },
        ["WriteAllBytes"] = static (path, bytes) => Done(() => SluiceFile.WriteAllBytes(path, bytes)),
        ["AppendAllBytes"] = static (path, bytes) => Done(() => SluiceFile.AppendAllBytes(path, bytes)),
        ["WriteAllText"] = static (path, bytes) => Done(() => SluiceFile.WriteAllText(path, Text(bytes))),
        ["AppendAllText"] = static (path, bytes) => Done(() => SluiceFile.AppendAllText(path, Text(bytes))),
        ["WriteAllLines"] = static (path, bytes) => Done(() => SluiceFile.WriteAllLines(path, [Text(bytes)])),
        ["AppendAllLines"] = static (path, bytes) => Done(() => SluiceFile.AppendAllLines(path, [Text(bytes)])),
        ["WriteAllBytesAsync"] = static (path, bytes) => SluiceFile.WriteAllBytesAsync(path, bytes),
        ["AppendAllBytesAsync"] = static (path, bytes) => SluiceFile.AppendAllBytesAsync(path, bytes),
        ["WriteAllTextAsync"] = static (path, bytes) => SluiceFile.WriteAllTextAsync(path, Text(bytes)),
        ["AppendAllTextAsync"] = static (path, bytes) => SluiceFile.AppendAllTextAsync(path, Text(bytes)),
        ["WriteAllLinesAsync"] = static (path, bytes) => SluiceFile.WriteAllLinesAsync(path, [Text(bytes)]),
        ["ReplaceAtomically"] = static (path, bytes) => Done(() => SluiceFile.ReplaceAtomically(path, bytes)),
        ["ReplaceAtomicallyAsync"] = static (path, bytes) => SluiceFile.ReplaceAtomicallyAsync(path, bytes),
        ["CopyAsync"] = static (path, bytes) => CopyAsync(path, bytes, new CopyOptions()),
        ["CopyAsync buffered, over a file"] = static (path, bytes) =>
            CopyAsync(path, bytes, new CopyOptions { Overwrite = true, Method = CopyMethod.Buffered }),
        ["CopyAsync direct"] = static (path, bytes) => CopyAsync(path, bytes, new CopyOptions { Method = CopyMethod.Direct }),
        ["CopyAsync with metadata"] = static (path, bytes) => CopyAsync(path, bytes, new CopyOptions { PreserveMetadata = true }),
        ["CopyAsync verified and durable"] = static (path, bytes) =>
            CopyAsync(path, bytes, new CopyOptions { Verify = true, FlushToDisk = true }),
        ["CopyAsync tree"] = static async (path, bytes) =>
        {
            DirectoryInfo source = Directory.CreateTempSubdirectory("sluice-close-");
            try
            {
                await File.WriteAllBytesAsync(Path.Combine(source.FullName, Path.GetFileName(path)), bytes);
                CopyOptions options = new() { Recurse = true, Method = CopyMethod.Buffered, Overwrite = true };
                await SluiceFile.CopyAsync(source.FullName, Path.GetDirectoryName(path)!, options);
            }
            catch (FileBatchException e)
            {
                throw e.Failures.ShouldHaveSingleItem().Error;
            }
            finally
            {
                source.Delete(recursive: true);
            }
        },
        ["WriteManyAsync"] = static async (path, bytes) =>
        {
            FileBatchException error = await Should.ThrowAsync<FileBatchException>(
                async () => await SluiceFile.WriteManyAsync([(path, bytes)]));
            throw error.Failures.ShouldHaveSingleItem().Error;
        },
    };

    [SkippableFact]
    public async Task A_quota_that_is_told_at_the_close_is_reported()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.Quota);
        foreach (string way in Ways.Keys)
        {
            await ShouldFailAsync(way, mount.PathOf("a"), LargeBytes, Edquot);
            File.Delete(mount.PathOf("a"));
        }
    }

    [SkippableFact]
    public async Task An_error_of_the_close_alone_is_reported()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.CloseError);
        string path = mount.PathOf("a");
        foreach (string way in Ways.Keys)
        {
            await ShouldFailAsync(way, path, 1000, Eio);
            OpenFiles.All("/proc/self").ShouldNotContain(l => OpenFiles.IsIn(mount.Folder, l.Target), $"{way}: the descriptor is gone");
            if (way.StartsWith("CopyAsync", StringComparison.Ordinal) || way.StartsWith("Replace", StringComparison.Ordinal))
            {
                Directory.GetFileSystemEntries(mount.Folder).ShouldBeEmpty(way);
            }
            else
            {
                mount.Content("a").Length.ShouldBeGreaterThanOrEqualTo(1000, way);
                File.Delete(path);
            }
        }
    }

    /// <summary>Without a descriptor for the duplicate whose close reports the error, the outcome of the writes is unknown.</summary>
    [SkippableFact]
    public async Task An_error_of_the_close_is_not_lost_for_lack_of_descriptors()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.CloseError);
        const int emfile = 24;
        foreach (string way in (string[])["handle", "stream", "writer", "ReplaceAtomically", "CopyAsync"])
        {
            SystemCallFaults.Use(static (call, _, _) => call == "fcntl" ? -emfile : 0);
            try
            {
                (await Should.ThrowAsync<IOException>(() => Ways[way](mount.PathOf("a"), new byte[1000]), way)).HResult
                    .ShouldBeOneOf(emfile, Eio);
            }
            finally
            {
                SystemCallFaults.Use(null);
            }

            File.Delete(mount.PathOf("a"));
        }
    }

    [SkippableFact]
    public void A_handle_that_does_not_own_its_descriptor_does_not_close_it()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.CloseError);
        using Microsoft.Win32.SafeHandles.SafeFileHandle file =
            File.OpenHandle(mount.PathOf("a"), FileMode.Create, FileAccess.Write);
        SluiceHandle handle = SluiceHandle.FromSafeFileHandle(file, FileAccess.Write, ownsHandle: false);
        handle.Write(new byte[10], 0);
        handle.Dispose();
        file.IsClosed.ShouldBeFalse();
    }

    /// <summary>The number of a closed descriptor may be another file's: nothing is closed twice.</summary>
    [SkippableTheory]
    [InlineData("handle")]
    [InlineData("stream")]
    [InlineData("stream async")]
    public async Task What_is_disposed_twice_reports_once(string what)
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.CloseError);
        SluiceStream stream = new(mount.PathOf("a"), FileMode.Create);
        SluiceHandle handle = stream.SluiceHandle;
        stream.Write(new byte[10]);
        stream.Flush();
        Func<Task> dispose = what switch
        {
            "handle" => () => Task.Run(handle.Dispose),
            "stream" => () => Task.Run(stream.Dispose),
            _ => () => stream.DisposeAsync().AsTask(),
        };
        (await Should.ThrowAsync<IOException>(dispose)).HResult.ShouldBe(Eio);
        handle.SafeFileHandle.IsClosed.ShouldBeTrue();
        await dispose();
        stream.Dispose();
        await stream.DisposeAsync();
    }

    [SkippableFact]
    public async Task A_copy_that_is_to_be_resumed_reports_it_too()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.CloseError);
        IOException error = await Should.ThrowAsync<IOException>(
            () => CopyAsync(mount.PathOf("a"), new byte[1000], new CopyOptions { Resume = true }));
        error.HResult.ShouldBe(Eio);
        Directory.GetFileSystemEntries(mount.Folder).ShouldBe([mount.PathOf(".a.sluice-tmp")]);
    }

    private static async Task CopyAsync(string path, byte[] bytes, CopyOptions options)
    {
        string source = Path.GetTempFileName();
        try
        {
            await File.WriteAllBytesAsync(source, bytes);
            await SluiceFile.CopyAsync(source, path, options);
        }
        finally
        {
            File.Delete(source);
        }
    }

    private static async Task ShouldFailAsync(string way, string path, int bytes, int errno)
    {
        IOException error = await Should.ThrowAsync<IOException>(() => Ways[way](path, new byte[bytes]), way);
        error.HResult.ShouldBe(errno, way);
        error.Message.ShouldStartWith($"Closing '{path}' failed: ");
    }

    private static Task Done(Action action)
    {
        action();
        return Task.CompletedTask;
    }

    private static string Text(byte[] bytes) => Encoding.Latin1.GetString(bytes);
}
