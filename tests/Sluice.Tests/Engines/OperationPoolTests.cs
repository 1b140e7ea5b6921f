using System.Collections.Concurrent;
using Sluice.Engines;

namespace Sluice.Tests.Engines;

public sealed class OperationPoolTests
{
    [Fact]
    public void What_is_returned_is_rented_again()
    {
        IoOperation operation = OperationPool.Rent();
        OperationPool.Return(operation);
        OperationPool.Rent().ShouldBeSameAs(operation);
        OperationPool.Return(operation);
    }

    [Fact]
    public void No_operation_has_two_tenants()
    {
        ConcurrentDictionary<IoOperation, int> tenants = [];
        ConcurrentBag<IoOperation> elsewhere = [];
        Parallel.For(0, 8, new ParallelOptions { MaxDegreeOfParallelism = 8 }, n =>
        {
            Random random = new(n);
            for (int i = 0; i < 500; i++)
            {
                List<IoOperation> mine = [.. Enumerable.Range(0, random.Next(80)).Select(_ => OperationPool.Rent())];
                mine.ForEach(o => tenants.TryAdd(o, n).ShouldBeTrue());
                foreach (IoOperation operation in mine)
                {
                    // Half of them end on another thread, as completions do.
                    if (random.Next(2) == 0)
                    {
                        elsewhere.Add(operation);
                    }
                    else
                    {
                        GiveBack(operation);
                    }
                }

                while (random.Next(20) != 0 && elsewhere.TryTake(out IoOperation? other))
                {
                    GiveBack(other);
                }
            }
        });
        tenants.Keys.ToHashSet().SetEquals(elsewhere).ShouldBeTrue();

        void GiveBack(IoOperation operation)
        {
            tenants.TryRemove(operation, out _).ShouldBeTrue();
            OperationPool.Return(operation);
        }
    }
}
