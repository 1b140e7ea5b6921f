namespace Sluice.Tests;

/// <summary>FileShare as .NET has it on Unix: an advisory lock, which its own switch turns off.</summary>
public sealed class FileLockTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(FileAccess.Read, FileShare.Read, FileAccess.Read, FileShare.Read)]
    [InlineData(FileAccess.Read, FileShare.Read, FileAccess.ReadWrite, FileShare.None)]
    [InlineData(FileAccess.ReadWrite, FileShare.None, FileAccess.Read, FileShare.Read)]
    [InlineData(FileAccess.ReadWrite, FileShare.None, FileAccess.ReadWrite, FileShare.ReadWrite)]
    [InlineData(FileAccess.ReadWrite, FileShare.ReadWrite, FileAccess.ReadWrite, FileShare.ReadWrite)]
    [InlineData(FileAccess.Write, FileShare.Read, FileAccess.Write, FileShare.Read)]
    public void Two_handles_meet_as_two_of_System_IO_do(FileAccess firstAccess, FileShare firstShare, FileAccess access, FileShare share)
    {
        string path = _temp.NewFile(10);
        Type? expected;
        using (File.OpenHandle(path, FileMode.Open, firstAccess, firstShare))
        {
            expected = Record.Exception(() => File.OpenHandle(path, FileMode.Open, access, share).Dispose())?.GetType();
        }

        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            using SluiceHandle first = SluiceHandle.Open(path, FileMode.Open, firstAccess, firstShare, caching: caching);
            Record.Exception(() => SluiceHandle.Open(path, FileMode.Open, access, share).Dispose())?.GetType().ShouldBe(expected);
            Record.Exception(() => File.OpenHandle(path, FileMode.Open, access, share).Dispose())?.GetType().ShouldBe(expected);
        }
    }

    [Fact]
    public async Task Another_process_is_kept_out_until_the_handle_is_closed()
    {
        string path = _temp.NewFile(10);
        using (SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None))
        {
            (await ChildProcess.RunAsync("open-exclusively", path)).ShouldBe(1);
        }

        (await ChildProcess.RunAsync("open-exclusively", path)).ShouldBe(0);
    }

    [Fact]
    public async Task The_switch_of_System_IO_turns_locks_off()
    {
        string path = _temp.NewFile(10);
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        (await ChildProcess.RunAsync([("DOTNET_SYSTEM_IO_DISABLEFILELOCKING", "1")], ["open-exclusively", path])).ShouldBe(0);
    }

    [Fact]
    public void A_transfer_in_flight_keeps_the_lock_of_a_disposed_handle()
    {
        string path = _temp.NewFile(10);
        ManualEngine engine = new();
        SluiceHandle handle =
            SluiceHandle.Open(path, new SluiceOptions { Access = FileAccess.ReadWrite, Share = FileShare.None, Engine = engine });
        Task<int> read = handle.ReadAsync(new byte[10], 0).AsTask();
        handle.Dispose();
        Should.Throw<IOException>(() => SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None));
        engine.Complete(10);
        read.Wait();
        SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose();
    }
}
