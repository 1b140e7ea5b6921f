using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Copies that go on from what an earlier one left, with data that repeats itself.</summary>
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class CopyResumeTests : FaultTests
{
    private const int Block = 1 << 20;
    private const int Length = (3 * Block) + 5;

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

    [LinuxTheory]
    [MemberData(nameof(Cases))]
    public async Task A_resumed_copy_is_the_source(string data, string left, CopyMethod method)
    {
        string source = Path.Combine(Root, "source");
        string target = Path.Combine(Root, "target");
        string leftover = Path.Combine(Root, ".target.sluice-tmp");
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
