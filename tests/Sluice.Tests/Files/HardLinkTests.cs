namespace Sluice.Tests.Files;

/// <summary>CreateHardLink and OpenNullHandle, which File has from .NET 11 on; what they do was seen there.</summary>
public sealed class HardLinkTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void A_hard_link_is_one_more_name_of_the_file()
    {
        string target = _temp.NewFile("content"u8);
        string path = _temp.NewPath();
        FileSystemInfo link = SluiceFile.CreateHardLink(path, target);
        link.ShouldBeOfType<FileInfo>().FullName.ShouldBe(path);
        link.Exists.ShouldBeTrue();
        link.LinkTarget.ShouldBeNull();
        File.AppendAllText(target, " and more");
        File.ReadAllText(path).ShouldBe("content and more");
    }

    [SkippableFact]
    public void A_symbolic_link_is_not_followed()
    {
        Skip.If(OperatingSystem.IsWindows(), "symbolic links need a right here");
        string link = _temp.NewPath();
        File.CreateSymbolicLink(link, "nowhere");
        string path = _temp.NewPath();
        SluiceFile.CreateHardLink(path, link).LinkTarget.ShouldBe("nowhere");
    }

    [SkippableFact]
    public void Errors_are_those_of_NET_11()
    {
        Skip.If(OperatingSystem.IsWindows(), "these were seen on Linux");
        string target = _temp.NewFile("x"u8);
        string there = _temp.NewFile("y"u8);
        string folder = _temp.NewPath();
        Directory.CreateDirectory(folder);
        string free = _temp.NewPath();
        string missing = _temp.NewPath();
        Should.Throw<IOException>(() => SluiceFile.CreateHardLink(there, target)).HResult.ShouldBe(17);
        Should.Throw<IOException>(() => SluiceFile.CreateHardLink(folder, target)).HResult.ShouldBe(17);
        Should.Throw<FileNotFoundException>(() => SluiceFile.CreateHardLink(free, missing)).FileName.ShouldBe(free);
        Should.Throw<DirectoryNotFoundException>(() => SluiceFile.CreateHardLink(Path.Combine(missing, "x"), target));
        Should.Throw<DirectoryNotFoundException>(() => SluiceFile.CreateHardLink(Path.Combine(target, "x"), target));
        Should.Throw<DirectoryNotFoundException>(() => SluiceFile.CreateHardLink(free, target + "/"));
        Should.Throw<UnauthorizedAccessException>(() => SluiceFile.CreateHardLink(free, folder));
        Should.Throw<PathTooLongException>(() => SluiceFile.CreateHardLink(Path.Combine(folder, new string('x', 300)), target));
        File.Exists(free).ShouldBeFalse();
    }

    [Theory]
    [InlineData(null, typeof(ArgumentNullException))]
    [InlineData("", typeof(ArgumentException))]
    [InlineData("a\0b", typeof(ArgumentException))]
    public void What_is_no_path_is_refused(string? path, Type error)
    {
        string target = _temp.NewFile("x"u8);
        Exception first = Should.Throw(() => SluiceFile.CreateHardLink(path!, target), error);
        ((ArgumentException)first).ParamName.ShouldBe("path");
        Exception second = Should.Throw(() => SluiceFile.CreateHardLink(_temp.NewPath(), path!), error);
        ((ArgumentException)second).ParamName.ShouldBe("pathToTarget");
    }

    [Fact]
    public async Task The_null_device_takes_everything_and_gives_nothing()
    {
        await using SluiceHandle handle = SluiceFile.OpenNullHandle();
        handle.Access.ShouldBe(FileAccess.ReadWrite);
        handle.Write(Bytes.Pattern(1000), 0);
        await handle.WriteAsync(Bytes.Pattern(1000), 0);
        handle.Read(new byte[10], 0).ShouldBe(0);
        (await handle.ReadAsync(new byte[10], 0)).ShouldBe(0);
        handle.AppendAndGetOffset(Bytes.Pattern(28)).ShouldBe(0);
        (await handle.AppendAndGetOffsetAsync(Bytes.Pattern(28))).ShouldBe(0);
        Action twice = () => SluiceFile.OpenNullHandle().Dispose();
        twice.ShouldNotThrow();
    }
}
