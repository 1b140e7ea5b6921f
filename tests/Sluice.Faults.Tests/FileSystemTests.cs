using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// What a file system may change of a handle, on one file system, for each caching mode. The process's engine and the thread pool take turns.
/// </summary>
public abstract class FileSystemTests(MountFixture fixture, FileSystemKind kind) : IClassFixture<MountFixture>
{
    public static TheoryData<string, FileCaching, string> Cases()
    {
        TheoryData<string, FileCaching, string> cases = [];
        int turn = 0;
        foreach (string check in ConformanceChecks.Names)
        {
            foreach (FileCaching caching in Enum.GetValues<FileCaching>())
            {
                cases.Add(check, caching, TestedEngines.Names[turn++ % TestedEngines.Names.Count]);
            }
        }

        return cases;
    }

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task Handle_keeps_its_promises(string check, FileCaching caching, string engine)
    {
        Mount mount = fixture.Get(kind);
        Skip.If(mount.Refusal is not null, $"{kind}: {mount.Refusal}");
        IoEngine? chosen = engine == "pool" ? SluiceEngines.Pool : null;
        await ConformanceChecks.RunAsync(check, new ConformanceTarget(mount.Folder, caching, chosen));
    }
}

/// <summary>What the folder for temporary files lies on: with TMPDIR any file system, as a lab's volume.</summary>
public sealed class LocalTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Local);

[Trait("Tier", "slow")]
public sealed class TmpfsTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Tmpfs);

[Trait("Tier", "slow")]
public sealed class RamfsTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Ramfs);

[Trait("Tier", "slow")]
public sealed class Ext4DataJournalTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Ext4DataJournal);

[Trait("Tier", "slow")]
public sealed class OverlayTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Overlay);

[Trait("Tier", "slow")]
public sealed class BindfsTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Bindfs);

[Trait("Tier", "slow")]
public sealed class Ext4Tests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Ext4);

[Trait("Tier", "slow")]
public sealed class Ext4Blocks4KTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Ext4Blocks4K);

[Trait("Tier", "slow")]
public sealed class XfsTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Xfs);

[Trait("Tier", "slow")]
public sealed class BtrfsTests(MountFixture fixture) : FileSystemTests(fixture, FileSystemKind.Btrfs);
