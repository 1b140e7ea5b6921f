using System.Numerics;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// Pages that small transfers of an uncached or direct file have left in the page cache, since a stream on it goes to and fro, or is
/// flushed again and again: they are met again soon. Those of long ago are written back and dropped, so that they are few.
/// </summary>
/// <remarks>
/// The page cache has them, and not this process: what others write is seen at once, and they see what is written here. A transfer is kept
/// only where all its pages have been met before, by one that was not kept: who goes here and there in a large file keeps nothing. A write
/// of an uncached file alone is kept at once. Pages are booked by areas of sixteen. An area that becomes one of the older half begins to be
/// written back, and is clean when it is dropped; one of the older half that is met again becomes the newest. Thread-safe.
/// </remarks>
internal sealed class KeptPages
{
#if DEBUG
    /// <summary>Areas, a power of two: few in Debug builds, so that every test walks the end of their stay.</summary>
    public const int MaxAreas = 4;
#else
    /// <summary>Areas, a power of two.</summary>
    public const int MaxAreas = Tuning.KeptPagesMaxAreas;
#endif

    /// <summary>As many as the words of <see cref="Area"/> have bits.</summary>
    private const int PagesOfArea = 16;

    private readonly Lock _lock = new();
    private readonly Area[] _areas = new Area[MaxAreas];
    private int _next;

    private static long AreaBytes => PagesOfArea * Environment.SystemPageSize;

    /// <summary>Whether all pages of a transfer have been met lately; they have from now on. The caller holds a reference.</summary>
    public bool IsMetAgain(int fd, long offset, int bytes) => Note(fd, offset, bytes, 0, 0);

    /// <summary>Books what a transfer has left in the page cache; the caller holds a reference.</summary>
    public void Note(int fd, long offset, int bytes, bool isRead) =>
        Note(fd, offset, bytes, ushort.MaxValue, isRead ? (ushort)0 : ushort.MaxValue);

    /// <summary>
    /// Drops what was only read, and leaves to the kernel what was written just before: the file is being closed, and nobody waits then for
    /// the device to be set to work. The caller holds a reference.
    /// </summary>
    public void Leave(int fd)
    {
        for (int i = 0; i < MaxAreas; i++)
        {
            Area left;
            using (_lock.EnterUninterrupted())
            {
                left = _areas[i];
                _areas[i] = default;
            }

            Drop(fd, left, left.Dirty);
        }
    }

    private bool Note(int fd, long offset, int bytes, ushort kept, ushort dirty)
    {
        if (bytes <= 0)
        {
            return false;
        }

        long first = offset / Environment.SystemPageSize;
        long last = (offset + bytes - 1) / Environment.SystemPageSize;
        bool wereMet = true;
        for (long area = first / PagesOfArea; area <= last / PagesOfArea; area++)
        {
            int from = (int)Math.Max(first - (area * PagesOfArea), 0);
            int to = (int)Math.Min(last - (area * PagesOfArea), PagesOfArea - 1);
            ushort pages = (ushort)((2 << to) - (1 << from));
            ushort metBefore = Note(fd, new Area(area + 1, pages, (ushort)(pages & kept), (ushort)(pages & dirty)));
            wereMet &= (metBefore & pages) == pages;
        }

        return wereMet;
    }

    /// <summary>Returns which pages of the area had been met.</summary>
    private ushort Note(int fd, Area noted)
    {
        ushort metBefore = 0;
        Area begun = default;
        Area left;
        using (_lock.EnterUninterrupted())
        {
            for (int i = 0; i < MaxAreas; i++)
            {
                ref Area known = ref _areas[i];
                if (known.Number == noted.Number)
                {
                    metBefore = known.Met;
                    noted = noted.With(known);
                    if (((_next - 1 - i) & (MaxAreas - 1)) < MaxAreas / 2)
                    {
                        known = noted;
                        return metBefore;
                    }

                    known = default;
                    break;
                }
            }

            left = _areas[_next];
            _areas[_next] = noted;
            ref Area older = ref _areas[(_next - (MaxAreas / 2)) & (MaxAreas - 1)];
            if (older.Dirty != 0)
            {
                begun = older;
                older = older with { Dirty = 0 };
            }

            _next = (_next + 1) & (MaxAreas - 1);
        }

        if (begun.Number != 0)
        {
            CacheCalls.StartWriteback(fd, (begun.Number - 1) * AreaBytes, AreaBytes);
        }

        Drop(fd, left, 0);
        return metBefore;
    }

    /// <summary>Only the pages that were left there: those beside them may be somebody else's.</summary>
    private static void Drop(int fd, Area area, ushort butFor)
    {
        uint pages = (uint)(area.Kept & ~butFor);
        for (int from = 0; pages >> from != 0; from++)
        {
            int count = BitOperations.TrailingZeroCount(~(pages >> from));
            if (count != 0)
            {
                long page = ((area.Number - 1) * PagesOfArea) + from;
                CacheCalls.Drop(fd, page * Environment.SystemPageSize, (long)count * Environment.SystemPageSize);
                from += count;
            }
        }
    }

    /// <summary>Sixteen pages.</summary>
    /// <param name="Number">One more than the area's; 0 where there is none.</param>
    /// <param name="Met">Those that transfers have met.</param>
    /// <param name="Kept">Of them those that were left in the page cache.</param>
    /// <param name="Dirty">Of them those that were written, and have not begun to be written back.</param>
    private readonly record struct Area(long Number, ushort Met, ushort Kept, ushort Dirty)
    {
        public Area With(Area other) =>
            this with { Met = (ushort)(Met | other.Met), Kept = (ushort)(Kept | other.Kept), Dirty = (ushort)(Dirty | other.Dirty) };
    }
}
