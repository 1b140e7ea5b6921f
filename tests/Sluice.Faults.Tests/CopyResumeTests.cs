using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Copies that go on from what an earlier one left, with data that repeats itself, and trees too deep for a path.</summary>
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class CopyResumeTests : IDisposable
{
    private const int Block = 1 << 20;
    private const int Length = (3 * Block) + 5;

    private readonly string _root = Directory.CreateTempSubdirectory("sluice-resume-").FullName;

    public static TheoryData<string, string, CopyMethod> Cases()
    {
        TheoryData<string, string, CopyMethod> cases = [];
        foreach (string data in (string[])["zeros", "pages", "hole"])
        {
            foreach (string left in (string[])["shorter", "equal", "longer", "foreign"])
            {
                foreach (CopyMethod method in (CopyMethod[])[CopyMethod.CopyFileRange, CopyMethod.Buffered, CopyMethod.Direct])
                {
                    cases.Add(data, left, method);
                }
            }
        }

        return cases;
    }

    // rm knows trees that are too deep for paths.
    public void Dispose() => Command.Run("rm", "-rf", _root);

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task A_resumed_copy_is_the_source(string data, string left, CopyMethod method)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "copies are resumed on Linux");
        string source = Path.Combine(_root, "source");
        string target = Path.Combine(_root, "target");
        string leftover = Path.Combine(_root, ".target.sluice-tmp");
        byte[] content = MakeSource(source, data);
        await File.WriteAllBytesAsync(leftover, left switch
        {
            "shorter" => content[..((2 * Block) - 3)],
            "longer" => [.. content, .. content],
            "foreign" => [.. content[..Block], .. Pattern.Bytes(1, 4 * Block)],
            _ => content,
        });
        File.SetUnixFileMode(leftover, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = method, Resume = true });
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(target), content, $"{data}, {left}, {method}");

        // Whole blocks count, and those of Debug builds are smaller.
        (long least, long most) = left switch
        {
            "shorter" => (Block, (2 * Block) - 3),
            "foreign" => (Block, Block),
            _ => ((long)Length, (long)Length),
        };
        result.ResumedBytes.ShouldBeInRange(least, most);
        File.Exists(leftover).ShouldBeFalse();
    }

    [SkippableFact]
    public async Task A_tree_deeper_than_any_path_is_copied()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "PATH_MAX is Linux's");
        const int depth = 30;
        string tree = Directory.CreateDirectory(Path.Combine(_root, "tree")).FullName;
        OpenLeaf(tree, depth, makes: true).ShouldBe(0);
        string copy = Path.Combine(_root, "copy");
        CopyResult result = await SluiceFile.CopyAsync(tree, copy, new CopyOptions { Recurse = true, PreserveMetadata = true });
        result.Files.ShouldBe(1);
        OpenLeaf(copy, depth, makes: false).ShouldBe(0);
    }

    /// <summary>Goes down by open folders and opens a file there, both made where they are to be; 0, or a negative errno.</summary>
    private static int OpenLeaf(string top, int depth, bool makes)
    {
        byte[] name = PathCalls.ToKernel(new string('d', 200));
        int folder = PathCalls.Open(PathCalls.ToKernel(top), PathCalls.PathOnly | PathCalls.DirectoryFlag);
        for (int i = 0; i < depth && folder >= 0; i++)
        {
            int made = makes ? NodeCalls.MakeDirectory(NodePath.In(folder, name, ""), 0x1ED) : 0;
            int below = made < 0 ? made : PathCalls.OpenAt(folder, name, PathCalls.PathOnly | PathCalls.DirectoryFlag);
            PathCalls.Close(folder);
            folder = below;
        }

        if (folder < 0)
        {
            return folder;
        }

        int leaf = PathCalls.OpenAt(folder, "leaf\0"u8, PathCalls.ReadWrite | (makes ? PathCalls.Create : 0), 0x1A4);
        PathCalls.Close(folder);
        if (leaf < 0)
        {
            return leaf;
        }

        PathCalls.Close(leaf);
        return 0;
    }

    private static byte[] MakeSource(string path, string data)
    {
        byte[] content = new byte[Length];
        if (data == "pages")
        {
            byte[] page = Pattern.Bytes(2, 4096);
            for (int i = 0; i < Length; i++)
            {
                content[i] = page[i % page.Length];
            }
        }

        using FileStream file = File.Create(path);
        if (data != "hole")
        {
            file.Write(content);
            return content;
        }

        Pattern.Bytes(3, Block).CopyTo(content, 0);
        Pattern.Bytes(4, Length - (2 * Block)).CopyTo(content, 2 * Block);
        file.Write(content.AsSpan(0, Block));
        file.Position = 2 * Block;
        file.Write(content.AsSpan(2 * Block));
        return content;
    }
}
