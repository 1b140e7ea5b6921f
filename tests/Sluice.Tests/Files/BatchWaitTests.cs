using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Files;

/// <summary>Whom batches and copies wait for: for nobody's other end, and for whoever has a lease on a plain file.</summary>
public sealed class BatchWaitTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableFact]
    public async Task A_FIFO_in_the_place_of_a_large_file_is_refused_when_its_turn_comes()
    {
        string small = _temp.NewFile(10);
        string large = _temp.NewFile(400_000);
        string last = _temp.NewFile(20);
        FileBatchOptions options = new() { ContinueOnError = true };
        await using IAsyncEnumerator<FileReadResult> results =
            SluiceFile.ReadManyAsync([small, large, last], options).GetAsyncEnumerator();
        (await results.MoveNextAsync()).ShouldBeTrue();
        File.Delete(large);
        Native.MakeFifo(large);

        // On a thread of its own: what waits may do so in the call.
        (await Task.Run(async () => await results.MoveNextAsync()).WaitAsync(Patience)).ShouldBeTrue();
        results.Current.Path.ShouldBe(large);
        results.Current.Error.ShouldBeOfType<IOException>().Message.ShouldContain("FIFO");
        (await results.MoveNextAsync()).ShouldBeTrue();
        results.Current.GetContent().Length.ShouldBe(20);
    }

    [SkippableFact]
    public async Task A_device_is_neither_read_nor_written()
    {
        Skip.IfNot(File.Exists("/dev/ptmx"), "there are no terminals");
        string terminal = _temp.NewPath();
        File.CreateSymbolicLink(terminal, "/dev/ptmx");
        FileBatchOptions options = new() { ContinueOnError = true };
        Task<FileReadResult[]> reading = SluiceFile.ReadManyAsync([terminal, "/dev/null"], options).ToArrayAsync().AsTask();
        FileReadResult[] results = await reading.WaitAsync(Patience);
        results[0].Error.ShouldBeOfType<IOException>().Message.ShouldContain(terminal);
        results[1].Error.ShouldBeOfType<IOException>().Message.ShouldContain("device");
        FileBatchException refused = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.WriteManyAsync([("/dev/null", new byte[3])]));
        refused.Failures.Single().Error.ShouldBeOfType<IOException>().Message.ShouldContain("device");
    }

    [SkippableFact]
    public async Task What_cannot_be_written_has_the_exception_of_File()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the errors are Linux's");
        string dangling = _temp.NewPath();
        File.CreateSymbolicLink(dangling, Path.Combine(_temp.NewPath(), "x"));
        string loop = _temp.NewPath();
        File.CreateSymbolicLink(loop, loop);
        string file = _temp.NewFile(10);
        string[] paths =
        [
            dangling, loop, file + "/x", file + "/", _temp.NewPath() + "/", _temp.Root, "/proc/version",
            Path.Combine(_temp.Root, new string('n', 256)), new string('n', 5000), "", "a\0b",
        ];
        FileBatchOptions options = new() { ContinueOnError = true };
        foreach (string path in paths)
        {
            Exception? expected = Record.Exception(() => File.WriteAllBytes(path, new byte[3]));
            Exception? found = await Record.ExceptionAsync(() => SluiceFile.WriteManyAsync([(path, new byte[3])], options));
            Exception? error = (found as FileBatchException)?.Failures.Single().Error;
            (error?.GetType(), error?.HResult).ShouldBe((expected?.GetType(), expected?.HResult), path);
            expected = Record.Exception(() => File.ReadAllBytes(path));
            error = (await SluiceFile.ReadManyAsync([path], options).FirstAsync()).Error;
            (error?.GetType(), error?.HResult).ShouldBe((expected?.GetType(), expected?.HResult), path);
        }
    }

    [SkippableTheory]
    [InlineData("read")]
    [InlineData("read large")]
    [InlineData("write")]
    [InlineData("copy tree")]
    public async Task A_lease_on_a_file_is_waited_for_as_File_waits(string what)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "leases are Linux's");
        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string path = Path.Combine(folder, "file");
        byte[] content = Bytes.Pattern(what == "read large" ? 400_000 : 3000);
        File.WriteAllBytes(path, content);
        string target = _temp.NewPath();
        using SafeFileHandle holder = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        Skip.IfNot(Native.TakeLease(holder), "this file system has no leases");
        Task work = what switch
        {
            "read" or "read large" => Task.Run(
                async () => (await SluiceFile.ReadManyAsync([path]).FirstAsync()).GetContent().ShouldBeBytes(content)),
            "write" => Task.Run(() => SluiceFile.WriteManyAsync([(path, new byte[7])])),
            _ => Task.Run(() => SluiceFile.CopyAsync(folder, target, new CopyOptions { Recurse = true })),
        };
        while (!Native.IsLeaseWanted(holder) && !work.IsCompleted)
        {
            await Task.Delay(1);
        }

        Native.GiveLeaseUp(holder);
        await work.WaitAsync(Patience);
        if (what == "write")
        {
            File.ReadAllBytes(path).ShouldBe(new byte[7]);
        }
        else if (what == "copy tree")
        {
            File.ReadAllBytes(Path.Combine(target, "file")).ShouldBeBytes(content);
        }
    }
}
