using System.Runtime.InteropServices;
using Sluice.Compatibility;

namespace Sluice.Tests.Compatibility;

/// <summary>
/// What stands in for members that .NET 8 lacks does what those do. Part of this assembly where the build for net8.0 is tested.
/// </summary>
public sealed class OlderFrameworkTests
{
    [Fact]
    public void A_boolean_is_exchanged_and_its_neighbours_stay()
    {
        for (int seed = 0; seed < 256; seed++)
        {
            for (int place = 0; place < 8; place++)
            {
                Eight before = new(seed);
                Eight after = new(seed);
                bool value = ((seed >> 3) & 1) == 0;
                InterlockedMembers.Exchange(ref after.At(place), value).ShouldBe(before.At(place));
                before.At(place) = value;
                after.Value.ShouldBe(before.Value);
            }
        }
    }

    [Fact]
    public void Of_all_that_exchange_a_boolean_at_once_one_is_first_and_writes_beside_it_are_not_lost()
    {
        for (int round = 0; round < 200; round++)
        {
            Eight shared = new(0);
            int first = 0;
            Parallel.For(0, 8, i =>
            {
                if (i is 5)
                {
                    shared.At(5) = true;
                }
                else if (!InterlockedMembers.Exchange(ref shared.At(4), true))
                {
                    Interlocked.Increment(ref first);
                }
            });
            first.ShouldBe(1);
            shared.At(4).ShouldBeTrue();
            shared.At(5).ShouldBeTrue();
        }
    }

    [Fact]
    public void An_enumeration_is_exchanged_where_it_is_what_was_expected()
    {
        DayOfWeek day = DayOfWeek.Monday;
        InterlockedMembers.CompareExchange(ref day, DayOfWeek.Friday, DayOfWeek.Tuesday).ShouldBe(DayOfWeek.Monday);
        InterlockedMembers.CompareExchange(ref day, DayOfWeek.Friday, DayOfWeek.Monday).ShouldBe(DayOfWeek.Monday);
        InterlockedMembers.Exchange(ref day, DayOfWeek.Sunday).ShouldBe(DayOfWeek.Friday);
        day.ShouldBe(DayOfWeek.Sunday);
    }

    [Fact]
    public void A_lock_is_one_for_statements_scopes_and_calls()
    {
        Lock gate = new();
        Lock.Scope scope = gate.EnterScope();
        lock (gate)
        {
            gate.TryEnter().ShouldBeTrue();
            IsFreeForAnother(gate).ShouldBeFalse();
            gate.Exit();
        }

        IsFreeForAnother(gate).ShouldBeFalse();
        gate.Enter();
        scope.Dispose();
        scope.Dispose();
        gate.IsHeldByCurrentThread.ShouldBeTrue("a scope leaves once");
        gate.Exit();
        gate.IsHeldByCurrentThread.ShouldBeFalse();
        IsFreeForAnother(gate).ShouldBeTrue();
    }

    [Fact]
    public void Bytes_are_written_in_hexadecimal_as_by_later_frameworks()
    {
        byte[] bytes = Bytes.Pattern(300);
        ConvertMembers.ToHexStringLower(bytes).ShouldBe(Convert.ToHexStringLower(bytes));
    }

    private static bool IsFreeForAnother(Lock gate)
    {
        bool isFree = false;
        Thread thread = new(() =>
        {
            isFree = gate.TryEnter();
            if (isFree)
            {
                gate.Exit();
            }
        });
        thread.Start();
        thread.Join();
        return isFree;
    }

    private sealed class Eight(int seed)
    {
        private ulong _value = Enumerable.Range(0, 8).Aggregate(0UL, (sum, i) => sum | ((ulong)((seed >> i) & 1) << (8 * i)));

        public ulong Value => _value;

        public ref bool At(int place) =>
            ref MemoryMarshal.Cast<ulong, bool>(MemoryMarshal.CreateSpan(ref _value, 1))[place];
    }
}
