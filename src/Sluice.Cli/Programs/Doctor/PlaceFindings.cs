using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>Tests the features of a file system with files of a scratch folder, or by reading the user's own file.</summary>
internal static class PlaceFindings
{
    private const int ScratchBytes = (int)ByteSize.MiB;

    public static IReadOnlyList<FindingGroup> Collect(string path, bool isFolder, TerminalStreams terminal)
    {
        string folder = isFolder ? path : Path.GetDirectoryName(Path.GetFullPath(path)) ?? path;
        var groups = new List<FindingGroup>();
        if (!CapabilityProbe.IsSupported)
        {
            const string Where = "tried on 64-bit Linux only";
            groups.Add(new FindingGroup(path,
                [Finding.Unknown("caching, preallocation, extents", Where, "FileCaching.Direct and Uncached open Cached"),
                    SpaceFindings.FreeSpace(folder)]));
            return groups;
        }
        if (!isFolder)
            groups.Add(new FindingGroup($"{path}, read only", [.. OfFile(path)]));
        if (PathKinds.Of(path) != PathKind.BlockDevice)
            groups.Add(new FindingGroup($"file system of {folder}", [.. OfFolder(folder, terminal)]));
        return groups;
    }

    private static List<Finding> OfFile(string path)
    {
        var findings = new List<Finding>();
        try
        {
            using SluiceHandle file = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            findings.Add(Finding.Fact("length", ByteSize.Format(file.Length)));
            findings.AddRange(CacheFindings.Collect(file, mayWrite: false));
            findings.AddRange(DirectFindings.Collect(file, mayWrite: false, EnvironmentProbe.MountOf(path)?.FileSystem));
            findings.Add(SpaceFindings.Extents(file));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            findings.Add(Finding.Unknown("reading it", $"not tried: {ErrorText.Of(e)}",
                "its folder's answers hold for it too"));
        }
        return findings;
    }

    private static List<Finding> OfFolder(string folder, TerminalStreams terminal)
    {
        var findings = new List<Finding>();
        try
        {
            ProgramRun.RemoveLeftovers(folder, terminal);
            using ScratchFolder scratch = ScratchFolder.Create(folder, terminal.TellAtEnd);
            Probe(scratch.FullPath, findings);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            findings.Add(Finding.Unknown("what needs a file of ours", $"not tried: {ErrorText.Of(e)}",
                "each is found out at its first use"));
        }
        findings.Add(SpaceFindings.FreeSpace(folder));
        return findings;
    }

    private static void Probe(string scratch, List<Finding> findings)
    {
        using SluiceHandle file = SluiceHandle.Open(Path.Combine(scratch, "doctor.dat"), FileMode.Create, FileAccess.ReadWrite);
        byte[] content = new byte[ScratchBytes];
        new Random(1).NextBytes(content);
        file.Write(content, 0);
        file.FlushToDisk();
        findings.AddRange(CacheFindings.Collect(file, mayWrite: true));
        findings.AddRange(DirectFindings.Collect(file, mayWrite: true, EnvironmentProbe.MountOf(scratch)?.FileSystem));
        findings.Add(SpaceFindings.Extents(file));
        findings.AddRange(SpaceFindings.Collect(file, scratch));
    }
}
