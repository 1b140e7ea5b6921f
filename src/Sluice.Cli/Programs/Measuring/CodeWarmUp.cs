namespace Sluice.Cli.Programs.Measuring;

/// <summary>
/// Brings code to the speed that it keeps. .NET's own methods come compiled, those of any other library are compiled when they are first
/// called: quickly, and well only after <see cref="Calls"/> calls and a while in which no new method is met. A program that calls many
/// methods in turn, each a few times, would measure the compiler.
/// </summary>
internal static class CodeWarmUp
{
    /// <summary>One more than the runtime counts before it compiles a method anew.</summary>
    public const int Calls = 31;

    // The first makes the code that counts what is called, the second the code that makes use of it.
    private const int Passes = 2;

    // The runtime waits 100 ms without new methods, and then compiles beside the program.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);

    /// <param name="pass">Calls everything <see cref="Calls"/> times, on little data.</param>
    public static async Task RunAsync(Func<Task> pass, CancellationToken cancellationToken)
    {
        for (int i = 0; i < Passes; i++)
        {
            await pass();
            await Task.Delay(Pause, cancellationToken);
        }
    }
}
