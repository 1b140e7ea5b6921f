using System.Diagnostics;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Load;

/// <summary>Runs a workload against targets slice by slice, and adds up the results.</summary>
internal sealed class WorkloadRunner : IDisposable
{
    private static readonly TimeSpan MinWindow = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan MaxWindow = TimeSpan.FromSeconds(1);
    private static readonly double NanosecondsPerTick = 1e9 / Stopwatch.Frequency;

    private readonly Workload _workload;
    private readonly OffsetSequence _offsets;
    private readonly RateLimiter? _limiter;
    private readonly Memory<byte>[] _buffers;

    // A mix of reads and writes has separate buffers for reads, so that data that was read is not written.
    private readonly Memory<byte>[] _readBuffers;
    private readonly long _coldDropBytes;
    private readonly BlockDevice? _device;
    private readonly BlockVerifier? _verifier;
    private readonly Func<long> _clock;

    private long _deadline;
    private long _writes;
    private long _bytesSinceDrop;
    private long _wrapsAtDrop;

    /// <param name="clock">Returns the timestamps for latencies; null to use <see cref="Stopwatch"/>.</param>
    public WorkloadRunner(Workload workload, Func<long>? clock = null)
    {
        _workload = workload;
        _clock = clock ?? Stopwatch.GetTimestamp;
        _device = EnvironmentProbe.DeviceOf(workload.Path);
        _offsets = new OffsetSequence(
            workload.FileSizeBytes, workload.RequestSizeBytes, workload.SeekPercent, workload.Seed, workload.Zipf);
        _limiter = workload.OperationsPerSecond is { } rate ? new RateLimiter(rate, clock) : null;
        _buffers = Allocate(workload);
        _readBuffers = workload.WriteShare is > 0 and < 1 ? Allocate(workload) : _buffers;
        // Devices and file systems may compress or deduplicate zeros. The bytes differ from those of earlier runs: --verify would not find a
        // lost write if the file already had the same content.
        foreach (Memory<byte> buffer in _buffers)
            Random.Shared.NextBytes(buffer.Span);
        _verifier = workload.Verify ? new BlockVerifier(workload, _buffers) : null;
        // With random offsets, the pages are dropped after each eighth of the file, so that few pages are read twice.
        _coldDropBytes = workload.SeekPercent == 0 && workload.Zipf is null ? long.MaxValue
            : Math.Max(workload.FileSizeBytes / 8, workload.RequestSizeBytes);
    }

    private static Memory<byte>[] Allocate(Workload workload)
    {
        int count = workload.Outstanding ?? 1;
        return LargeBuffers.TryAllocate(count, workload.RequestSizeBytes)
            ?? [.. Enumerable.Range(0, count).Select(_ => PinnedBuffer.Allocate(workload.RequestSizeBytes))];
    }

    /// <summary>Runs for the given time. A cancellation ends the slice early and keeps the measured values.</summary>
    /// <exception cref="IOException">An outstanding operation failed; this is the first error.</exception>
    public async Task RunSliceAsync(IoTarget target, Measurement measurement, TimeSpan duration, CancellationToken cancellationToken)
    {
        if (_workload.Cache == CacheMode.Cold)
            DropPages(target);
        // An error of one loop ends the others, which may wait for their next request.
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        uint? queue = _device?.QueueMilliseconds;
        long? stored = ProcessReads.Bytes();
        long bytesBefore = measurement.Bytes;
        long start = Stopwatch.GetTimestamp();
        _deadline = _clock() + (long)(duration.TotalSeconds * Stopwatch.Frequency);
        _limiter?.Start(measurement.NextDueTicks);

        using var ended = new CancellationTokenSource();
        var sampler = new Thread(() => Sample(measurement, duration, ended.Token)) { IsBackground = true, Name = "sampler" };
        sampler.Start();
        var loops = new Task[_buffers.Length];
        for (int i = 0; i < loops.Length; i++)
        {
            int loop = i;
            // LongRunning gives a synchronous loop a thread of its own. The loop stays on it, because its awaits complete synchronously.
            loops[i] = IsSynchronous
                ? Task.Factory.StartNew(() => RunLoopAsync(target, measurement, loop, stop),
                    CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap()
                : Task.Run(() => RunLoopAsync(target, measurement, loop, stop), CancellationToken.None);
        }
        try
        {
            await Task.WhenAll(loops);
            CountNeverBegun(measurement, cancellationToken);
            measurement.NextDueTicks = _limiter?.TicksUntilNextDue(_deadline) ?? 0;
            await WaitOutAsync(cancellationToken);
        }
        finally
        {
            TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
            await ended.CancelAsync();
            sampler.Join();
            measurement.Elapsed += elapsed;
            if (_device is not null && ProcessReads.Bytes() - stored is { } read)
                measurement.StorageReadBytes = (measurement.StorageReadBytes ?? 0) + read;
            if (BlockDevice.QueuedBetween(queue, _device?.QueueMilliseconds) is { } queued)
                measurement.QueueMilliseconds = (measurement.QueueMilliseconds ?? 0) + queued;
            measurement.Cpu += Environment.CpuUsage.TotalTime - cpu;
            measurement.AllocatedBytes += GC.GetTotalAllocatedBytes(precise: true) - allocated;
            if (elapsed > TimeSpan.Zero)
                measurement.SliceMiBPerSecond.Add((measurement.Bytes - bytesBefore) / (double)ByteSize.MiB / elapsed.TotalSeconds);
        }
        if (_workload.Writes)
        {
            // Flushes outside the measured time, so that the next slice does not wait for the dirty pages of this one.
            long flushStart = Stopwatch.GetTimestamp();
            target.Flush();
            measurement.Flush += Stopwatch.GetElapsedTime(flushStart);
        }
    }

    public void Dispose() => _limiter?.Dispose();

    /// <summary>Compares the data read and written so far with the content of the file; returns null without --verify.</summary>
    public VerifyReport? Verify(CancellationToken cancellationToken) => _verifier?.Finish(cancellationToken);

    /// <summary>Reads the measured part of the file once through the page cache.</summary>
    public void WarmCache(IoTarget target, CancellationToken cancellationToken)
    {
        Memory<byte> buffer = PinnedBuffer.Allocate((int)ByteSize.MiB);
        for (long offset = 0, read = 1; read > 0 && offset < _workload.FileSizeBytes; offset += read)
        {
            cancellationToken.ThrowIfCancellationRequested();
            read = target.Read(buffer, offset);
        }
    }

    private bool IsSynchronous => _workload.Outstanding is null;

    // Waits until the end of the slice. With a rate limit, the last request may end long before it.
    private async Task WaitOutAsync(CancellationToken cancellationToken)
    {
        if (_limiter is null)
            return;
        try
        {
            // Timers may fire slightly early, so one wait may not be enough.
            for (TimeSpan rest; (rest = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), _deadline)) > TimeSpan.Zero;)
                await Task.Delay(rest + TimeSpan.FromMilliseconds(1), cancellationToken);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // A cancellation ends the slice early; the measured values are kept.
        }
    }

    private async Task RunLoopAsync(
        IoTarget target, Measurement measurement, int loop, CancellationTokenSource stop)
    {
        (Memory<byte> buffer, Memory<byte> readBuffer) = (_buffers[loop], _readBuffers[loop]);
        var random = new Random(_workload.Seed + loop);
        try
        {
            long ended = _clock();
            // With a rate limit, the loop continues until all due requests have been made, but for at most twice the time.
            long end = _limiter is null ? _deadline : _deadline + Math.Max(0, _deadline - ended);
            // Each slice makes at least one request, even if its thread starts late, so that the result has values for Sluice and for .NET.
            for (bool isFirst = loop == 0; (isFirst || ended < end) && !stop.IsCancellationRequested; isFirst = false)
            {
                long? due = null;
                if (_limiter is not null)
                {
                    due = IsSynchronous ? _limiter.Wait(_deadline, stop.Token)
                        : await _limiter.WaitAsync(_deadline, stop.Token);
                    if (due is null)
                        return;
                }
                long offset = _offsets.Next();
                bool isWrite = NextIsWrite(random);
                int bytes = buffer.Length;
                // The time that this program needs between two requests is not part of the latency of either.
                long started = _clock();
                if (isWrite)
                {
                    PinnedBuffer.Stamp(buffer.Span, offset);
                    await target.WriteAsync(buffer, offset);
                    ended = _clock();
                    _verifier?.OnWritten(offset);
                }
                else
                {
                    bytes = await target.ReadAsync(readBuffer, offset);
                    ended = _clock();
                    AfterRead(measurement, readBuffer.Span, bytes, offset);
                }
                Count(target, measurement, isWrite, bytes, due ?? started, started, ended);
                if (isWrite && IsFlushDue())
                {
                    long began = _clock();
                    if (IsSynchronous)
                        target.Flush();
                    else
                        await target.FlushAsync();
                    ended = CountFlush(measurement, began);
                }
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // A cancellation ends the slice early; the measured values are kept.
        }
        catch
        {
            await stop.CancelAsync();
            throw;
        }
    }

    private bool IsFlushDue() => _workload.FlushEvery is { } every && Interlocked.Increment(ref _writes) % every == 0;

    private long CountFlush(Measurement measurement, long began)
    {
        long now = _clock();
        measurement.Flushes.Record(ToNanoseconds(now - began));
        return now;
    }

    private bool NextIsWrite(Random random) =>
        _workload.WriteShare >= 1 || (_workload.WriteShare > 0 && random.NextDouble() < _workload.WriteShare);

    private void AfterRead(Measurement measurement, ReadOnlySpan<byte> buffer, int bytes, long offset)
    {
        if (bytes == 0)
            throw new IOException($"{_workload.Path}: the file ended at offset {offset} while it was being read");
        _verifier?.OnRead(buffer[..bytes], offset);
        if (_workload.TouchEveryByte)
            measurement.Touch(buffer[..bytes]);
    }

    private void Count(IoTarget target, Measurement measurement, bool isWrite, int bytes, long intended, long started, long ended)
    {
        measurement.Count(isWrite, bytes, ToNanoseconds(ended - intended));
        if (_limiter is not null)
        {
            measurement.Service.Record(ToNanoseconds(ended - started));
            if (started > _deadline)
                measurement.CountLate(1);
        }
        if (_workload.Cache != CacheMode.Cold)
            return;
        if (Interlocked.Add(ref _bytesSinceDrop, bytes) >= _coldDropBytes || _offsets.Wraps != Volatile.Read(ref _wrapsAtDrop))
            DropPages(target);
    }

    // Records the wait so far as the latency of requests that were never started, because their full wait is unknown.
    private void CountNeverBegun(Measurement measurement, CancellationToken cancellationToken)
    {
        if (_limiter is not { } limiter)
            return;
        long now = _clock();
        (long count, long lastDue) = limiter.TakeDue(Math.Min(_deadline, now));
        if (cancellationToken.IsCancellationRequested)
        {
            measurement.CountLate(count);
            return;
        }
        long writes = (long)Math.Round(count * _workload.WriteShare);
        Add(isWrite: true, writes);
        Add(isWrite: false, count - writes);

        // Records the requests in one call, because there may be very many. Reads and writes are spread over the whole time.
        void Add(bool isWrite, long part) => measurement.CountNeverBegun(
            isWrite, part, ToNanoseconds(now - lastDue), limiter.TicksPerOperation * count / part * NanosecondsPerTick);
    }

    private void DropPages(IoTarget target)
    {
        Interlocked.Exchange(ref _bytesSinceDrop, 0);
        Volatile.Write(ref _wrapsAtDrop, _offsets.Wraps);
        PageCache.Drop(target.SafeFileHandle);
    }

    private static long ToNanoseconds(long ticks) => (long)(ticks * NanosecondsPerTick);

    // Runs on its own thread, because .NET's asynchronous calls may block all pool threads for longer than a window.
    private static void Sample(Measurement measurement, TimeSpan duration, CancellationToken ended)
    {
        TimeSpan window = TimeSpan.FromTicks(Math.Clamp(duration.Ticks / 20, MinWindow.Ticks, MaxWindow.Ticks));
        double measuredBefore = measurement.Elapsed.TotalSeconds;
        long start = Stopwatch.GetTimestamp();
        double lastSeconds = 0;
        long lastBytes = measurement.Bytes;
        // A partial window at the end of the slice would appear slow, and is left out.
        for (TimeSpan due = window; !ended.WaitHandle.WaitOne(Max(due - Stopwatch.GetElapsedTime(start))); due += window)
        {
            double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            long bytes = measurement.Bytes;
            double rate = (bytes - lastBytes) / (double)ByteSize.MiB / (seconds - lastSeconds);
            measurement.Windows.Add(new RateWindow(measuredBefore + lastSeconds, rate));
            measurement.LatestMiBPerSecond = rate;
            (lastSeconds, lastBytes) = (seconds, bytes);
        }

        static TimeSpan Max(TimeSpan rest) => rest > TimeSpan.FromMilliseconds(1) ? rest : TimeSpan.FromMilliseconds(1);
    }
}
