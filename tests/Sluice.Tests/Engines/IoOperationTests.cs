using Microsoft.Win32.SafeHandles;
using Sluice.Engines;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Tests.Engines;

public sealed partial class IoOperationTests : IDisposable
{
    private readonly TempFolder _temp = new();
    private readonly ManualEngine _engine = new();
    private readonly SluiceHandle _handle;

    public IoOperationTests() =>
        _handle = SluiceHandle.Open(_temp.NewFile(10_000), new SluiceOptions { Access = FileAccess.ReadWrite, Engine = _engine });

    public void Dispose()
    {
        _handle.Dispose();
        _temp.Dispose();
    }

    [Fact]
    public async Task Awaiting_twice_throws()
    {
        ValueTask<int> read = _handle.ReadAsync(new byte[10], 0);
        _engine.Complete(10);
        (await read).ShouldBe(10);
        await Should.ThrowAsync<InvalidOperationException>(async () => await read);
        await Should.ThrowAsync<InvalidOperationException>(async () => await read.AsTask());
    }

    [Fact]
    public async Task What_nobody_has_cancelled_does_not_end_as_cancelled()
    {
        using CancellationTokenSource cancellation = new();
        Task<int> read = _handle.ReadAsync(new byte[10], 0, cancellation.Token).AsTask();
        while (_engine.Submitted.TryDequeue(out IoOperation? operation))
        {
            operation.Complete(-Errno.ECANCELED);
        }

        IOException error = await Should.ThrowAsync<IOException>(read);
        error.Message.ShouldContain(_handle.Path);
        read.IsCanceled.ShouldBeFalse();
    }

    [Fact]
    public async Task What_rings_cancel_again_and_again_leaves_them()
    {
        Task<int> read = _handle.ReadAsync(new byte[10], 0).AsTask();
        int rounds = 0;
        while (!_engine.Submitted.First().LeavesRing)
        {
            _engine.Complete(-Errno.ECANCELED);
            (++rounds).ShouldBeLessThan(10);
        }

        _engine.Complete(10);
        (await read).ShouldBe(10);
    }

    /// <summary>A blocking read of a pipe cannot be cancelled, and keeps its thread until somebody writes.</summary>
    [SkippableFact]
    public async Task What_may_wait_for_ever_stays_in_the_ring_however_often_that_cancels_it()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "FIFOs are made with mkfifo");
        SluiceOptions options = new() { Access = FileAccess.ReadWrite, Engine = _engine };
        using SluiceHandle fifo = SluiceHandle.Open(_temp.NewFifo(), options);
        Task<int> read = fifo.ReadAsync(new byte[10], 0).AsTask();
        for (int i = 0; i < Tuning.OperationMaxRetries - 1; i++)
        {
            _engine.Submitted.First().LeavesRing.ShouldBeFalse();
            _engine.Complete(-Errno.ECANCELED);
        }

        _engine.Complete(10);
        (await read).ShouldBe(10);
    }

    [Fact]
    public void Spurious_cancellations_count_only_in_quick_succession()
    {
        StrayCancellations strays = default;
        long nowMs = 1_000_000;
        for (int i = 0; i < 10 * Tuning.OperationMaxRetries; i++)
        {
            strays.AreFew(nowMs += Tuning.StrayForgottenMs).ShouldBeTrue();
        }

        for (int i = 1; i < Tuning.OperationMaxRetries - 1; i++)
        {
            strays.AreFew(nowMs).ShouldBeTrue();
        }

        strays.AreFew(nowMs).ShouldBeFalse();
    }

    /// <summary>An operation gives up after so many interruptions in a row, and not in all.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_transfer_that_is_interrupted_before_each_of_its_bytes_ends(bool isWrite)
    {
        const int count = 100;
        Task<int> read = isWrite ? Task.FromResult(count) : _handle.ReadAsync(new byte[count], 0).AsTask();
        Task write = isWrite ? _handle.WriteAsync(new byte[count], 0).AsTask() : Task.CompletedTask;
        for (int i = 0; i < count; i++)
        {
            _engine.Complete(-Errno.EINTR);
            _engine.Complete(1);
        }

        _engine.Submitted.ShouldBeEmpty();
        await write;
        (await read).ShouldBe(count);
    }

    /// <summary>The first refusal makes the handle a cached one: the others were laid out for a direct one.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Direct_transfers_that_are_refused_together_all_go_through_the_page_cache(bool isWrite)
    {
        const int block = 4096;
        const int count = 4;
        SluiceOptions options = new() { Access = FileAccess.ReadWrite, Caching = FileCaching.Direct, Engine = _engine };
        using SluiceHandle direct = SluiceHandle.Open(_temp.NewFile(count * block), options);
        Skip.If(direct.Caching != FileCaching.Direct, direct.CachingReason);
        Task[] transfers = [.. Enumerable.Range(0, count).Select(i => isWrite
            ? direct.WriteAsync(new byte[block], i * block).AsTask()
            : direct.ReadAsync(new byte[block], i * block).AsTask())];
        for (int i = 0; i < count; i++)
        {
            _engine.Complete(-Errno.EINVAL);
        }

        direct.Caching.ShouldBe(FileCaching.Cached);
        for (int i = 0; i < count; i++)
        {
            _engine.Complete(block);
        }

        await Task.WhenAll(transfers);

        // A cached one that is refused is.
        Task last = direct.WriteAsync(new byte[block], 0).AsTask();
        _engine.Complete(-Errno.EINVAL);
        await Should.ThrowAsync<IOException>(last);
    }

    [Fact]
    public async Task Taking_the_result_before_the_end_throws()
    {
        ValueTask<int> read = _handle.ReadAsync(new byte[10], 0);
        read.IsCompleted.ShouldBeFalse();
        Should.Throw<InvalidOperationException>(() => read.GetAwaiter().GetResult());
        _engine.Complete(10);
        (await read).ShouldBe(10);
    }

    [SkippableFact]
    public async Task A_write_on_its_way_keeps_the_gate_of_its_file_when_its_handle_is_disposed()
    {
        string path = _temp.NewFile(10_000);
        SluiceHandle Open(IoEngine? engine) => SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite,
            Caching = FileCaching.Direct,
            Engine = engine,
        });

        SluiceHandle first = Open(_engine);
        Skip.If(first.Caching != FileCaching.Direct, first.CachingReason);
        DirectWriteGate gate = first.DirectGate!;
        ValueTask write = first.WriteAsync(new byte[10], 5);
        first.Dispose();
        using (SluiceHandle second = Open(null))
        {
            second.DirectGate.ShouldBeSameAs(gate);
        }

        _engine.Complete(10);
        await write;
    }

    /// <summary>A leader that has lost its role may find it in its slot, while who has the role takes it and ends it.</summary>
    [Fact]
    public async Task What_has_ended_is_no_transfer_for_a_call()
    {
        ValueTask<int> read = _handle.ReadAsync(new byte[10], 0);
        IoOperation operation = _engine.Take();
        operation.Complete(10);
        operation.IsDirectTransfer.ShouldBeFalse();
        (await read).ShouldBe(10);
    }

    [Fact]
    public async Task A_short_read_goes_on_with_the_rest()
    {
        byte[] buffer = new byte[1000];
        ValueTask<int> read = _handle.ReadAsync(buffer, 100);
        IoOperation operation = _engine.Take();
        (operation.FileOffset, operation.Length).ShouldBe((100, 1000));
        nint address = operation.Address;
        operation.Complete(300);
        _engine.Take().ShouldBeSameAs(operation);
        (operation.FileOffset, operation.Length, operation.Address - address).ShouldBe((400, 700, 300));
        operation.Complete(0);
        (await read).ShouldBe(300);
    }

    [Fact]
    public async Task A_short_read_at_the_end_of_the_file_is_the_last()
    {
        ValueTask<int> read = _handle.ReadAsync(new byte[1000], 9_900);
        _engine.Complete(100);
        (await read).ShouldBe(100);
        _engine.Submitted.ShouldBeEmpty();
    }

    [SkippableFact]
    public async Task A_short_read_whose_end_cannot_be_asked_for_is_an_error_and_no_end()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the number of a descriptor is Linux's");
        using SafeFileHandle? open = Native.DuplicateFarAway(_handle.SafeFileHandle);
        Skip.If(open is null, "a process with so few descriptors has none that others do not use again at once");
        using var borrowed = new SafeFileHandle(open!.DangerousGetHandle(), ownsHandle: false);
        using IDisposable scope = IoEngine.UseForCurrentContext(_engine);
        using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(borrowed, FileAccess.Read, ownsHandle: false);
        handle.CanSeek.ShouldBeTrue();
        open.Dispose();
        Task<int> read = handle.ReadAsync(new byte[10], 0).AsTask();
        _engine.Complete(5);
        (await Should.ThrowAsync<UnauthorizedAccessException>(read)).Message.ShouldContain("offset 5");
    }

    [Theory]
    [InlineData(Errno.EINTR)]
    [InlineData(Errno.EAGAIN)]
    [InlineData(Errno.ECANCELED)]
    public async Task Passing_errors_are_tried_again_but_not_for_ever(int errno)
    {
        ValueTask<int> read = _handle.ReadAsync(new byte[10], 0);
        for (int i = 0; i < 40; i++)
        {
            _engine.Complete(-errno);
        }

        _engine.Complete(10);
        (await read).ShouldBe(10);

        Task<int> endless = _handle.ReadAsync(new byte[10], 0).AsTask();
        int tries = 0;
        while (_engine.Submitted.TryDequeue(out IoOperation? operation))
        {
            (++tries).ShouldBeLessThan(1000);
            operation.Complete(-errno);
        }

        await Should.ThrowAsync<Exception>(endless);
    }

    [Fact]
    public async Task A_write_that_makes_no_progress_fails_at_last()
    {
        Task write = _handle.WriteAsync(new byte[10], 0).AsTask();
        int tries = 0;
        while (_engine.Submitted.TryDequeue(out IoOperation? operation))
        {
            (++tries).ShouldBeLessThan(1000);
            operation.Complete(0);
        }

        await Should.ThrowAsync<IOException>(write);
    }

    [Theory]
    [InlineData(Errno.EIO, typeof(IOException))]
    [InlineData(Errno.EACCES, typeof(UnauthorizedAccessException))]
    public async Task An_error_is_the_exception_of_the_base_library_with_verb_path_and_offset(int errno, Type type)
    {
        Task write = _handle.WriteAsync(new byte[10], 1234).AsTask();
        _engine.Complete(-errno);
        Exception error = await Should.ThrowAsync<Exception>(write);
        error.ShouldBeOfType(type);
        error.Message.ShouldContain("Writing");
        error.Message.ShouldContain(_handle.Path);
        error.Message.ShouldContain("1234");
        if (error is IOException)
        {
            error.HResult.ShouldBe(errno);
        }
    }

    [Fact]
    public async Task Cancelling_after_the_end_does_not_reach_the_next_use_of_the_operation()
    {
        using CancellationTokenSource source = new();
        ValueTask<int> read = _handle.ReadAsync(new byte[10], 0, source.Token);
        _engine.Complete(10);
        (await read).ShouldBe(10);
        ValueTask<int> next = _handle.ReadAsync(new byte[10], 0);
        await source.CancelAsync();
        IoOperation operation = _engine.Take();
        operation.IsCancellationRequested.ShouldBeFalse();
        operation.Complete(10);
        (await next).ShouldBe(10);
    }

    [Fact]
    public async Task A_cancelled_operation_is_not_submitted_again()
    {
        using CancellationTokenSource source = new();
        Task<int> read = _handle.ReadAsync(new byte[10], 0, source.Token).AsTask();
        await source.CancelAsync();
        read.IsCompleted.ShouldBeFalse();
        _engine.Complete(-Errno.EINTR);
        _engine.Submitted.ShouldBeEmpty();
        (await Should.ThrowAsync<OperationCanceledException>(read)).CancellationToken.ShouldBe(source.Token);
    }

    [Fact]
    public async Task A_transfer_that_ended_before_its_cancellation_keeps_its_result()
    {
        using CancellationTokenSource source = new();
        Task<int> read = _handle.ReadAsync(new byte[10], 0, source.Token).AsTask();
        await source.CancelAsync();
        _engine.Complete(10);
        (await read).ShouldBe(10);
    }

    [Fact]
    public async Task Memory_is_pinned_until_the_end_and_no_longer()
    {
        using CountingMemory memory = new(100);
        using CancellationTokenSource source = new();
        Task<int> read = _handle.ReadAsync(memory.Memory, 0, source.Token).AsTask();
        await source.CancelAsync();
        memory.Pins.ShouldBe(1);
        _engine.Complete(-Errno.ECANCELED);
        await Should.ThrowAsync<OperationCanceledException>(read);
        memory.Pins.ShouldBe(0);
    }

    [Fact]
    public async Task The_descriptor_stays_open_until_the_end()
    {
        SluiceHandle handle = SluiceHandle.Open(_temp.NewFile(100), new SluiceOptions { Engine = _engine });
        Task<int> read = handle.ReadAsync(new byte[10], 0).AsTask();
        handle.Dispose();
        string link = $"/proc/self/fd/{handle.Descriptor}";
        if (Directory.Exists("/proc/self/fd"))
        {
            new FileInfo(link).LinkTarget.ShouldBe(handle.Path);
        }

        _engine.Complete(10);
        (await read).ShouldBe(10);
        if (Directory.Exists("/proc/self/fd"))
        {
            new FileInfo(link).LinkTarget.ShouldNotBe(handle.Path);
        }
    }
}
