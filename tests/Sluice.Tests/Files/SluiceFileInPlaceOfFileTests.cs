using System.Text;
using Microsoft.Win32.SafeHandles;
using File = Sluice.SluiceFile;

namespace Sluice.Tests.Files;

/// <summary>Code that was written for File, with one line changed: it compiles, and does the same.</summary>
public sealed class SluiceFileInPlaceOfFileTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void Names_attributes_times_and_links()
    {
        string path = _temp.NewPath();
        File.Exists(path).ShouldBeFalse();
        File.WriteAllText(path, "x");
        string? maybe = path;
        if (File.Exists(maybe))
        {
            maybe.Length.ShouldBeGreaterThan(0);
        }

        DateTime time = new(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc);
        File.SetLastWriteTimeUtc(path, time);
        File.SetLastAccessTime(path, time.ToLocalTime());
        File.GetLastWriteTimeUtc(path).ShouldBe(System.IO.File.GetLastWriteTimeUtc(path));
        File.GetLastWriteTime(path).ShouldBe(time.ToLocalTime());
        File.GetLastAccessTimeUtc(path).ShouldBe(time);
        File.SetCreationTimeUtc(path, time);
        File.GetCreationTimeUtc(path).ShouldBe(System.IO.File.GetCreationTimeUtc(path));
        File.SetAttributes(path, File.GetAttributes(path) | FileAttributes.ReadOnly);
        File.GetAttributes(path).HasFlag(FileAttributes.ReadOnly).ShouldBeTrue();
        File.SetAttributes(path, FileAttributes.Normal);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            File.GetUnixFileMode(path).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
            string link = _temp.NewPath();
            FileSystemInfo made = File.CreateSymbolicLink(link, path);
            File.ResolveLinkTarget(made.FullName, returnFinalTarget: true)!.FullName.ShouldBe(path);
            Should.Throw<PlatformNotSupportedException>(() => Encrypt(path));
        }

        File.Delete(path);
        File.Exists(path).ShouldBeFalse();
        File.Delete(path);

#pragma warning disable CA1416 // That it is refused elsewhere is what is looked at.
        static void Encrypt(string path) => File.Encrypt(path);
#pragma warning restore CA1416
    }

    [Fact]
    public void Handles()
    {
        string path = _temp.NewFile(10);
        using SafeFileHandle opened = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        RandomAccess.GetLength(opened).ShouldBe(10);
        File.SetLastWriteTimeUtc(opened, new DateTime(2001, 1, 1, 0, 0, 0, DateTimeKind.Utc));
        File.GetLastWriteTimeUtc(opened).Year.ShouldBe(2001);
        File.GetAttributes(opened).ShouldBe(System.IO.File.GetAttributes(path));
        using SluiceHandle own = File.OpenHandle(path);
        RandomAccess.Read(own, new byte[20], 0).ShouldBe(10);
    }

    [Fact]
    public async Task Streams_and_texts()
    {
        string path = _temp.NewPath();
        using (Stream stream = File.Create(path))
        {
            stream.Write("one\n"u8);
        }

        using (var stream = File.Open(path, FileMode.Append))
        {
            await stream.WriteAsync("two\n"u8.ToArray());
        }

        using (StreamWriter writer = File.AppendText(path))
        {
            writer.Write("three");
        }

        using (StreamReader reader = new(File.OpenRead(path)))
        {
            (await reader.ReadToEndAsync()).ShouldBe("one\ntwo\nthree");
        }

        File.ReadLines(path).Count().ShouldBe(3);
        List<string> lines = [];
        await foreach (string line in File.ReadLinesAsync(path, Encoding.UTF8))
        {
            lines.Add(line);
        }

        lines.ShouldBe(await File.ReadAllLinesAsync(path));
        File.WriteAllBytes(path, [1, 2]);
        await File.WriteAllBytesAsync(path, [1, 2, 3], CancellationToken.None);
        (await File.ReadAllBytesAsync(path)).ShouldBe([1, 2, 3]);
        File.WriteAllLines(path, ["a", "b"]);
        File.Copy(path, path + "2");
        File.Move(path + "2", path + "3", overwrite: true);
        File.ReadAllText(path + "3").ShouldBe(File.ReadAllText(path));
    }
}
