using FsCheck;
using FsCheck.Fluent;

namespace Sluice.Tests.Streams;

/// <summary>Random cases, and how to make a failing one simpler.</summary>
internal static class StreamCases
{
    private static readonly int[] Borders =
        [0, 1, 63, 64, 65, 127, 128, 129, 511, 512, 513, 4095, 4096, 4097, 8191, 8192, 8193, 16_384, 32_768, 49_151, 49_152, 49_153,
            65_536];

    private static readonly Gen<int> Size = Gen.Frequency(
        (4, Gen.Choose(0, 200)), (3, Gen.Elements(Borders)), (3, Gen.Choose(0, 5_000)), (1, Gen.Choose(0, StreamActor.MaxTransfer)));

    private static readonly Gen<int> Offset = Gen.Frequency(
        (3, Gen.Choose(-70, 70)), (3, Gen.Choose(-5_000, 5_000)), (1, Gen.Choose(-100_000, 100_000)), (2, Gen.Elements(Borders)));

    private static readonly Gen<int> Form = Gen.Choose(0, 1_000);

    private static readonly Gen<int> Repeats = Gen.Frequency((12, Gen.Constant(1)), (2, Gen.Choose(2, 10)), (1, Gen.Choose(10, 60)));

    private static readonly Gen<StreamStep> Step = Gen.Frequency(
        (22, Steps(StreamVerb.Read, Size, Repeats)),
        (22, Steps(StreamVerb.Write, Size, Repeats)),
        (7, Steps(StreamVerb.ReadByte, Gen.Constant(0), Gen.Choose(1, 150))),
        (7, Steps(StreamVerb.WriteByte, Gen.Constant(0), Gen.Choose(1, 150))),
        (9, Steps(StreamVerb.Seek, Offset, Gen.Constant(1))),
        (4, Steps(StreamVerb.SetPosition, Offset, Gen.Constant(1))),
        (2, Steps(StreamVerb.GetLength, Gen.Constant(0), Gen.Constant(1))),
        (3, Steps(StreamVerb.SetLength, Offset, Gen.Constant(1))),
        (5, Steps(StreamVerb.Flush, Gen.Constant(0), Gen.Constant(1))),
        (2, Steps(StreamVerb.CopyTo, Size, Gen.Constant(1))),
        (1, Steps(StreamVerb.LockAndUnlock, Size, Gen.Choose(0, 100))),
        (2, Steps(StreamVerb.GetHandle, Gen.Constant(0), Gen.Constant(1))),
        (1, Steps(StreamVerb.GetProperties, Gen.Constant(0), Gen.Constant(1))),
        (5, Steps(StreamVerb.Overlap, Size, Gen.Choose(0, 4))),
        (3, Steps(StreamVerb.Cancelled, Size, Gen.Constant(1))),
        (4, Steps(StreamVerb.BadArgument, Gen.Constant(0), Gen.Constant(1))),
        (1, Steps(StreamVerb.Dispose, Gen.Constant(0), Gen.Constant(1))),
        (1, Steps(StreamVerb.Reopen, Gen.Constant(0), Gen.Constant(1))));

    /// <summary>Cases of so many steps on streams of one configuration.</summary>
    public static Arbitrary<StreamCase> Of(StreamConfiguration configuration, int steps)
    {
        Gen<StreamCase> cases =
            from initial in Gen.Frequency((1, Gen.Constant(0)), (2, Size), (1, Gen.Choose(0, 300_000)))
            from share in Gen.Elements(FileShare.Read, FileShare.ReadWrite)
            from taken in Gen.ArrayOf(Step, steps)
            select new StreamCase(configuration with { Share = share }, initial, taken);
        return Arb.From(cases, Simpler);
    }

    private static Gen<StreamStep> Steps(StreamVerb verb, Gen<int> size, Gen<int> count) =>
        from form in Form
        from bytes in size
        from times in count
        from anchor in Gen.Choose(0, 2)
        select new StreamStep(verb, form, bytes, times, anchor);

    /// <summary>Fewer steps first, then smaller ones, then less in the file.</summary>
    private static IEnumerable<StreamCase> Simpler(StreamCase @case)
    {
        StreamStep[] steps = @case.Steps;
        for (int removed = steps.Length; removed >= 1; removed /= 2)
        {
            for (int start = 0; start + removed <= steps.Length; start += removed)
            {
                yield return @case with { Steps = [.. steps[..start], .. steps[(start + removed)..]] };
            }
        }

        for (int i = 0; i < steps.Length; i++)
        {
            foreach (StreamStep simpler in Simpler(steps[i]))
            {
                yield return @case with { Steps = [.. steps[..i], simpler, .. steps[(i + 1)..]] };
            }
        }

        foreach (int length in Smaller(@case.InitialLength))
        {
            yield return @case with { InitialLength = length };
        }
    }

    private static IEnumerable<StreamStep> Simpler(StreamStep step)
    {
        foreach (int count in Smaller(step.Count))
        {
            yield return step with { Count = count };
        }

        foreach (int size in Smaller(step.Size))
        {
            yield return step with { Size = size };
        }

        // Of several forms with one meaning the smallest is kept.
        if (step.Form >= 8
            && step.Verb is StreamVerb.Read or StreamVerb.Flush or StreamVerb.CopyTo or StreamVerb.Overlap or StreamVerb.Dispose)
        {
            yield return step with { Form = step.Form % 8 };
        }

        if (step.Form is > 0 and < 8)
        {
            yield return step with { Form = 0 };
        }
    }

    private static IEnumerable<int> Smaller(int value)
    {
        if (value == 0)
        {
            yield break;
        }

        yield return 0;
        if (Math.Abs(value) > 1)
        {
            yield return value / 2;
            yield return value - Math.Sign(value);
        }
    }
}
