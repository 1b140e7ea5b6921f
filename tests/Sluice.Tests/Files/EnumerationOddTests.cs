namespace Sluice.Tests.Files;

/// <summary>Enumerations of paths and files that are not as one expects them.</summary>
public sealed class EnumerationOddTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void A_path_may_be_longer_than_a_stack()
    {
        _ = _temp.NewFile(10);
        string path = _temp.Root + string.Concat(Enumerable.Repeat("/.", 500_000));
        string[] names = [];
        Thread thread = new(() => names = [.. SluiceFile.EnumerateFiles(path)], maxStackSize: 512 * 1024);
        thread.Start();
        thread.Join();
        names.ShouldBe([.. Directory.EnumerateFiles(path)]);
        SluiceFile.EnumerateFileEntries(path).ShouldHaveSingleItem().Length.ShouldBe(10);
    }

    [SkippableFact]
    public void Times_that_no_DateTime_can_be_end_no_enumeration()
    {
        Skip.IfNot(Directory.Exists("/dev/shm"), "no file system whose times have 64 bits");
        using TempFolder memory = new("/dev/shm");
        (string late, string early, string usual) = (memory.NewFile(1), memory.NewFile(2), memory.NewFile(3));
        _ = Trees.Run("touch", "-d", "@9999999999999", late);
        _ = Trees.Run("touch", "-d", "@-9999999999999", early);
        _ = Trees.Run("touch", "-d", "@1000000000", usual);
        Dictionary<long, DateTime> written =
            SluiceFile.EnumerateFileEntries(memory.Root).ToDictionary(static e => e.Length, static e => e.LastWriteTimeUtc);
        written[3].ShouldBe(File.GetLastWriteTimeUtc(usual));
        (written[1], written[2]).ShouldBe((DateTime.MaxValue, DateTime.MinValue));
    }
}
