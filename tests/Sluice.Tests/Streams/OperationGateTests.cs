using System.Runtime.ExceptionServices;
using Sluice.Streams;

namespace Sluice.Tests.Streams;

/// <summary>The gate of a stream's operations by itself.</summary>
public sealed class OperationGateTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>.NET calls AppDomain.FirstChanceException where an exception is thrown: not under a lock of the stream's.</summary>
    [Fact]
    public void A_handler_of_exceptions_may_wait_for_another_thread_at_the_same_gate()
    {
        using SluiceStream stream = new(_temp.NewFile(10), FileMode.Open);
        OperationGate gate = default;
        gate.TryEnter().ShouldBeTrue();
        gate.Close(stream);
        int thread = Environment.CurrentManagedThreadId;
        int heard = 0;
        bool hasEnded = false;
        void Hear(object? sender, FirstChanceExceptionEventArgs e)
        {
            if (Environment.CurrentManagedThreadId != thread || heard++ != 0)
            {
                return;
            }

            Thread other = new(() => _ = Record.Exception(() => gate.TakePlace(stream, isAwaited: false)));
            other.Start();
            hasEnded = other.Join(Patience);
        }

        AppDomain.CurrentDomain.FirstChanceException += Hear;
        try
        {
            Should.Throw<ObjectDisposedException>(() => gate.TakePlace(stream, isAwaited: false));
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Hear;
        }

        heard.ShouldBeGreaterThan(0);
        hasEnded.ShouldBeTrue("the other thread waits for this one");
    }

    /// <summary>However whoever closes the stream has come in: another closing of it waits until what is to be written is found.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Nobody_closes_a_gate_around_one_who_is_sealing_the_stream(bool isCalled)
    {
        using SluiceStream stream = new(_temp.NewFile(10), FileMode.Open);
        OperationGate gate = default;
        if (isCalled)
        {
            gate.TryEnter().ShouldBeTrue();
            GateTurn turn = gate.TakePlace(stream, isAwaited: false, toClose: true)!;
            gate.Exit(stream).ShouldBeTrue();
            turn.IsCalled.ShouldBeTrue();
        }
        else
        {
            gate.TryEnterToClose().ShouldBeTrue();
        }

        gate.TryAbandon(stream, whoeverHolds: true).ShouldBeFalse();
        gate.EndSealing();
        gate.TryAbandon(stream, whoeverHolds: true).ShouldBeTrue();
    }
}
