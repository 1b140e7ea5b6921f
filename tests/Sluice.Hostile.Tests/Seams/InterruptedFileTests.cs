using Microsoft.Win32.SafeHandles;
using Sluice.Copying;
using Sluice.Memory;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// Thread.Interrupt within enumerations, batches and copies: every file comes once, every copy ends, and nobody writes by a number that
/// is another file's when the call has ended.
/// </summary>
[Trait("Tier", "nightly")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class InterruptedFileTests : HostileTests
{
    private const int Block = 16 * 1024;

    public override void Dispose()
    {
        Seam.Use(null);
        SystemCallFaults.Use(null);
        base.Dispose();
    }

    /// <summary>Whoever is told of the progress, or asked what to leave out, interrupts the thread that asks.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_trees_copy_is_whole_or_says_why_not(bool keeps)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "trees are copied on several threads on Linux");
        string source = NewTree(folders: 150, files: 3);
        string target = Temp.NewPath();
        Accounts accounts = Accounts.Open(Temp.Root);
        CopyOptions options = new()
        {
            Recurse = true,
            PreserveMetadata = keeps,
            Progress = new Telling(static () => Thread.CurrentThread.Interrupt()),
            Exclude = static _ =>
            {
                Thread.CurrentThread.Interrupt();
                return false;
            },
        };
        Exception? error = await Record.ExceptionAsync(
            () => Watchdog.EndsAsync(() => SluiceFile.CopyAsync(source, target, options), "the copy"));
        if (error is not null)
        {
            // A lock of .NET's own has heard of it.
            error.GetBaseException().ShouldBeOfType<ThreadInterruptedException>();
            Directory.Exists(target).ShouldBeFalse();
            return;
        }

        string[] names = [.. Directory.GetFiles(source, "*", SearchOption.AllDirectories).Select(f => Path.GetRelativePath(source, f))];
        names.Length.ShouldBe(450);
        foreach (string name in names)
        {
            File.ReadAllBytes(Path.Combine(target, name)).ShouldBeBytes(File.ReadAllBytes(Path.Combine(source, name)), name);
        }

        await accounts.CloseAsync("the copy");
    }

    /// <summary>
    /// A thread of the copy is about to write when the one that copies is interrupted, or is thrown at: the call ends when it has written.
    /// </summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_copy_by_threads_writes_to_nobodys_file_when_it_has_ended(bool throws)
    {
        SkipWithoutSeams();
        Skip.IfNot(OperatingSystem.IsLinux(), "copies by threads are Linux's");
        byte[] content = Bytes.Pattern(64 * Block);
        string source = Temp.NewFile(content);
        string target = Temp.NewFile(new byte[content.Length]);
        using LateWrite late = new(static name => name == "Sluice copy");
        Thread copier = new(() =>
        {
            SafeFileHandle from = File.OpenHandle(source);
            SafeFileHandle to = File.OpenHandle(target, access: FileAccess.Write);
            CopyThreads threads = new(
                Number(from), Number(to), new AlignedBuffer(4 * Block), 4096, content.Length, CancellationToken.None);
            late.Error = Record.Exception(() => threads.Run(new DataRange(0, content.Length), 4, Block, _ =>
            {
                late.AwaitWriter();
                Thread.CurrentThread.Interrupt();
                if (throws)
                {
                    throw new InvalidOperationException("the progress");
                }
            }));
            from.Dispose();
            to.Dispose();
        });
        await late.RunAsync(copier, Temp);
        (late.Error is InvalidOperationException).ShouldBe(throws);
    }

    /// <summary>As above: a thread that copies is about to write when the one that walks is interrupted at its end.</summary>
    [SkippableFact]
    public async Task A_trees_copy_writes_to_nobodys_file_when_it_has_ended()
    {
        SkipWithoutSeams();
        Skip.IfNot(OperatingSystem.IsLinux(), "trees are copied on several threads on Linux");
        string source = NewTree(folders: 3, files: 3);
        using LateWrite late = new(static _ => true);
        string? first = null;
        CopyOptions options = new()
        {
            Recurse = true,
            Exclude = file =>
            {
                // Those of the first folder with files are being copied when another folder's come.
                string folder = Path.GetDirectoryName(file)!;
                if (folder.Contains('/', StringComparison.Ordinal) && (first ??= folder) != folder)
                {
                    late.AwaitWriter();
                    Thread.CurrentThread.Interrupt();
                }

                return false;
            },
        };
        Thread copier = new(() => late.Error = Record.Exception(() =>
            TreeCopier.Copy(source, Path.Combine(Temp.Root, "copy"), options, new CopyMeter(null), CancellationToken.None)));
        await late.RunAsync(copier, Temp);
        late.Error.ShouldBeNull();
    }

    private static int Number(SafeFileHandle file) => (int)file.DangerousGetHandle();

    private static async Task JoinAsync(Thread thread, string what)
    {
        thread.Start();
        await Watchdog.EndsAsync(
            () =>
            {
                thread.Join();
                return Task.CompletedTask;
            },
            what);
    }

    private string NewTree(int folders, int files)
    {
        string root = Directory.CreateDirectory(Temp.NewPath()).FullName;
        for (int i = 0; i < folders; i++)
        {
            string folder = Directory.CreateDirectory(Path.Combine(root, $"{i % 3}", $"{i}")).FullName;
            for (int j = 0; j < files; j++)
            {
                File.WriteAllBytes(Path.Combine(folder, $"{j}"), Bytes.Pattern(100 + i, j));
            }
        }

        return root;
    }

    private sealed class Telling(Action action) : IProgress<CopyProgress>
    {
        public void Report(CopyProgress value) => action();
    }
}
