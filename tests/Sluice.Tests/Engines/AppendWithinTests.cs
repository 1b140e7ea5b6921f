using System.Runtime.ExceptionServices;
using Microsoft.Win32.SafeHandles;
using Sluice.Handles;

namespace Sluice.Tests.Engines;

/// <summary>
/// A program that notes each exception where it is thrown (AppDomain.FirstChanceException) appends in the midst of an append: here of one
/// whose file was closed meanwhile.
/// </summary>
public sealed class AppendWithinTests
{
    [SkippableFact]
    public async Task What_is_appended_to_another_file_goes_there_alone()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "appends are combined on Linux");
        using TempFolder folder = new();
        using SluiceHandle handle = Open(folder);
        using SluiceHandle noted = Open(folder);
        using AppendCombiner notes = new(new AppendTarget(noted), noted.SafeFileHandle);
        using AppendCombiner combiner = new(new AppendTarget(handle), Closed());
        long landed = -1;
        (await NotingAsync(() => landed = notes.Append("note"u8, isHeld: true), () => combiner.Append("record"u8, isHeld: false)))
            .ShouldBe(AppendCombiner.Closed);
        landed.ShouldBe(0);
        noted.Length.ShouldBe(4);
        handle.Length.ShouldBe(0);
    }

    [SkippableFact]
    public async Task What_is_appended_to_the_same_file_waits_for_nobody()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "appends are combined on Linux");
        using TempFolder folder = new();
        using SluiceHandle handle = Open(folder);
        using AppendCombiner combiner = new(new AppendTarget(handle), Closed());
        long closed = 0;
        long held = -1;
        void Note()
        {
            closed = combiner.Append("note"u8, isHeld: false);
            held = combiner.Append("note"u8, isHeld: true);
        }

        (await NotingAsync(Note, () => combiner.Append("record"u8, isHeld: false))).ShouldBe(AppendCombiner.Closed);
        closed.ShouldBe(AppendCombiner.Closed);
        held.ShouldBe(0);
        handle.Length.ShouldBe(4);
    }

    private static SluiceHandle Open(TempFolder folder) =>
        SluiceHandle.Open(folder.NewPath(), FileMode.CreateNew, FileAccess.Write);

    private static SafeFileHandle Closed()
    {
        SafeFileHandle closed = File.OpenHandle("/dev/null");
        closed.Dispose();
        return closed;
    }

    /// <summary>Appends on a thread of its own, with a note at the first exception there.</summary>
    private static async Task<long> NotingAsync(Action note, Func<long> append)
    {
        Task<long> appending = Task.Factory.StartNew(
            () =>
            {
                int thread = Environment.CurrentManagedThreadId;
                bool isNoted = false;
                void Note(object? sender, FirstChanceExceptionEventArgs e)
                {
                    if (Environment.CurrentManagedThreadId == thread && !isNoted)
                    {
                        isNoted = true;
                        note();
                    }
                }

                AppDomain.CurrentDomain.FirstChanceException += Note;
                try
                {
                    return append();
                }
                finally
                {
                    AppDomain.CurrentDomain.FirstChanceException -= Note;
                    isNoted.ShouldBeTrue();
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        return await appending.WaitAsync(TimeSpan.FromMinutes(1));
    }
}
