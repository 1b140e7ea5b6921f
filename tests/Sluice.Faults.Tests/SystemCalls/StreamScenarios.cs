using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Tests.SystemCalls;

/// <summary>
/// Streams, readers and writers. After an exception the position is where it was before the call, and the same call may be made again:
/// what was accepted is not lost, and what was not does not count.
/// </summary>
internal static class StreamScenarios
{
    private const int Chunk = 7_001;

    private static readonly byte[] Content = Pattern.Bytes(3, 150_000);

    public static IEnumerable<CallScenario> All(FileCaching caching)
    {
        foreach (int bufferSize in (int[])[SluiceOptions.Adaptive, 0, 4096])
        {
            byte[] content = bufferSize == SluiceOptions.Adaptive ? Content : Content[..40_000];
            string what = $"{caching} {(bufferSize < 0 ? "adaptive" : $"{bufferSize}")}";
            SluiceOptions reading = new() { Caching = caching, BufferSize = bufferSize, Options = FileOptions.Asynchronous };
            SluiceOptions writing = new() { Caching = caching, BufferSize = bufferSize, Mode = FileMode.Create, Access = FileAccess.Write };
            yield return Reading($"Stream.Read {what}", content, reading, static (s, b) => Task.FromResult(s.Read(b.Span)));
            yield return Reading($"Stream.ReadAsync {what}", content, reading, static (s, b) => s.ReadAsync(b).AsTask());
            yield return Writing($"Stream.Write {what}", content, writing, isAsync: false);
            yield return Writing($"Stream.WriteAsync {what}", content, writing, isAsync: true);
        }

        yield return Of($"Stream.Flush(true) {caching}", Content, path =>
        {
            using SluiceStream stream = new(path, new SluiceOptions { Caching = caching, Access = FileAccess.ReadWrite });
            stream.Write(Content.AsSpan(0, Chunk));
            stream.Flush(flushToDisk: true);
            return Task.CompletedTask;
        });
        SluiceReaderOptions blocks = new() { Caching = caching, RequestSize = 32 * 1024, Depth = 3 };
        yield return Blocks($"Reader.TryReadBlock {caching}", blocks, isAsync: false);
        yield return Blocks($"Reader.ReadBlockAsync {caching}", blocks, isAsync: true);
        foreach (bool isAsync in (bool[])[false, true])
        {
            SluiceWriterOptions options = new()
            {
                Caching = caching,
                RequestSize = 32 * 1024,
                Depth = 3,
                PreallocationSize = 1 << 20,
                FlushToDisk = true,
            };
            yield return Writer($"Writer.{(isAsync ? "WriteAsync" : "Write")} {caching}", options, isAsync);
        }

        yield return Of($"Reader.ScanAsync {caching}", Content, async path =>
        {
            long sum = 0;
            SluiceScanOptions options = new() { Caching = caching, Degree = 2, PartSize = 64 * 1024, RecordSize = 1000 };
            await foreach (int bytes in SluiceReader.ScanAsync(path, static part => part.Bytes.Length, options))
            {
                sum += bytes;
            }

            sum.ShouldBe(Content.Length);
        });
    }

    private static CallScenario Of(string name, byte[]? content, Func<string, Task> run) =>
        new(name, folder => run(Path.Combine(folder, "file")))
        {
            Prepare = folder =>
            {
                if (content is not null)
                {
                    File.WriteAllBytes(Path.Combine(folder, "file"), content);
                }
            },
            Leaves = ["file"],
        };

    private static CallScenario Reading(
        string name, byte[] content, SluiceOptions options, Func<SluiceStream, Memory<byte>, Task<int>> read) =>
        Of(name, content, async path =>
        {
            List<Exception> errors = [];
            byte[] buffer = new byte[Chunk];
            int done = 0;
            await using (SluiceStream stream = new(path, options))
            {
                while (true)
                {
                    int bytes = 0;
                    if (await FailsAsync(errors, async () => bytes = await read(stream, buffer)))
                    {
                        stream.Position.ShouldBe(done, $"after {errors[^1].Message}");
                        continue;
                    }

                    FileModel.ShouldMatch(buffer.AsSpan(0, bytes), content.AsSpan(done, bytes), name);
                    done += bytes;
                    stream.Position.ShouldBe(done);
                    if (bytes == 0)
                    {
                        break;
                    }
                }
            }

            done.ShouldBe(content.Length);
            Rethrow(errors);
        });

    private static CallScenario Writing(string name, byte[] content, SluiceOptions options, bool isAsync) => Of(name, null, async path =>
    {
        List<Exception> errors = [];
        SluiceStream stream = new(path, options);
        bool isWrong = false;
        try
        {
            for (int done = 0; done < content.Length;)
            {
                byte[] piece = content[done..Math.Min(done + Chunk, content.Length)];
                if (await FailsAsync(errors, () => WriteAsync(stream, piece, isAsync)))
                {
                    stream.Position.ShouldBe(done, $"after {errors[^1].Message}");
                    continue;
                }

                done += piece.Length;
                stream.Position.ShouldBe(done);
            }

            while (await FailsAsync(errors, () => FlushAsync(stream, isAsync)))
            {
                stream.Position.ShouldBe(content.Length, $"after {errors[^1].Message}");
            }
        }
        catch (Exception e) when (e is not (IOException or UnauthorizedAccessException))
        {
            isWrong = true;
            throw;
        }
        finally
        {
            // Only what fails for good fails here once more; it must not hide what was wrong before.
            Task closing = isAsync ? stream.DisposeAsync().AsTask() : Task.Run(stream.Dispose);
            await closing.ConfigureAwait(isWrong ? ConfigureAwaitOptions.SuppressThrowing : ConfigureAwaitOptions.None);
        }

        FileModel.ShouldMatch(await File.ReadAllBytesAsync(path), content, name);
        Rethrow(errors);
    });

    private static Task WriteAsync(SluiceStream stream, byte[] bytes, bool isAsync)
    {
        if (isAsync)
        {
            return stream.WriteAsync(bytes).AsTask();
        }

        stream.Write(bytes);
        return Task.CompletedTask;
    }

    private static Task FlushAsync(SluiceStream stream, bool isAsync)
    {
        if (isAsync)
        {
            return stream.FlushAsync();
        }

        stream.Flush();
        return Task.CompletedTask;
    }

    private static CallScenario Blocks(string name, SluiceReaderOptions options, bool isAsync) => Of(name, Content, async path =>
    {
        List<Exception> errors = [];
        using SluiceReader reader = new(path, options);
        for (int done = 0; ;)
        {
            byte[] bytes = [];
            if (await FailsAsync(errors, async () => bytes = await NextAsync(reader, isAsync)))
            {
                reader.Position.ShouldBe(done, $"after {errors[^1].Message}");
                continue;
            }

            FileModel.ShouldMatch(bytes, Content.AsSpan(done, Math.Min(bytes.Length, Content.Length - done)), name);
            done += bytes.Length;
            reader.Position.ShouldBe(done);
            if (bytes.Length == 0)
            {
                done.ShouldBe(Content.Length);
                break;
            }
        }

        Rethrow(errors);
    });

    private static async Task<byte[]> NextAsync(SluiceReader reader, bool isAsync)
    {
        if (isAsync)
        {
            return (await reader.ReadBlockAsync()).ToArray();
        }

        return reader.TryReadBlock(out ReadOnlySpan<byte> block) ? block.ToArray() : [];
    }

    private static CallScenario Writer(string name, SluiceWriterOptions options, bool isAsync)
    {
        CallScenario scenario = Of(name, null, async path =>
        {
            SluiceWriter writer = new(path, options);
            try
            {
                for (int done = 0; done < Content.Length; done += Chunk)
                {
                    byte[] piece = Content[done..Math.Min(done + Chunk, Content.Length)];
                    if (isAsync)
                    {
                        await writer.WriteAsync(piece);
                    }
                    else
                    {
                        writer.Write(piece);
                    }
                }

                if (isAsync)
                {
                    await writer.CompleteAsync();
                }
                else
                {
                    writer.Complete();
                }
            }
            finally
            {
                await (isAsync ? writer.DisposeAsync().AsTask() : Task.Run(writer.Dispose));
            }

            FileModel.ShouldMatch(await File.ReadAllBytesAsync(path), Content, name);
        });
        return scenario with
        {
            MustCall = ["sync"],
            AfterFailure = static folder =>
            {
                // Blocks may be missing, and there is nothing behind what was written, or of anybody else's.
                byte[] now = File.Exists(Path.Combine(folder, "file")) ? File.ReadAllBytes(Path.Combine(folder, "file")) : [];
                now.Length.ShouldBeLessThanOrEqualTo(Content.Length);
                for (int i = 0; i < now.Length; i++)
                {
                    if (now[i] != Content[i] && now[i] != 0)
                    {
                        throw new InvalidOperationException($"byte {i} was never written");
                    }
                }
            },
        };
    }

    /// <summary>Whether it failed; what fails three times fails for good.</summary>
    private static async Task<bool> FailsAsync(List<Exception> errors, Func<Task> act)
    {
        try
        {
            await act();
            return false;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException && errors.Count < 3)
        {
            errors.Add(e);
            return true;
        }
    }

    private static void Rethrow(List<Exception> errors)
    {
        if (errors.Count > 0)
        {
            throw errors[0];
        }
    }
}
