using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>Durable replacement of a small file.</summary>
internal static class ReplacementRows
{
    private const int FileBytes = 4096;

    public static Row Replace() => new("replace-4k", "durable replace of 4 KiB",
        "settings and state files; .NET: temporary file, flush, rename, flush of the folder, by hand", Open)
    {
        Target = new RowTarget { MinRatio = 1 },
    };

    private static Contest Open(BenchContext context)
    {
        string path = context.ScratchFile("replaced.dat");
        string temporary = context.ScratchFile("replaced.tmp");
        string folder = Path.GetDirectoryName(path)!;
        byte[] content = new byte[FileBytes];
        new Random(42).NextBytes(content);
        File.WriteAllBytes(path, content);
        return new Contest(
            Loops.PassesAsync("Sluice", async () =>
            {
                await SluiceFile.ReplaceAtomicallyAsync(path, content);
                return 1;
            }, isSingle: true),
            Loops.PassesAsync(".NET", async () =>
            {
                using (SafeFileHandle file = File.OpenHandle(temporary, FileMode.Create, FileAccess.Write,
                    options: FileOptions.Asynchronous))
                {
                    await RandomAccess.WriteAsync(file, content, 0);
                    RandomAccess.FlushToDisk(file);
                }
                File.Move(temporary, path, overwrite: true);
                // .NET opens no folder; the call that it lacks is the same for both sides.
                FlushFolder(folder);
                return 1;
            }, isSingle: true));
    }

    private static void FlushFolder(string path)
    {
        if (!CapabilityProbe.IsSupported)
            return;
        using OpenFolder folder = OpenFolder.Open(path);
        folder.FlushToDisk();
    }
}
