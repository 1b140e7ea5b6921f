using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A power cut: what FlushToDisk had acknowledged is there, byte for byte.</summary>
[Trait("Tier", "slow")]
public sealed class PowerCutTests
{
    [SkippableTheory]
    [MemberData(nameof(PowerCut.Cases), MemberType = typeof(PowerCut))]
    public async Task What_was_flushed_survives(FileSystemKind kind, FileCaching caching, bool dataOnly)
    {
        using Mount mount = Mount.OrSkip(kind);
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
                    (await handle.AppendAndGetOffsetAsync(bytes)).ShouldBe(model.Length);
                    model.Append(bytes);
                }
                else
                {
                    await handle.WriteAsync(bytes, i * 1777);
                    model.Write(bytes, i * 1777);
                }

                if (i % 2 == 0)
                {
                    Flush(handle);
                }
                else
                {
                    await (dataOnly ? handle.FlushDataToDiskAsync() : handle.FlushToDiskAsync());
                }
            }

            PowerCut.Cut(mount, kind);

            // The dead device answers with an error, and nothing hangs.
            error = await FailAsync(handle);
        }

        error.ShouldBeOfType<IOException>().Message.ShouldContain(path);
        mount.Remount().ShouldBeNull();
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(path), model.Content, "after the power cut");
        PowerCut.ShouldHaveLost(mount);

        void Flush(SluiceHandle handle)
        {
            if (dataOnly)
            {
                handle.FlushDataToDisk();
            }
            else
            {
                handle.FlushToDisk();
            }
        }
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
