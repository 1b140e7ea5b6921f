using System.Text.RegularExpressions;

namespace Sluice.Tests.Architecture;

/// <summary>
/// Every tuned number of the library stands with the others (Tuning). What is named here is none: a size or a bit of a format, a limit of
/// the system or of an option, a state, an error. The room Engines has a stricter rule (ArchitectureTests).
/// </summary>
public sealed partial class TunedNumbersTests
{
    private const int TimeoutMs = 30_000;

    private static readonly Dictionary<string, string> NotTuned = new(StringComparer.Ordinal)
    {
        ["Copying/CopyErrors.cs"] = "CopyTaken SourceChanged SourceEnded",
        ["Copying/CopyOptions.cs"] = "DefaultDepth MaxDepth",
        ["Copying/DirectCopy.cs"] = "FallbackAlignment",
        ["Copying/Leftovers.cs"] = "SecondsUntilStale",
        ["Copying/PortableCopier.cs"] = "maxBytes",
        ["Copying/Ranges/PartFolder.cs"] = "MaxTries",
        ["Copying/Ranges/PartNames.cs"] = "IdBytes",
        ["Copying/TargetLocation.cs"] = "MaxLinks",
        ["Copying/TemporaryFile.cs"] = "MaxTries",
        ["Copying/TemporaryFolder.cs"] = "MaxTries",
        ["Copying/TemporaryName.cs"] = "MaxNameBytes RandomBytes",
        ["Copying/TreeCheck.cs"] = "NanosecondsPerSecond",
        ["Copying/TreeEntryCopier.cs"] = "BlockBytes",
        ["Copying/TreeRoot.cs"] = "MaxBytes",
        ["Diagnostics/LargeBuffers.cs"] = "PageBytes",
        ["Diagnostics/RealPath.cs"] = "MaxLinks",
        ["Diagnostics/RingDiagnosis.cs"] = "RegisteredBytes",
        ["Enumeration/DirectoryReader.cs"] = "NameAt RecordLengthAt TypeAt TypeDirectory TypeFile TypeLink",
        ["Enumeration/EntryChunk.cs"] = "first last",
        ["Enumeration/FolderWalk.cs"] = "UsualNameChars",
        ["Files/FileRing.cs"] = "CloseMark",
        ["Files/FolderOpener.cs"] = "MaxNameBytes",
        ["Files/TextSink.cs"] = "MinRoomBytes",
        ["Handles/Fiemap.cs"] = "ExtentsPerCall",
        ["Handles/FinalRights.cs"] = "GroupShift",
        ["Handles/NodeMetadata.cs"] = "GroupShift ListEntryBytes ListHeaderBytes",
        ["Handles/SluiceHandle.Native.cs"] = "NativePieceBytes",
        ["Handles/VectorCall.cs"] = "FixedSegments MaxSegments",
        ["Log/Folders/LogFile.cs"] = "LastSecond MaxBlockPages",
        ["Log/Folders/LogState.cs"] = "Bytes Tries",
        ["Log/Folders/SegmentNames.cs"] = "IdDigits MaxId MaxIdDigits MaxNameBytes",
        ["Log/Frames/Crc32C.cs"] = "CacheLineBytes",
        ["Log/Frames/LogLayout.cs"] =
            "FooterEntryBytes FooterFixedBytes FrameHeaderBytes HeaderBytes IndexEveryBytes LengthMask "
            + "MaxFrameBytes MaxRecordBytes OpeningPayloadBytes RecordHeaderBytes TrailerBytes Withdrawn",
        ["Log/Kept/KeptMemory.cs"] = "KeyTries",
        ["Log/Kept/KeptPage.cs"] = "AlignmentBytes CountShift HeaderBytes SlotBytes StateBytes",
        ["Log/Kept/MemoryMark.cs"] = "FileBytes",
        ["Log/LogSettings.cs"] = "MaxPages MinSegmentBytes",
        ["Log/Segments/BlockTable.cs"] = "EndBytes EntryBytes FixedBytes HeaderBytes MaxBlockBytes MaxBlocks MaxRatio MinBlockBytes",
        ["Log/Segments/RecoveredLog.cs"] = "MinNumbersLeft",
        ["Log/Stages/LogPage.cs"] = "CountShift",
        ["Memory/AlignedBuffer.cs"] = "PageBytes",
        ["Memory/AlignedBufferPool.cs"] = "SmallestInSlab",
        ["Memory/HugePages.cs"] = "PageBytes",
        ["Sequential/NewlineScanner.cs"] = "Width",
        ["Sequential/ParallelScan.cs"] = "PageBytes",
        ["Sequential/ReadPipeline.cs"] = "PageBytes",
        ["Sequential/RequestTuner.cs"] = "Unit",
        ["Sequential/SluiceReader.Typed.cs"] = "MaxValueBytes",
        ["Sequential/SluiceReaderOptions.cs"] = "MaxDepth",
        ["Sequential/SluiceWriter.Typed.cs"] = "MaxPrefixBytes",
        ["Sequential/TextStart.cs"] = "MaxBytes",
        ["Sequential/WritePipeline.cs"] = "PageBytes",
        ["Streams/AdaptiveSize.cs"] = "OffsetShift",
        ["Streams/GateTurn.cs"] = "Cancelled",
        ["Streams/OperationGate.cs"] = "Abandoned Closed Sealing WaitedFor",
    };

    [Fact]
    public void A_tuned_number_stands_with_the_others()
    {
        IEnumerable<string> found = SourceTree.Of("Sluice").Files
            .Where(static f => f.Room is not ("Kernel" or "Engines" or "Errors"))
            .Select(static f => (f.Name, Constants: Constant().Matches(DebugPart().Replace(f.Code, ""))
                .Where(static m => Number().Matches(m.Groups["value"].Value).Any(static n => n.Value is not ("0" or "1" or "2")))
                .Select(static m => m.Groups["name"].Value).Distinct().Order(StringComparer.Ordinal).ToArray()))
            .Where(static f => f.Constants.Length > 0)
            .Select(static f => $"{f.Name}: {string.Join(' ', f.Constants)}");
        found.ShouldBe(NotTuned.Select(static n => $"{n.Key}: {n.Value}"), ignoreOrder: true);
    }

    [GeneratedRegex(
        @"\bconst (int|long|double|uint|nuint|ulong|float|short|byte) (?<name>\w+) =\s*(?<value>[^;]*);", RegexOptions.ExplicitCapture,
        TimeoutMs)]
    private static partial Regex Constant();

    [GeneratedRegex(@"(?<![\w.])\d[\d_]*(?![\dxX_])", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex Number();

    [GeneratedRegex("#if DEBUG(?s:.*?)(#else|#endif)", RegexOptions.ExplicitCapture, TimeoutMs)]
    private static partial Regex DebugPart();
}
