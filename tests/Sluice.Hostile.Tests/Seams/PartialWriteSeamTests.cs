using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// A window whose write has ended with an error, and of which a part is in the file: the file appends, so that what is written twice is
/// there twice.
/// </summary>
public sealed class PartialWriteSeamTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(10_000);

    private int _writes;

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_a_failed_flush_has_written_is_not_written_again(bool isAsync)
    {
        string path = Temp.NewFile([]);
        SluiceStream stream = new(OpenForAppending(path, 100, -Errno.ENOSPC, 50, -Errno.ENOSPC), FileAccess.Write, 65_536);
        stream.Write(Content);
        for (int i = 0; i < 2; i++)
        {
            (await Should.ThrowAsync<IOException>(() => FlushAsync(stream, isAsync))).HResult.ShouldBe(Errno.ENOSPC);
            stream.Position.ShouldBe(Content.Length);
        }

        stream.WriteByte(7);
        await FlushAsync(stream, isAsync);
        stream.Position.ShouldBe(Content.Length + 1);
        await stream.DisposeAsync();
        File.ReadAllBytes(path).ShouldBeBytes([.. Content, 7]);
    }

    /// <summary>
    /// The window has bytes of earlier calls, which were accepted, and those of the call that fails: the former are not written again where
    /// they have gone out, the latter are not kept, whether they have gone out or not.
    /// </summary>
    [SkippableTheory]
    [InlineData(100, false)]
    [InlineData(100, true)]
    [InlineData(3000, false)]
    [InlineData(3000, true)]
    [InlineData(3500, false)]
    [InlineData(3500, true)]
    public async Task A_write_that_fails_for_a_window_keeps_what_was_accepted_before_it(int written, bool isAsync)
    {
        const int accepted = 3000;
        string path = Temp.NewFile([]);
        SluiceStream stream = new(OpenForAppending(path, written, -Errno.ENOSPC), FileAccess.Write, 4096);
        stream.Write(Content, 0, accepted);
        ReadOnlyMemory<byte> rest = Content.AsMemory(accepted, 2000);
        await Should.ThrowAsync<IOException>(() => isAsync ? stream.WriteAsync(rest).AsTask() : Task.Run(() => stream.Write(rest.Span)));
        stream.Position.ShouldBe(accepted);
        stream.WriteByte(7);
        stream.Position.ShouldBe(accepted + 1);
        await stream.DisposeAsync();
        File.ReadAllBytes(path).ShouldBeBytes([.. Content[..Math.Max(accepted, written)], 7]);
    }

    /// <summary>What code of a caller's throws into a write says nothing about it, whatever it was thrown for before.</summary>
    [SkippableFact]
    public async Task What_an_engine_throws_says_nothing_of_how_much_has_gone_out()
    {
        IOException elsewhere = new("of another file");
        PartialWrite.Note(elsewhere, new object(), 5000);
        string path = Temp.NewFile([]);
        using SafeFileHandle file = Native.OpenForAppending(path);
        Throwing engine = new(new AggregateException(elsewhere), elsewhere);
        SluiceStream stream = new(
            SluiceHandle.FromSafeFileHandle(file, null, FileAccess.Write, ownsHandle: false, engine), FileAccess.Write, 65_536);
        stream.Write(Content);
        await Should.ThrowAsync<AggregateException>(() => stream.FlushAsync());
        await Should.ThrowAsync<IOException>(() => stream.FlushAsync());
        await stream.DisposeAsync();
        File.ReadAllBytes(path).ShouldBeBytes(Content);
    }

    private static Task FlushAsync(SluiceStream stream, bool isAsync) => isAsync ? stream.FlushAsync() : Task.Run(stream.Flush);

    /// <param name="path">A file.</param>
    /// <param name="answers">To its writes, one after another: so many bytes, or an error. Then what the kernel says.</param>
    private SluiceHandle OpenForAppending(string path, params long[] answers)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        SafeFileHandle file = Native.OpenForAppending(path);
        int mine = (int)file.DangerousGetHandle();
        SystemCallFaults.Use((call, fd, _) => fd != mine ? 0
            : call == "pwritev2" ? -Errno.EOPNOTSUPP
            : call != "pwrite" ? 0
            : Interlocked.Increment(ref _writes) is var n && n <= answers.Length ? answers[n - 1] : 0);
        return SluiceHandle.FromSafeFileHandle(file, FileAccess.Write, ownsHandle: true);
    }

    /// <summary>Lets a hundred bytes of a write through before it throws what is next, as long as there is something.</summary>
    private sealed class Throwing(params Exception[] errors) : InterceptingEngine
    {
        private int _submissions;

        public override string Name => "throwing";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            int number = _submissions++;
            return number >= 2 * errors.Length ? Interception.PassOn
                : number % 2 == 0 ? Interception.ShortenTo(100)
                : throw errors[number / 2];
        }
    }
}
