using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// The file system is ended as a power cut would (EXT4_IOC_SHUTDOWN, XFS_IOC_GOINGDOWN without flushing the log) and mounted again:
/// what FlushToDisk had acknowledged is there, byte for byte.
/// </summary>
public sealed class PowerCutTests
{
    public static TheoryData<FileSystemKind, FileCaching, bool> Cases()
    {
        TheoryData<FileSystemKind, FileCaching, bool> cases = [];
        foreach (FileSystemKind kind in (FileSystemKind[])[FileSystemKind.Ext4, FileSystemKind.Xfs])
        {
            foreach (FileCaching caching in Enum.GetValues<FileCaching>())
            {
                cases.Add(kind, caching, false);
                cases.Add(kind, caching, true);
            }
        }

        return cases;
    }

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task What_was_flushed_survives(FileSystemKind kind, FileCaching caching, bool dataOnly)
    {
        using Mount mount = new(kind);
        Skip.If(mount.Refusal is not null, $"{kind}: {mount.Refusal}");
        string path = Path.Combine(mount.Folder, "kept");
        FileModel model = new();
        Exception? error;
        using (SluiceHandle handle = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, caching: caching))
        {
            // The directory's entry is made durable once: fsync of a new file's folder is its owner's business (fsync(2)).
            _ = Command.Run("sync", "--file-system", mount.Folder);
            for (int i = 0; i < 12; i++)
            {
                byte[] bytes = Pattern.Bytes(i, 1 + i * 3331);
                if (i % 3 == 0)
                {
                    (await handle.AppendAsync(bytes)).ShouldBe(model.Length);
                    model.Append(bytes);
                }
                else
                {
                    await handle.WriteAsync(bytes, i * 1777);
                    model.Write(bytes, i * 1777);
                }

                if (i % 2 == 0)
                {
                    handle.FlushToDisk(dataOnly);
                }
                else
                {
                    await handle.FlushToDiskAsync(dataOnly);
                }
            }

            // Never flushed: it proves below that the cut really loses what only the cache held.
            using (SluiceHandle lost = SluiceHandle.Open(Path.Combine(mount.Folder, "lost"), FileMode.CreateNew, FileAccess.Write))
            {
                lost.Write(new byte[100_000], 0);
            }

            int result = Native.ShutDown(mount.Folder);
            Skip.If(result != 0, $"{kind} cannot be shut down here (errno {result})");

            // The dead device answers with an error, and nothing hangs.
            error = await FailAsync(handle);
        }

        error.ShouldBeOfType<IOException>().Message.ShouldContain(path);
        mount.Remount().ShouldBeNull();
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(path), model.Content, "after the power cut");
        FileInfo gone = new(Path.Combine(mount.Folder, "lost"));
        (gone.Exists && gone.Length > 0).ShouldBeFalse("the cut lost nothing, so this test proves nothing");
    }

    private static async Task<Exception?> FailAsync(SluiceHandle handle)
    {
        try
        {
            await handle.WriteAsync(new byte[5000], 4096);
            await handle.FlushToDiskAsync();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}
