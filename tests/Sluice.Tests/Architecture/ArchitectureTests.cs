using System.Text.RegularExpressions;

namespace Sluice.Tests.Architecture;

/// <summary>The house as docs/architecture.md describes it, held by a scan of the sources: every name of a file against the types that are
/// declared.</summary>
[Trait("Runs", "once")]
public sealed partial class ArchitectureTests
{
    private const int MaxLines = 400;
    private const int MaxColumns = 140;
    private const int MaxEngineLines = 600;
    private const int MaxFilesOfARoom = 45;
    private const int TimeoutMs = 30_000;

    private static readonly SourceTree Library = SourceTree.Of("Sluice");
    private static readonly SourceTree Tool = SourceTree.Of("Sluice.Cli");

    private static readonly Dictionary<string, int> LibraryFloors = new(StringComparer.Ordinal)
    {
        ["Files"] = 6,
        ["Copying"] = 5,
        ["Sequential"] = 5,
        ["Streams"] = 5,
        ["Log"] = 5,
        ["Handles"] = 4,
        ["Engines"] = 3,
        ["Diagnostics"] = 3,
        ["Enumeration"] = 3,
        ["Errors"] = 2,
        ["Memory"] = 1,
        ["Kernel"] = 0,
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
        "Handles/AppendCombiner.cs",
        "Handles/AppendTarget.cs",
        "Handles/Fiemap.cs",
        "Handles/VectorCall.cs",
        "Kernel/AttributeCalls.cs",
        "Kernel/CacheCalls.cs",
        "Kernel/CopyCalls.cs",
        "Kernel/FutexWord.cs",
        "Kernel/Libc.cs",
        "Kernel/MemoryCalls.cs",
        "Kernel/NodeCalls.cs",
        "Kernel/PathCalls.cs",
        "Kernel/SharedCalls.cs",
        "Kernel/SharedMemoryCalls.cs",
        "Kernel/SpaceCalls.cs",
        "Kernel/TransferCalls.cs",

        // A prefetch takes an address.
        "Log/Frames/Crc32C.cs",
        "Memory/HugePages.cs",
        "Memory/PinnedMemory.cs",
        "Memory/PinnedMemoryManager.cs",
    };

    /// <summary>Numbers of the room Engines that were not tuned: bits, units, and what a format or a limit says.</summary>
    private static readonly Dictionary<string, string[]> OtherNumbers = new(StringComparer.Ordinal)
    {
        // Units, and parts of a version.
        ["Engines/DutyTurn.cs"] = ["1_000_000"],
        ["Engines/UringEngine.cs"] = ["1_000_000"],
        ["Engines/WritePace.cs"] = ["1_000_000"],
        ["Engines/SluiceMeter.cs"] = ["3"],

        // How many verbs, cachings and carriers there are, and rows of counts that share no cache line.
        ["Engines/IoMetrics.cs"] = ["4", "3", "128", "16", "64"],

        // Bits, and the pages that have one in a word.
        ["Engines/KeptPages.cs"] = ["16"],
        ["Engines/OpenFile.cs"] = ["4", "8"],
        ["Engines/SlotTable.cs"] = ["32"],

        // A page where the file system says nothing; bits of a device's number, and of how far from the last offset.
        ["Engines/OpenFile.Caching.cs"] = ["4096", "32", "20"],

        // The end of what a setting may ask for.
        ["Engines/SluiceEngines.cs"] = ["256"],
    };

    /// <summary>Two and less are no tuning; what has another base is bits; Debug builds have small numbers of their own.</summary>
    [Fact]
    public void A_tuned_number_of_the_engines_stands_in_the_file_of_tuned_numbers()
    {
        IEnumerable<SourceTree.SourceFile> engines = Library.Files.Where(static f => f.Room == "Engines");
        Dictionary<string, string[]> found = engines
            .Select(static f => (f.Name, Numbers: Number().Matches(DebugPart().Replace(f.Code, ""))
                .Select(static m => m.Value).Where(static n => n is not ("0" or "1" or "2")).Distinct().ToArray()))
            .Where(static f => f.Numbers.Length > 0)
            .ToDictionary(static f => f.Name, static f => f.Numbers, StringComparer.Ordinal);
        Told(found).ShouldBe(Told(OtherNumbers), ignoreOrder: true);

        static IEnumerable<string> Told(Dictionary<string, string[]> numbers) =>
            numbers.Select(static f => $"{f.Key}: {string.Join(' ', f.Value.Order(StringComparer.Ordinal))}");
    }

    [Fact]
    public void A_file_of_the_library_names_its_own_room_and_lower_floors_only() => Upward(Library, LibraryFloors).ShouldBeEmpty();

    [Fact]
    public void A_file_of_the_tool_names_its_own_room_and_lower_floors_only() => Upward(Tool, ToolFloors).ShouldBeEmpty();

    [Fact]
    public void An_internal_namespace_is_its_folder()
    {
        Misplaced(Library, "Sluice").ShouldBeEmpty();
        Misplaced(Tool, "Sluice.Cli").ShouldBeEmpty();
    }

    [Fact]
    public void Foreign_functions_are_declared_in_the_kernel_room_and_the_rings_project_only() =>
        Everything()
            .Where(p => ForeignFunction().IsMatch(p.File.Code))
            .Select(p => $"{Path.GetFileName(p.Tree.Folder)}/{p.File.Name}")
            .Where(name => !name.StartsWith("Sluice/Kernel/", StringComparison.Ordinal)
                && !name.StartsWith("Sluice.Uring/", StringComparison.Ordinal))
            // It stands on public API only, which has no close(2) that tells what it says.
            .ShouldBe(["Sluice.Classic/DescriptorClose.cs"]);

    [Fact]
    public void Sources_are_compiled_as_they_stand_but_for_what_is_smaller_in_debug_builds()
    {
        string[] conditions =
        [
            .. Everything().SelectMany(p => p.File.Lines
                .Select(l => l.TrimStart())
                .Where(l => l.StartsWith("#if", StringComparison.Ordinal) || l.StartsWith("#elif", StringComparison.Ordinal))),
        ];
        conditions.Distinct().ShouldBe(["#if DEBUG"]);
    }

    [Fact]
    public void Unsafe_code_stands_in_the_files_of_a_list()
    {
        // All but Sluice.Uring, which is the kernel's memory from end to end.
        string[] others = ["Sluice.Classic", "Sluice.Testing", "Sluice.Extensions.Logging", "Sluice.Serilog", "Sluice.Cli"];
        string[] found =
        [
            .. Library.Files.Where(f => UnsafeCode().IsMatch(f.Code)).Select(f => f.Name),
            .. others.SelectMany(static project =>
                SourceTree.Of(project).Files.Where(static f => UnsafeCode().IsMatch(f.Code)).Select(f => $"{project}/{f.Name}")),
        ];
        found.Except(UnsafeFiles).ShouldBeEmpty();
        UnsafeFiles.Except(found).ShouldBeEmpty("these are in the list, and have no unsafe code");
    }

    [Fact]
    public void Files_and_rooms_keep_their_size()
    {
        List<string> tooLarge = [];
        foreach (string folder in (string[])["src", "tests", "samples", "eng", "bench"])
        {
            foreach (string path in SourceTree.PathsBelow(Path.Combine(SourceTree.Root, folder)))
            {
                string[] lines = File.ReadAllLines(path);
                if (lines.Length > MaxLines)
                {
                    tooLarge.Add($"{path} has {lines.Length} lines");
                }

                tooLarge.AddRange(lines.Index().Where(line => line.Item.Length > MaxColumns)
                    .Select(line => $"{path}:{line.Index + 1} has {line.Item.Length} columns"));
            }
        }

        tooLarge.AddRange(new[] { Library, Tool, SourceTree.Of("Sluice.Uring") }
            .SelectMany(tree => tree.Files.GroupBy(f => Path.GetDirectoryName(f.Name)!)
                .Where(g => g.Count() > MaxFilesOfARoom)
                .Select(g => $"{Path.GetFileName(tree.Folder)}/{g.Key} has {g.Count()} files")));
        tooLarge.ShouldBeEmpty();
    }

    [Fact]
    public void The_engine_of_rings_is_short() =>
        Library.Files.Where(static f => f.Name.StartsWith("Engines/UringEngine.", StringComparison.Ordinal)).Sum(static f => f.Lines.Length)
            .ShouldBeInRange(1, MaxEngineLines - 1);

    [Fact]
    public void What_each_thread_has_of_its_own_is_justified_by_a_line_before_it() =>
        Everything().SelectMany(static p => p.File.Lines.Index()
            .Where(l => l.Item.Contains("[ThreadStatic]", StringComparison.Ordinal)
                && !p.File.Lines[l.Index - 1].TrimStart().StartsWith("//", StringComparison.Ordinal))
            .Select(l => $"{p.File.Name}:{l.Index + 1}")).ShouldBeEmpty();

    /// <summary>Memory that the kernel may write to stays, with its ring: that is said to the caller, and no process ends.</summary>
    [Fact]
    public void The_library_ends_no_process() =>
        Everything().Where(static p => p.Tree.Folder != Tool.Folder && ProcessEnd().IsMatch(p.File.Code))
            .Select(static p => p.File.Name).ShouldBeEmpty();

    /// <summary>Thread.Interrupt breaks these off, and each member of a concurrent collection: the library has them in Memory.</summary>
    [Fact]
    public void What_may_wait_is_used_through_what_is_not_broken_off() =>
        Library.Files.Where(static f => f.Room != "Memory" && Interruptible().IsMatch(f.Code))
            .Select(static f => f.Name).ShouldBeEmpty();

    [Fact]
    public void The_tool_names_no_internal_room_of_the_library_but_diagnostics()
    {
        // By a using, or half qualified from inside namespace Sluice: "Kernel.Libc".
        HashSet<string> inner =
        [
            .. Library.Files
                .Where(f => f.Namespace is { } space && space != "Sluice" && space != "Sluice.Diagnostics")
                .SelectMany(f => f.Declared.Select(type => $"{f.Room}.{type}")),
        ];
        List<string> named = [];
        foreach (SourceTree.SourceFile file in Tool.Files)
        {
            named.AddRange(QualifiedName().Matches(file.Code).Select(m => m.Value).Where(inner.Contains).Select(name =>
                $"{file.Name}: {name}"));
            named.AddRange(RoomAndType().Matches(file.Code)
                .Where(m => m.Groups["root"].Success && m.Groups["room"].Value != "Diagnostics"
                    && LibraryFloors.ContainsKey(m.Groups["room"].Value))
                .Select(m => $"{file.Name}: {m.Value}"));
            named.AddRange(file.Lines
                .Select(l => LibraryUsing().Match(l))
                .Where(m => m.Success && m.Groups["room"].Value is not ("Cli" or "Diagnostics" or "Classic" or "Testing"))
                .Select(m => $"{file.Name}: {m.Value}"));
        }

        named.ShouldBeEmpty();
    }

    [Theory]
    [InlineData("src/Sluice", "Sluice")]
    [InlineData("src/Sluice.Cli", "Sluice.Cli")]
    public void The_room_table_of_the_documents_is_the_folders(string heading, string project)
    {
        string[] lines = File.ReadAllLines(Path.Combine(SourceTree.Root, "docs", "architecture.md"));
        Dictionary<string, int> written = lines
            .SkipWhile(l => l != $"## The rooms of `{heading}`")
            .Skip(1)
            .TakeWhile(l => !l.StartsWith("## ", StringComparison.Ordinal))
            .Select(l => RoomRow().Match(l))
            .Where(m => m.Success)
            .ToDictionary(m => m.Groups["room"].Value, m => int.Parse(m.Groups["floor"].ValueSpan), StringComparer.Ordinal);
        Dictionary<string, int> floors = project == "Sluice" ? LibraryFloors : ToolFloors;
        written.OrderBy(p => p.Key, StringComparer.Ordinal).ShouldBe(floors.OrderBy(p => p.Key, StringComparer.Ordinal));
        SourceTree.Of(project).Rooms().ShouldBe(floors.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Inner_types_are_shown_to_tests_to_the_tool_and_by_the_rings_to_the_library_alone()
    {
        List<string> shown = [];
        foreach (string folder in ((string[])["src", "tests", "samples"])
            .SelectMany(top => Directory.EnumerateDirectories(Path.Combine(SourceTree.Root, top))))
        {
            IEnumerable<string> files = Directory.EnumerateFiles(folder, "*.csproj").Concat(SourceTree.PathsBelow(folder));
            shown.AddRange(files.SelectMany(file => ShownTo().Matches(File.ReadAllText(file)))
                .Select(m => $"{Path.GetFileName(folder)} to {m.Groups["who"].Value}"));
        }

        shown.Where(s => !s.EndsWith(".Tests", StringComparison.Ordinal)).ShouldBe(
            [
                // What the tool names there, the rule above says.
                "Sluice to Sluice.Cli",
                // A project without a public type, which ships inside the package Sluice.
                "Sluice.Uring to Sluice",
            ],
            ignoreOrder: true);
        shown.Count.ShouldBeGreaterThan(2);
        foreach (string name in (string[])["Directory.Build.props", "Directory.Build.targets"])
        {
            File.ReadAllText(Path.Combine(SourceTree.Root, name)).ShouldNotContain("InternalsVisibleTo");
        }
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

    private static IEnumerable<string> Misplaced(SourceTree tree, string root) =>
        from file in tree.Files
        where file.Namespace is not null && file.FolderNamespace.Length > 0
        let expected = file.DeclaresPublicType && root == "Sluice" ? root : $"{root}.{file.FolderNamespace}"
        where file.Namespace != expected && !(root == "Sluice" && file.Namespace == root && IsPartOfAPublicType(tree, file))
        select $"{file.Name} has namespace {file.Namespace}, not {expected}";

    /// <summary>A part may leave out "public", which another part of the same type says.</summary>
    private static bool IsPartOfAPublicType(SourceTree tree, SourceTree.SourceFile file) =>
        file.Declared.All(type => tree.Files.Any(f => f.DeclaresPublicType && f.Declared.Contains(type)));

    private static IEnumerable<(SourceTree Tree, SourceTree.SourceFile File)> Everything() =>
        Directory.EnumerateDirectories(Path.Combine(SourceTree.Root, "src"))
            .Select(folder => SourceTree.Of(Path.GetFileName(folder)))
            .SelectMany(tree => tree.Files.Select(file => (tree, file)));

    [GeneratedRegex(@"\b(DllImport|LibraryImport)\b", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex ForeignFunction();

    [GeneratedRegex(@"(?<![\w.])\d[\d_]*(?![\dxX_])", RegexOptions.None, TimeoutMs)]
    private static partial Regex Number();

    [GeneratedRegex(@"\b(FailFast|Environment\.Exit)\b", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex ProcessEnd();

    [GeneratedRegex(
        @"\b(Concurrent[A-Z]\w+|BlockingCollection)\b|\block \(|\b[sS]pin\w*\.Spin(Once|Until)\b|Monitor\.(Enter|Wait)\(|\.EnterScope\(",
        RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex Interruptible();

    [GeneratedRegex(@"#if DEBUG(?s:.*?)(#else|#endif)", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex DebugPart();

    [GeneratedRegex(@"\bunsafe\b(?!-)", RegexOptions.None, TimeoutMs)]
    private static partial Regex UnsafeCode();

    [GeneratedRegex(@"\b[A-Z]\w*\.[A-Z]\w*\b", RegexOptions.None, TimeoutMs)]
    private static partial Regex QualifiedName();

    [GeneratedRegex(@"\b(?<root>Sluice\.)?(?<room>[A-Z]\w*)\.(?<type>[A-Z]\w*)\b", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex RoomAndType();

    [GeneratedRegex(@"\bInternalsVisibleTo(Attribute)?(\s+Include=|\()""(?<who>[\w.]+)", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex ShownTo();

    [GeneratedRegex(@"^using (static )?Sluice\.(?<room>\w+)", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex LibraryUsing();

    [GeneratedRegex(@"^\| (?<floor>\d) \| `(?<room>\w+)/` \|", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex RoomRow();
}
