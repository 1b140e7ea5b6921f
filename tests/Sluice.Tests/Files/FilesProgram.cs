namespace Sluice.Tests.Files;

/// <summary>What tests of files and enumerations do in a process of their own, because it concerns all of a process.</summary>
internal static class FilesProgram
{
    /// <summary>Enumerates with every thread of the pool taken; 0 when everything was found.</summary>
    public static int EnumerateStarved(string root, int files)
    {
        using BusyPool pool = new(2, () => "enumerations");
        EnumerationOptions all = new() { RecurseSubdirectories = true };
        for (int i = 0; i < 100; i++)
        {
            SluiceFile.EnumerateFiles(root, "*", all).Any().ShouldBeTrue();
            SluiceFile.EnumerateFileEntries(root, "*", all).Skip(files / 2).First().Length.ShouldBe(1);
        }

        SluiceFile.EnumerateFiles(root, "*", all).Count().ShouldBe(files);
        SluiceFile.EnumerateFileEntries(root, "*", all).Sum(e => e.Length).ShouldBe(files);
        return 0;
    }

    /// <summary>Reads and writes batches by relative names where the current folder is gone; 0 when each failed as with File and nothing
    /// stays open.</summary>
    public static async Task<int> BatchWithoutFolderAsync(string root)
    {
        string folder = Directory.CreateDirectory(Path.Combine(root, "gone")).FullName;
        string present = Path.Combine(root, "present");
        await File.WriteAllBytesAsync(present, [1, 2, 3]);
        Environment.CurrentDirectory = folder;
        Directory.Delete(folder);
        Type expected = Record.Exception(() => File.ReadAllBytes("name")).ShouldNotBeNull().GetType();
        Type expectedOfWriting = Record.Exception(() => File.WriteAllBytes("name", [])).ShouldNotBeNull().GetType();
        int before = 0;
        for (int round = 0; round < 50; round++)
        {
            string[] paths = [present, "name", "below/name", present, "../name", present];
            int seen = 0;
            await foreach (FileReadResult result in SluiceFile.ReadManyAsync(paths, new FileBatchOptions { ContinueOnError = true }))
            {
                (result.Error?.GetType()).ShouldBe(paths[seen] == present ? null : expected);
                seen++;
            }

            seen.ShouldBe(paths.Length);
            FileBatchException thrown = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.WriteManyAsync(
                [("name", new byte[2]), (present, new byte[3])], new FileBatchOptions { ContinueOnError = true }));
            thrown.Failures.Single().Error.GetType().ShouldBe(expectedOfWriting);
            thrown.FilesCompleted.ShouldBe(1);
            int open = Directory.GetFileSystemEntries("/proc/self/fd").Length;
            before = round == 5 ? open : before;
            (round < 5 || open <= before + 4).ShouldBeTrue($"{open} descriptors after {before}");
        }

        return 0;
    }
}
