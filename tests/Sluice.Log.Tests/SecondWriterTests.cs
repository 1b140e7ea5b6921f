using Sluice.Log.Folders;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// Somebody removes log.state while a log is written, and a second writer opens it: it is told of the first one, whatever that one does
/// between two system calls of the opening. Nothing is called damaged, and the first one loses nothing.
/// </summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class SecondWriterTests : IDisposable
{
    private readonly int _tries = WriterLock.Tries;
    private int _number;

    public SecondWriterTests() => WriterLock.Tries = 1;

    public void Dispose()
    {
        WriterLock.Tries = _tries;
        SystemCallFaults.Use(null);
    }

    /// <param name="before">How many records of 900 bytes there are before; four fill a segment, and the third has the next one
    /// made.</param>
    /// <param name="meanwhile">How many are appended during the opening: none begins a segment, one begins one, or more.</param>
    [SkippableTheory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(3, 2)]
    [InlineData(4, 1)]
    [InlineData(4, 9)]
    [InlineData(8, 1)]
    [InlineData(9, 20)]
    public void A_second_writer_is_refused_whatever_the_first_does_meanwhile(int before, int meanwhile)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Windows removes no file that is open, and others have no lock of a segment.");
        bool isOver = false;
        for (int step = 0; !isOver; step++)
        {
            _number = 0;
            using TempFolder folder = new(isInMemory: true);
            using (SluiceLog first = SluiceLog.Open(folder.Log, SmallLog.Options))
            {
                Append(first, before);
                File.Delete(Path.Combine(folder.Log, LogFolder.StateName));
                isOver = !SystemCallSteps.At(step, () => Append(first, meanwhile), () =>
                {
                    IOException error = Should.Throw<IOException>(
                        () => SluiceLog.Open(folder.Log, SmallLog.Options).Dispose(), $"step {step}: two writers");
                    error.ShouldNotBeOfType<SluiceLogDamagedException>($"step {step}: {error.Message}");
                    error.Message.ShouldContain("another writer", Case.Sensitive, $"step {step}");
                });

                // The log's own thread may still be about to fail for the second one, and whoever comes meanwhile with it.
                int more = _number + 5;
                for (int i = 0; _number < more; i++)
                {
                    i.ShouldBeLessThan(20, $"step {step}: it does not go on");
                    Append(first, 1);
                }
            }

            List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
            records.Select(static r => Records.Check(r.Bytes).Number).ShouldBe(Enumerable.Range(0, _number), $"step {step}");
            using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
            again.Cut.ShouldBeNull();
            again.NextSequence.ShouldBe(records.Count > 0 ? records[^1].Sequence + 1 : 1);
        }
    }

    /// <summary>Some may fail: the one that is refused may have log.state just when it was to be made again.</summary>
    private void Append(SluiceLog log, int count)
    {
        for (int i = 0; i < count; i++)
        {
            try
            {
                log.Append(Records.Make(0, _number, 900), LogDurability.Written);
                _number++;
            }
            catch (IOException e) when (e.Message.Contains("another writer", StringComparison.Ordinal))
            {
            }
        }
    }
}
