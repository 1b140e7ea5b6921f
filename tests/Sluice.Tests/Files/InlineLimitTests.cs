using System.Text;

namespace Sluice.Tests.Files;

/// <summary>How much of a large content is carried on the thread that called: some at the most, and then no more of it.</summary>
public sealed class InlineLimitTests : IDisposable
{
    private const int LineChars = 1000;

    // More than 4 MiB: text of less is made by one call that no encoding sees.
    private const int Lines = 6000;

    [ThreadStatic]
    private static bool t_isCaller;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public async Task Large_contents_are_not_carried_on_the_caller_s_thread()
    {
        string path = _temp.NewPath();
        string line = new('x', LineChars);
        string text = new('x', Lines * LineChars);
        await CarriedAsync("lines written", took => SluiceFile.WriteAllLinesAsync(path, Numbered(took)));
        new FileInfo(path).Length.ShouldBe(Lines * (LineChars + Environment.NewLine.Length));
        await CarriedAsync("lines read", took => SluiceFile.ReadAllLinesAsync(path, new ObservedEncoding(took)));
        await CarriedAsync("text read", took => SluiceFile.ReadAllTextAsync(path, new ObservedEncoding(took)));
        await CarriedAsync("text written", took => SluiceFile.WriteAllTextAsync(path, text, new ObservedEncoding(took)));
        await CarriedAsync("text appended", took => SluiceFile.AppendAllTextAsync(path, text, new ObservedEncoding(took)));
        await CarriedAsync("text replaced", took => SluiceFile.ReplaceAtomicallyAsync(path, text, new ObservedEncoding(took)));

        IEnumerable<string> Numbered(Action took)
        {
            for (int i = 0; i < Lines; i++)
            {
                took();
                yield return line;
            }
        }
    }

    /// <summary>Fewer characters than the limit has bytes, and more bytes.</summary>
    [Fact]
    public async Task A_text_is_measured_by_its_bytes()
    {
        string path = _temp.NewPath();
        string wide = new('\u8A9E', 400_000);
        foreach (Func<Encoding, Task> call in new Func<Encoding, Task>[]
        {
            encoding => SluiceFile.WriteAllTextAsync(path, wide, encoding),
            encoding => SluiceFile.ReplaceAtomicallyAsync(path, wide, encoding),
            encoding => SluiceFile.WriteAllLinesAsync(path, [wide], encoding),
        })
        {
            int byCaller = 0;
            await CarriedAsync("wide", took => call(new ObservedEncoding(() =>
            {
                byCaller += t_isCaller ? 1 : 0;
                took();
            })));
            byCaller.ShouldBe(0, call.Method.Name);
        }
    }

    /// <summary>Says in its failure how much the caller's thread took, and whether it did so in the call.</summary>
    private static async Task CarriedAsync(string name, Func<Action, Task> call)
    {
        int all = 0;
        int byCaller = 0;
        int lastByCaller = 0;
        bool hasReturned = false;
        bool wasInCall = true;
        TaskCompletionSource<Task> returned = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using ManualResetEventSlim end = new();
        Thread caller = new(() =>
        {
            t_isCaller = true;
            Task task = call(() =>
            {
                // One element after another, on whichever thread.
                all++;
                if (t_isCaller)
                {
                    byCaller++;
                    lastByCaller = all;
                    wasInCall = !Volatile.Read(ref hasReturned);
                }
            });
            Volatile.Write(ref hasReturned, true);
            returned.SetResult(task);
            end.Wait();
        });
        caller.Start();
        try
        {
            await await returned.Task;
        }
        finally
        {
            end.Set();
            caller.Join();
        }

        all.ShouldBeGreaterThan(0, name);
        lastByCaller.ShouldBeLessThan(
            all, $"{name}: the caller's thread took {byCaller} of {all}, the last one too, {(wasInCall ? "in" : "after")} the call");
    }

    private sealed class ObservedEncoding(Action took) : UTF8Encoding(encoderShouldEmitUTF8Identifier: false)
    {
        public override Decoder GetDecoder()
        {
            took();
            return base.GetDecoder();
        }

        public override Encoder GetEncoder() => new ObservedEncoder(base.GetEncoder(), took);

        public override int GetChars(ReadOnlySpan<byte> bytes, Span<char> chars)
        {
            took();
            return base.GetChars(bytes, chars);
        }

        public override int GetCharCount(ReadOnlySpan<byte> bytes)
        {
            took();
            return base.GetCharCount(bytes);
        }
    }

    private sealed class ObservedEncoder(Encoder inner, Action took) : Encoder
    {
        public override int GetByteCount(char[] chars, int index, int count, bool flush) => inner.GetByteCount(chars, index, count, flush);

        public override int GetBytes(char[] chars, int charIndex, int charCount, byte[] bytes, int byteIndex, bool flush)
        {
            took();
            return inner.GetBytes(chars, charIndex, charCount, bytes, byteIndex, flush);
        }

        public override int GetBytes(ReadOnlySpan<char> chars, Span<byte> bytes, bool flush)
        {
            took();
            return inner.GetBytes(chars, bytes, flush);
        }

        public override void Convert(
            ReadOnlySpan<char> chars, Span<byte> bytes, bool flush, out int charsUsed, out int bytesUsed, out bool completed)
        {
            took();
            inner.Convert(chars, bytes, flush, out charsUsed, out bytesUsed, out completed);
        }
    }
}
