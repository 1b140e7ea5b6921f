using Shouldly;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Conformance;

/// <summary>A short walk in the manner of fsx: after each step handle, page cache and model hold the same bytes.</summary>
internal static class RandomWalk
{
    private const int Steps = 150;
    private const int MaxLength = 120_000;

    public static async Task Random_operations_match_a_model(ConformanceTarget target)
    {
        foreach (int seed in (int[])[11, 12])
        {
            await WalkAsync(target, seed);
        }
    }

    private static async Task WalkAsync(ConformanceTarget target, int seed)
    {
        using ScratchFile file = target.NewFile();
        SluiceHandle handle = target.Open(file);
        FileModel model = new();
        Random random = new(seed);
        bool allocates = target.TakesAllocate;
        bool punches = target.TakesPunch;
        byte[] seen = new byte[MaxLength * 3];
        string step = "";
        try
        {
            for (int i = 0; i < Steps; i++)
            {
                int offset = Place(random);
                byte[] bytes = Pattern.Bytes(seed * Steps + i, 1 + Place(random) % 20_000);
                int kind = random.Next(11);
                step = $"seed {seed}, step {i}, kind {kind}, offset {offset}, length {bytes.Length}, file {model.Length}";
                switch (kind)
                {
                    case 0 or 1:
                        handle.Write(bytes, offset);
                        model.Write(bytes, offset);
                        break;
                    case 2 or 3:
                        await handle.WriteAsync(bytes, offset);
                        model.Write(bytes, offset);
                        break;
                    case 4:
                        int cut = random.Next(bytes.Length);
                        await handle.WriteAsync([bytes.AsMemory(0, cut), bytes.AsMemory(cut)], offset);
                        model.Write(bytes, offset);
                        break;
                    case 5:
                        handle.WriteBatch([new WriteRequest(offset, bytes), new WriteRequest(offset + bytes.Length, bytes)]);
                        model.Write(bytes, offset);
                        model.Write(bytes, offset + bytes.Length);
                        break;
                    case 6 when model.Length < MaxLength:
                        (i % 2 == 0 ? handle.AppendAndGetOffset(bytes) : await handle.AppendAndGetOffsetAsync(bytes)).ShouldBe(model.Length, step);
                        model.Append(bytes);
                        break;
                    case 7:
                        handle.SetLength(offset);
                        model.SetLength(offset);
                        break;
                    case 8 when allocates:
                        handle.Allocate(offset, bytes.Length);
                        model.Extend(offset + bytes.Length);
                        break;
                    case 9 when punches:
                        handle.PunchHole(offset, bytes.Length);
                        model.Clear(offset, bytes.Length);
                        break;
                    default:
                        handle.Dispose();
                        handle = target.Open(file, mode: FileMode.Open);
                        break;
                }

                int read = i % 2 == 0 ? handle.Read(seen, 0) : await handle.ReadAsync(seen, 0);
                FileModel.ShouldMatch(seen.AsSpan(0, read), model.Content, step);
                read = await handle.ReadAsync(seen.AsMemory(1, bytes.Length), offset);
                FileModel.ShouldMatch(seen.AsSpan(1, read), model.Range(offset, bytes.Length), $"{step}: a part");
                if (i % 5 == 0)
                {
                    FileModel.ShouldMatch(file.Content, model.Content, $"{step}: cached");
                }
            }
        }
        catch (Exception e) when (e is not ShouldAssertException)
        {
            throw new ShouldAssertException($"{step}: {e}", e);
        }
        finally
        {
            handle.Dispose();
        }
    }

    /// <summary>Half of all places lie on a sector's or page's border, or one byte beside it.</summary>
    private static int Place(Random random)
    {
        int place = random.Next(MaxLength);
        return random.Next(4) switch
        {
            0 => place & ~511,
            1 => Math.Max(0, (place & ~4095) + random.Next(-1, 2)),
            _ => place,
        };
    }
}
