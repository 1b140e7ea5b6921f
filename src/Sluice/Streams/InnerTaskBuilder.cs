using System.Runtime.CompilerServices;
using Sluice.Engines;

namespace Sluice.Streams;

/// <summary>Builds asynchronous methods whose tasks are an <see cref="InnerTask{T}"/> where they are suspended.</summary>
internal struct InnerTaskBuilder<T>
{
    /// <summary>Null as long as the method has neither been suspended nor failed.</summary>
    private InnerTask<T>? _task;
    private T? _result;

    public readonly ValueTask<T> Task
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _task is { } task ? new(task, task.Version) : new(_result!);
    }

    /// <summary>As <see cref="Task"/>, without the result.</summary>
    public readonly ValueTask PlainTask
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _task is { } task ? new(task, task.Version) : default;
    }

    public static InnerTaskBuilder<T> Create() => default;

#pragma warning disable CA1822 // The compiler calls it on the builder.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine =>
        default(AsyncValueTaskMethodBuilder).Start(ref stateMachine);

    public readonly void SetStateMachine(IAsyncStateMachine stateMachine)
    {
        // Only for those that .NET boxes itself.
    }
#pragma warning restore CA1822

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void SetResult(T result)
    {
        if (_task is null)
        {
            _result = result;
        }
        else
        {
            _task.SetResult(result);
        }
    }

    public void SetException(Exception error) => (_task ??= new FailedTask<T>()).SetException(error);

    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine
    {
        Action goOn = Suspend(ref stateMachine);
        try
        {
            awaiter.OnCompleted(goOn);
        }
        catch (Exception e)
        {
            PoolWork.ThrowUnhandled(e);
        }
    }

    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine
    {
        Action goOn = Suspend(ref stateMachine);
        try
        {
            awaiter.UnsafeOnCompleted(goOn);
        }
        catch (Exception e)
        {
            // As .NET's builders do. Whether the method goes on without this thread nobody can say: to fail here would end it twice, or
            // give up memory that what it awaits still has.
            PoolWork.ThrowUnhandled(e);
        }
    }

    /// <summary>What goes on with the method. Does not throw: the method would end, while what it awaits has its memory.</summary>
    private Action Suspend<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine
    {
        if (_task is not InnerTask<T, TStateMachine> task)
        {
            task = InnerTask<T, TStateMachine>.Rent();

            // First here, since the builder is part of what is copied.
            _task = task;
            task.Take(ref stateMachine);
        }

        task.TakeContext();
        return task.GoOn;
    }
}

/// <summary>As <see cref="InnerTaskBuilder{T}"/>, of methods without a result.</summary>
internal struct InnerTaskBuilder
{
    private InnerTaskBuilder<bool> _builder;

    public readonly ValueTask Task
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _builder.PlainTask;
    }

    public static InnerTaskBuilder Create() => default;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine =>
        _builder.Start(ref stateMachine);

    public readonly void SetStateMachine(IAsyncStateMachine stateMachine) => _builder.SetStateMachine(stateMachine);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void SetResult() => _builder.SetResult(true);

    public void SetException(Exception error) => _builder.SetException(error);

    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine =>
        _builder.AwaitOnCompleted(ref awaiter, ref stateMachine);

    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine =>
        _builder.AwaitUnsafeOnCompleted(ref awaiter, ref stateMachine);
}
