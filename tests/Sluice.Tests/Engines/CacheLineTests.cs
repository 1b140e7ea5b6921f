using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Tests.Engines;

/// <summary>
/// What several threads write for each operation lies so far from all else of its object that it shares no cache line with it: wherever the
/// object lies, and where a processor fetches lines of 64 bytes in pairs or has lines of 128.
/// </summary>
[Trait("Runs", "once")]
public sealed class CacheLineTests
{
    private const int LineBytes = 128;

    private const BindingFlags Fields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    private delegate nint Place(object owner);

    [Theory]
    [InlineData("_role")]
    [InlineData("_inKernel")]
    [InlineData("_inFlight")]
    [InlineData("_gauge")]
    [InlineData("_beat")]
    [InlineData("_asked")]
    public void A_word_of_the_duty_that_threads_write_shares_no_line(string name) =>
        ShareNoLine(new CompletionDuty(1), typeof(CompletionDuty), name);

    [Theory]
    [InlineData("_executing")]
    [InlineData("_passes")]
    public void A_word_of_the_engine_that_threads_write_shares_no_line(string name) =>
        ShareNoLine(new UringEngine(), typeof(UringEngine), name);

    private static void ShareNoLine(object owner, Type type, string name)
    {
        (string Name, nint First, nint Last)[] all = [.. type.GetFields(Fields).Select(f => PlaceOf(owner, f))];
        (string Name, nint First, nint Last) one = all.Single(f => f.Name == name);
        (string Name, nint First, nint Last)[] others = [.. all.Where(f => f.Name != name)];
        others.Length.ShouldBeGreaterThan(0);
        others.Where(f => f.First < one.Last + LineBytes && one.First < f.Last + LineBytes).ShouldBeEmpty($"{one}");
    }

    /// <summary>Where a field's first and last words begin, neither of which lies in two lines; of an Apart, its number.</summary>
    private static (string Name, nint First, nint Last) PlaceOf(object owner, FieldInfo field)
    {
        bool isApart = field.FieldType == typeof(Apart);
        nint begin = Emit(field, isApart ? typeof(Apart).GetField(nameof(Apart.Value)) : null)(owner);
        int bytes = isApart ? sizeof(int) : (int)typeof(Unsafe).GetMethod(nameof(Unsafe.SizeOf))!
            .MakeGenericMethod(field.FieldType).Invoke(null, null)!;
        return (field.Name, begin, begin + Math.Max(bytes - sizeof(long), 0));
    }

    /// <summary>How far a field lies behind the beginning of its object's fields.</summary>
    private static Place Emit(FieldInfo field, FieldInfo? inner)
    {
        DynamicMethod method = new("Place", typeof(nint), [typeof(object)], typeof(CacheLineTests).Module, skipVisibility: true);
        ILGenerator il = method.GetILGenerator();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldflda, typeof(Beginning).GetField(nameof(Beginning.First))!);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldflda, field);
        if (inner is not null)
        {
            il.Emit(OpCodes.Ldflda, inner);
        }

        il.Emit(OpCodes.Call, typeof(Unsafe).GetMethods().Single(static m => m.Name == nameof(Unsafe.ByteOffset)
            && m.GetParameters()[0].ParameterType.IsByRef).MakeGenericMethod(typeof(byte)));
        il.Emit(OpCodes.Ret);
        return method.CreateDelegate<Place>();
    }

    private sealed class Beginning
    {
        public byte First = 1;
    }
}
