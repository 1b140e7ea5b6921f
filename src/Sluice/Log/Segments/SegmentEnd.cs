using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>Specifies what follows the last valid frame of records in a segment.</summary>
internal enum EndKind
{
    /// <summary>The next segment begins with the next record.</summary>
    NextSegment,

    /// <summary>The log ends here.</summary>
    EndOfLog,

    /// <summary>The log ends here, and an incomplete write follows.</summary>
    TornTail,

    /// <summary>The log ends here, although later segments have begun: a power failure lost the records before them.</summary>
    NeverSynced,

    /// <summary>Segments between this one and the next are missing.</summary>
    Missing,

    /// <summary>The next segment begins with a record that this one has, too.</summary>
    WrongOrder,

    /// <summary>The segment is damaged, or durable records are missing.</summary>
    Damaged,
}

/// <summary>The verdict of the rules about the end of a segment.</summary>
/// <param name="Kind">The kind of the end.</param>
/// <param name="Path">The path of the damaged file; null for the folder.</param>
/// <param name="Offset">The offset of the damage in the file; -1 if unknown.</param>
/// <param name="Sequence">The first record that is affected.</param>
/// <param name="Reason">The damage, or the reason why the bytes after the end are not a frame; empty if there is neither.</param>
internal readonly record struct EndVerdict(EndKind Kind, string? Path, long Offset, long Sequence, string Reason)
{
    public SluiceLogDamagedException ToException(LogFolder folder) => new(Path ?? folder.Path, Offset, Sequence, Reason);
}

/// <summary>
/// The end of the valid frames of a segment, and the rules that say what it means, for the writer that opens the log and for readers: rule 3
/// of "Contents of the log" in docs/log-format.md. The first row that applies decides.
/// </summary>
/// <remarks>
/// <code>
/// next segment begins | after the frames | besides                                          | then
/// --------------------+------------------+--------------------------------------------------+------------
/// with the next record| anything         |                                                  | NextSegment
/// earlier             | anything         |                                                  | WrongOrder
/// later               | footer           |                                                  | Missing
/// later               | zeros            | the segment was removed by its writer            | Missing
/// later               | zeros, bad bytes | no footer in this or a later segment, not known  | NeverSynced
///                     |                  | to be durable, the machine may have restarted    |
/// later               | zeros, bad bytes |                                                  | Damaged
/// there is none       | zeros, bad bytes | a footer further on says that there are records  | Damaged
/// there is none       | anything         | more records were durable                        | Damaged
/// there is none       | zeros, bad bytes | complete frames follow, the machine did not      | Damaged
///                     |                  | restart                                          |
/// there is none       | bad bytes        |                                                  | TornTail
/// there is none       | zeros, footer    |                                                  | EndOfLog
/// </code>
/// </remarks>
/// <param name="Segment">The segment.</param>
/// <param name="Offset">The offset after its last valid frame of records.</param>
/// <param name="LastSequence">The sequence number of its last record.</param>
/// <param name="HasFooter">True if a footer is at the offset.</param>
/// <param name="Reason">The reason why the bytes at the offset are not a frame; null if a footer or zeros are there.</param>
/// <param name="Next">The next segment that has begun; null if there is none.</param>
internal readonly record struct SegmentEnd(
    SegmentInfo Segment, long Offset, long LastSequence, bool HasFooter, string? Reason, SegmentInfo? Next)
{
    public SegmentEnd(SegmentScan scan, SegmentInfo? next)
        : this(scan.Segment, scan.Offset, scan.LastSequence, scan.ReachesFooter, scan.Reason, next)
    {
    }

    /// <summary>True if a later segment has a footer, which is written only when everything before it is on the disk.</summary>
    public bool IsBeforeFooter { get; init; }

    /// <summary>The last sequence number that is known to be on the disk.</summary>
    public long Durable { get; init; }

    /// <summary>False if the machine is known not to have restarted since log.state was written.</summary>
    public bool MayHaveRestarted { get; init; }

    /// <summary>
    /// True if the trailer names a footer further on, which claims records after <see cref="LastSequence"/>. A footer that is contradicted
    /// by the frames before it is the content of a record.
    /// </summary>
    public bool IsBeforeOwnFooter => Offset < Segment.FooterOffset && LastSequence <= (Segment.Footer?.LastSequence ?? long.MaxValue);

    /// <summary>Applies the rules.</summary>
    /// <param name="wasRemoved">Returns true if the writer has removed the segment.</param>
    /// <param name="framesFollow">Returns true if a complete frame follows the offset.</param>
    public EndVerdict Decide(Func<bool> wasRemoved, Func<bool> framesFollow)
    {
        EndVerdict here = new(EndKind.Damaged, Segment.Path, Offset, LastSequence + 1, Reason ?? "");
        if (Next is { } next)
        {
            if (next.FirstSequence == LastSequence + 1)
            {
                return here with { Kind = EndKind.NextSegment };
            }

            if (next.FirstSequence <= LastSequence)
            {
                return new(
                    EndKind.WrongOrder, next.Path, LogLayout.HeaderBytes, next.FirstSequence, LogErrors.BeginsBeforeEnd(Segment.Path));
            }

            if (HasFooter || (Reason is null && wasRemoved()))
            {
                return new(EndKind.Missing, null, -1, LastSequence + 1, LogErrors.Missing(Segment.Path, next.Path));
            }

            bool hasOwnFooter = Segment.FooterOffset == Offset || IsBeforeOwnFooter;
            bool wasNeverSynced = !hasOwnFooter && !IsBeforeFooter && Durable <= LastSequence && MayHaveRestarted;
            return here with
            {
                Kind = wasNeverSynced ? EndKind.NeverSynced : EndKind.Damaged,
                Reason = Reason ?? "its records end before the next segment begins",
            };
        }

        if (!HasFooter && IsBeforeOwnFooter)
        {
            return here with { Reason = Reason ?? "it has zeros before its footer" };
        }

        if (Durable > LastSequence)
        {
            return Reason is null ? new(EndKind.Damaged, null, -1, LastSequence + 1, LogErrors.Lost(Durable)) : here;
        }

        if (!HasFooter && !MayHaveRestarted && framesFollow())
        {
            return here with { Reason = $"{Reason ?? "there are zeros in place of a frame"}, and complete frames follow" };
        }

        return here with { Kind = Reason is null ? EndKind.EndOfLog : EndKind.TornTail };
    }
}
