using System.Text.RegularExpressions;

namespace Sluice.Tests.Architecture;

/// <summary>The house as docs/architecture.md describes it, held by a scan of the sources: every name of a file against the types that are
/// declared.</summary>
[Trait("Runs", "once")]
public sealed partial class ArchitectureTests
{
    private const int TimeoutMs = 30_000;

    private static readonly SourceTree Library = SourceTree.Of("Sluice");
    private static readonly SourceTree Tool = SourceTree.Of("Sluice.Cli");

    private static readonly Dictionary<string, int> LibraryFloors = new(StringComparer.Ordinal)
    {
        ["Files"] = 7,
        ["Copying"] = 6,
        ["Sequential"] = 6,
        ["Streams"] = 6,
        ["Log"] = 6,
        ["Handles"] = 5,
        ["Engines"] = 4,
        ["Diagnostics"] = 4,
        ["Enumeration"] = 4,
        ["Errors"] = 3,
        ["Memory"] = 2,
        ["Kernel"] = 1,
        ["Uring"] = 0,
    };

    private static readonly Dictionary<string, int> ToolFloors = new(StringComparer.Ordinal)
    {
        ["Commands"] = 6,
        ["Compare"] = 5,
        ["Programs"] = 4,
        ["Bench"] = 3,
        ["Load"] = 2,
        ["Report"] = 1,
        ["Terminal"] = 0,
    };

    /// <summary>Files with unsafe code: whoever adds one says in review why a span would not do.</summary>
    private static readonly HashSet<string> UnsafeFiles = new(StringComparer.Ordinal)
    {
        "Sluice.Classic/PinnedArray.cs",
        "Diagnostics/CapabilityProbe.cs",
        "Diagnostics/RingDiagnosis.cs",
        "Engines/BorrowedRing.cs",
        "Engines/IoOperation.Waiting.cs",
        "Engines/LinuxTransfer.cs",
        "Engines/OperationEncoder.cs",
        "Engines/PortableTransfer.cs",
        "Engines/SegmentCursor.cs",
        "Files/FileRing.cs",
        "Handles/AppendTarget.cs",
        "Handles/Fiemap.cs",
        "Kernel/AttributeCalls.cs",
        "Kernel/CopyCalls.cs",
        "Kernel/FutexWord.cs",
        "Kernel/Libc.cs",
        "Kernel/MemoryCalls.cs",
        "Kernel/NodeCalls.cs",
        "Kernel/PathCalls.cs",
        "Kernel/SpaceCalls.cs",
        "Kernel/TransferCalls.cs",

        // A prefetch takes an address.
        "Log/Frames/Crc32C.cs",
        "Memory/HugePages.cs",
        "Memory/PinnedMemory.cs",
        "Memory/PinnedMemoryManager.cs",
    };

    [Fact]
    public void A_file_of_the_library_names_its_own_room_and_lower_floors_only() => Upward(Library, LibraryFloors).ShouldBeEmpty();

    [Fact]
    public void A_file_of_the_tool_uses_only_its_own_folder_and_lower_layers() => Upward(Tool, ToolFloors).ShouldBeEmpty();

    [Fact]
    public void Foreign_functions_are_declared_in_Kernel_and_Uring_only() =>
        Everything()
            .Where(p => ForeignFunction().IsMatch(p.File.Code))
            .Select(p => $"{Path.GetFileName(p.Tree.Folder)}/{p.File.Name}")
            .Where(name => !name.StartsWith("Sluice/Kernel/", StringComparison.Ordinal)
                && !name.StartsWith("Sluice/Uring/", StringComparison.Ordinal))
            // It stands on public API only, which has no close(2) that tells what it says.
            .ShouldBe(["Sluice.Classic/DescriptorClose.cs"]);

    [Fact]
    public void Unsafe_code_stands_in_the_files_of_a_list()
    {
        // The folder Uring is left out: it consists of structures that it shares with the kernel.
        string[] others = ["Sluice.Classic", "Sluice.Testing", "Sluice.Extensions.Logging", "Sluice.Serilog", "Sluice.Lucene", "Sluice.Cli"];
        string[] found =
        [
            .. Library.Files.Where(f => f.Room != "Uring" && UnsafeCode().IsMatch(f.Code)).Select(f => f.Name),
            .. others.SelectMany(static project =>
                SourceTree.Of(project).Files.Where(static f => UnsafeCode().IsMatch(f.Code)).Select(f => $"{project}/{f.Name}")),
        ];
        found.Except(UnsafeFiles).ShouldBeEmpty();
        UnsafeFiles.Except(found).ShouldBeEmpty("these are in the list, and have no unsafe code");
    }

    /// <summary>Every name of a type that lies on a higher floor, or beside.</summary>
    private static List<string> Upward(SourceTree tree, Dictionary<string, int> floors)
    {
        ILookup<string, SourceTree.SourceFile> types = tree.FilesOfTypes();
        List<string> upward = [];
        foreach (SourceTree.SourceFile file in tree.Files.Where(f => f.Room.Length > 0))
        {
            floors.ShouldContainKey(file.Room, file.Name);
            foreach (string name in file.Identifiers.Where(types.Contains))
            {
                // A name that several rooms declare is this room's own where it has one.
                string[] declaring =
                    [.. types[name].Where(f => f.Namespace is { } space && file.Sees(space)).Select(f => f.Room).Distinct()];
                if (declaring.Length > 0 && !declaring.Contains(file.Room) && !declaring.Any(r => IsBelow(floors, r, file.Room)))
                {
                    upward.Add($"{file.Name} ({file.Room}) names {name} ({string.Join(", ", declaring)})");
                }
            }

            // With the room before it, a type needs no using.
            upward.AddRange(RoomAndType().Matches(file.Code)
                .Select(m => (Room: m.Groups["room"].Value, Type: m.Groups["type"].Value))
                .Where(n => n.Room != file.Room && floors.ContainsKey(n.Room) && !IsBelow(floors, n.Room, file.Room)
                    && types[n.Type].Any(f => f.Room == n.Room))
                .Select(n => $"{file.Name} ({file.Room}) names {n.Room}.{n.Type}"));
        }

        return upward;
    }

    private static bool IsBelow(Dictionary<string, int> floors, string lower, string upper) =>
        floors[lower] < floors[upper];

    private static IEnumerable<(SourceTree Tree, SourceTree.SourceFile File)> Everything() =>
        Directory.EnumerateDirectories(Path.Combine(SourceTree.Root, "src"))
            .Select(folder => SourceTree.Of(Path.GetFileName(folder)))
            .SelectMany(tree => tree.Files.Select(file => (tree, file)));

    [GeneratedRegex(@"\b(DllImport|LibraryImport)\b", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex ForeignFunction();

    [GeneratedRegex(@"\bunsafe\b(?!-)", RegexOptions.None, TimeoutMs)]
    private static partial Regex UnsafeCode();

    [GeneratedRegex(@"\b(?<root>Sluice\.)?(?<room>[A-Z]\w*)\.(?<type>[A-Z]\w*)\b", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex RoomAndType();
}
