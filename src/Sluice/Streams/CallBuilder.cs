using System.Runtime.CompilerServices;
using Sluice.Memory;

namespace Sluice.Streams;

/// <summary>
/// Builds the asynchronous methods that a stream's callers await, by .NET's builder whose tasks are used again. That one needs memory where
/// a method is suspended first, and throws what it has not: the method would end, with the gate taken, while what it awaits has its
/// caller's memory. Here it waits for some.
/// </summary>
/// <remarks>For methods that await a <see cref="ValueTask"/> alone: of such a one nothing is registered where the builder throws.</remarks>
internal struct CallBuilder<T>
{
    // Not read-only: it changes.
    private PoolingAsyncValueTaskMethodBuilder<T> _builder;

    public ValueTask<T> Task
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _builder.Task;
    }

    public static CallBuilder<T> Create() => default;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine =>
        _builder.Start(ref stateMachine);

    public readonly void SetStateMachine(IAsyncStateMachine stateMachine) => _builder.SetStateMachine(stateMachine);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void SetResult(T result) => _builder.SetResult(result);

    public void SetException(Exception error) => _builder.SetException(error);

    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine =>
        _builder.AwaitOnCompleted(ref awaiter, ref stateMachine);

    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                Seam.QueueMemory();
                _builder.AwaitUnsafeOnCompleted(ref awaiter, ref stateMachine);
                break;
            }
            catch (OutOfMemoryException)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }

        Uninterrupted.Restore(isInterrupted);
    }
}

/// <summary>As <see cref="CallBuilder{T}"/>, of methods without a result.</summary>
internal struct CallBuilder
{
    private PoolingAsyncValueTaskMethodBuilder _builder;

    public ValueTask Task
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _builder.Task;
    }

    public static CallBuilder Create() => default;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine =>
        _builder.Start(ref stateMachine);

    public readonly void SetStateMachine(IAsyncStateMachine stateMachine) => _builder.SetStateMachine(stateMachine);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void SetResult() => _builder.SetResult();

    public void SetException(Exception error) => _builder.SetException(error);

    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine =>
        _builder.AwaitOnCompleted(ref awaiter, ref stateMachine);

    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                Seam.QueueMemory();
                _builder.AwaitUnsafeOnCompleted(ref awaiter, ref stateMachine);
                break;
            }
            catch (OutOfMemoryException)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }

        Uninterrupted.Restore(isInterrupted);
    }
}
