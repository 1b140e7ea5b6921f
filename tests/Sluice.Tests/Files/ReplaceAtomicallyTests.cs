using System.Runtime.Versioning;
using System.Text;

namespace Sluice.Tests.Files;

/// <summary>Old or new, whole; and the new file looks like the old one.</summary>
public sealed class ReplaceAtomicallyTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100_000)]
    public async Task Content_is_replaced_and_nothing_else_stays(int length)
    {
        string path = _temp.NewFile(5000);
        await SluiceFile.ReplaceAtomicallyAsync(path, Bytes.Pattern(length, 3));
        File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(length, 3));
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([path]);
    }

    [Fact]
    public async Task Text_is_what_File_writes()
    {
        string[] texts = ["", "plain", "caf\u00e9 \ud83d\ude00", new string('\u20ac', 300_001)];
        Encoding[] encodings = [new UTF8Encoding(false), Encoding.UTF8, Encoding.Unicode, Encoding.UTF32, Encoding.Latin1];
        (string path, string reference) = (_temp.NewPath(), _temp.NewPath());
        foreach (string text in texts)
        {
            File.WriteAllText(reference, text);
            SluiceFile.ReplaceAtomically(path, text);
            File.ReadAllBytes(path).ShouldBeBytes(File.ReadAllBytes(reference));
            SluiceFile.ReplaceAtomically(path, text.AsSpan());
            File.ReadAllBytes(path).ShouldBeBytes(File.ReadAllBytes(reference));
            await SluiceFile.ReplaceAtomicallyAsync(path, text);
            File.ReadAllBytes(path).ShouldBeBytes(File.ReadAllBytes(reference));
            await SluiceFile.ReplaceAtomicallyAsync(path, text.AsMemory());
            File.ReadAllBytes(path).ShouldBeBytes(File.ReadAllBytes(reference));
            foreach (Encoding encoding in encodings)
            {
                File.WriteAllText(reference, text, encoding);
                SluiceFile.ReplaceAtomically(path, text, encoding);
                File.ReadAllBytes(path).ShouldBeBytes(File.ReadAllBytes(reference), encoding.WebName);
                await SluiceFile.ReplaceAtomicallyAsync(path, text, encoding);
                File.ReadAllBytes(path).ShouldBeBytes(File.ReadAllBytes(reference), encoding.WebName);
            }
        }

        SluiceFile.ReplaceAtomically(path, (string?)null);
        File.ReadAllBytes(path).ShouldBeEmpty();
    }

    [Fact]
    public void The_synchronous_form_replaces_as_the_other_does()
    {
        string path = _temp.NewFile(5000);
        SluiceFile.ReplaceAtomically(path, Bytes.Pattern(300, 3));
        File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(300, 3));
        SluiceFile.ReplaceAtomically(path, handle =>
        {
            handle.Write(Bytes.Pattern(100, 4), 0);
            handle.Write(Bytes.Pattern(100, 5), 100);
        });
        File.ReadAllBytes(path).ShouldBeBytes([.. Bytes.Pattern(100, 4), .. Bytes.Pattern(100, 5)]);
        Should.Throw<InvalidDataException>(() => SluiceFile.ReplaceAtomically(path, _ => throw new InvalidDataException()));
        File.ReadAllBytes(path).Length.ShouldBe(200);
        Should.Throw<DirectoryNotFoundException>(() => SluiceFile.ReplaceAtomically(Path.Combine(_temp.NewPath(), "x"), "x"));
        Should.Throw<ArgumentException>(() => SluiceFile.ReplaceAtomically("", "x"));
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([path]);
    }

    [SkippableFact]
    [UnsupportedOSPlatform("windows")]
    public async Task Every_form_takes_the_options_and_heeds_them()
    {
        Skip.If(OperatingSystem.IsWindows(), "modes");
        ReplaceOptions options = new() { UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute };
        const string text = "caf\u00e9";
        Encoding wide = Encoding.Unicode;
        byte[] plain = new UTF8Encoding(false).GetBytes(text);
        byte[] encoded = [.. wide.Preamble, .. wide.GetBytes(text)];
        (byte[] Content, Func<string, Task> Replace)[] forms =
        [
            (plain, Now(p => SluiceFile.ReplaceAtomically(p, plain, options))),
            (plain, Now(p => SluiceFile.ReplaceAtomically(p, text, options: options))),
            (encoded, Now(p => SluiceFile.ReplaceAtomically(p, text, wide, options))),
            (plain, Now(p => SluiceFile.ReplaceAtomically(p, handle => handle.Write(plain, 0), options))),
            (plain, p => SluiceFile.ReplaceAtomicallyAsync(p, plain, options)),
            (plain, p => SluiceFile.ReplaceAtomicallyAsync(p, text, options: options)),
            (plain, p => SluiceFile.ReplaceAtomicallyAsync(p, text.AsMemory(), options: options)),
            (encoded, p => SluiceFile.ReplaceAtomicallyAsync(p, text, wide, options)),
            (encoded, p => SluiceFile.ReplaceAtomicallyAsync(p, text.AsMemory(), wide, options)),
            (plain, p => SluiceFile.ReplaceAtomicallyAsync(p, (handle, token) => handle.WriteAsync(plain, 0, token), options)),
        ];
        foreach ((byte[] content, Func<string, Task> replace) in forms)
        {
            string path = _temp.NewPath();
            await replace(path);
            File.ReadAllBytes(path).ShouldBeBytes(content);
            File.GetUnixFileMode(path).ShouldBe(options.UnixCreateMode.Value);

            // A file that exists keeps its permissions.
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            await replace(path);
            File.GetUnixFileMode(path).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }

        static Func<string, Task> Now(Action<string> replace) => path =>
        {
            replace(path);
            return Task.CompletedTask;
        };
    }

    [Fact]
    public async Task A_missing_file_is_made_with_the_usual_permissions()
    {
        (string path, string reference) = (_temp.NewPath(), _temp.NewPath());
        await SluiceFile.ReplaceAtomicallyAsync(path, Bytes.Pattern(10));
        File.WriteAllBytes(reference, [1]);
        File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(10));
        if (!OperatingSystem.IsWindows())
        {
            File.GetUnixFileMode(path).ShouldBe(File.GetUnixFileMode(reference));
        }
    }

    [SkippableFact]
    public async Task Permissions_owner_and_attributes_stay()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Linux's metadata");
        string path = _temp.NewFile(10);
        byte[] note = [1, 2, 3];
        bool hasNote = Native.SetAttribute(path, "user.note", note) == 0;
        if (Environment.IsPrivilegedProcess)
        {
            Trees.Run("chown", "1234:2345", path);
        }

        Trees.Run("chmod", "1610", path);
        string before = Trees.Run("stat", "-c", "%a %u %g", path);

        await SluiceFile.ReplaceAtomicallyAsync(path, Bytes.Pattern(20));

        Trees.Run("stat", "-c", "%a %u %g", path).ShouldBe(before);
        Native.GetAttribute(path, "user.note").ShouldBe(hasNote ? note : null);
    }

    [Fact]
    public async Task What_fails_leaves_the_old_content_and_no_temporary_file()
    {
        string path = _temp.NewFile(100);
        using CancellationTokenSource source = new();
        SluiceHandle? lent = null;
        await Should.ThrowAsync<InvalidDataException>(() => SluiceFile.ReplaceAtomicallyAsync(path, async (handle, token) =>
        {
            lent = handle;
            await handle.WriteAsync(new byte[10], 0, token);
            throw new InvalidDataException();
        }));
        Should.Throw<ObjectDisposedException>(() => lent!.Write(new byte[1], 0));
        await Should.ThrowAsync<OperationCanceledException>(() => SluiceFile.ReplaceAtomicallyAsync(path, async (handle, token) =>
        {
            await handle.WriteAsync(new byte[10], 0, token);
            await source.CancelAsync();
        }, cancellationToken: source.Token));
        await Should.ThrowAsync<UnauthorizedAccessException>(() => SluiceFile.ReplaceAtomicallyAsync(_temp.Root, new byte[1]));
        await Should.ThrowAsync<DirectoryNotFoundException>(() =>
            SluiceFile.ReplaceAtomicallyAsync(Path.Combine(_temp.NewPath(), "x"), new byte[1]));
        await Should.ThrowAsync<ArgumentException>(() => SluiceFile.ReplaceAtomicallyAsync("", new byte[1]));
        File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(100));
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([path]);
    }

    /// <summary>On Windows some of them may fail, and the file may be missing meanwhile.</summary>
    [Fact]
    public async Task Many_replacements_of_one_file_at_once_leave_one_of_them()
    {
        string path = _temp.NewFile(100);
        Task[] writers =
        [
            .. Enumerable.Range(0, 8).Select(writer => Task.Run(async () =>
            {
                for (int i = 0; i < 20; i++)
                {
                    try
                    {
                        await SluiceFile.ReplaceAtomicallyAsync(path, Bytes.Pattern(1000 + writer, writer));
                    }
                    catch (IOException) when (OperatingSystem.IsWindows())
                    {
                    }
                }
            })),
        ];
        Task all = Task.WhenAll(writers);
        while (!all.IsCompleted)
        {
            try
            {
                await ShouldBeWholeAsync();
            }
            catch (IOException) when (OperatingSystem.IsWindows())
            {
            }
        }

        await all;
        await ShouldBeWholeAsync();
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([path]);

        async Task ShouldBeWholeAsync()
        {
            byte[] seen = await File.ReadAllBytesAsync(path);
            seen.ShouldBeBytes(seen.Length == 100 ? Bytes.Pattern(100) : Bytes.Pattern(seen.Length, seen.Length - 1000));
        }
    }

    [Fact]
    public async Task A_name_of_the_longest_kind_can_be_replaced()
    {
        string path = Path.Combine(_temp.Root, new string('n', 255));
        await SluiceFile.ReplaceAtomicallyAsync(path, Bytes.Pattern(20));
        await SluiceFile.ReplaceAtomicallyAsync(path, Bytes.Pattern(30));
        File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(30));
    }
}
