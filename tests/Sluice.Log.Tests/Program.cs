using System.IO.Compression;

namespace Sluice.Log.Tests;

/// <summary>What tests start as a second process; never called by the test host.</summary>
internal static class Program
{
    public static int Main(string[] args)
    {
        switch (args)
        {
            case ["raw", string directory, string writer, string threads, string count, string compression, string segmentBytes]:
                return RawProgram.Run(
                    directory, int.Parse(writer), int.Parse(threads), int.Parse(count), Enum.Parse<CompressionLevel>(compression),
                    long.Parse(segmentBytes));
            case ["append", string directory, string durability]:
                return AppendProgram.Run(directory, Enum.Parse<LogDurability>(durability));
            case ["exit", string directory, string kind]:
                return ExitProgram.Run(directory, kind);
            case ["scarce", string directory, string format]:
                return ScarceProgram.Run(directory, Enum.Parse<LogFormat>(format));
            case ["limited", string directory]:
                return LimitedProgram.Run(directory);
            case ["soak", string directory, string minutes]:
                return SoakProgram.Run(directory, int.Parse(minutes));
            default:
                Console.Error.WriteLine("usage: Sluice.Log.Tests raw DIRECTORY WRITER THREADS COUNT LEVEL BYTES");
                Console.Error.WriteLine("       Sluice.Log.Tests append DIRECTORY DURABILITY | exit DIRECTORY KIND");
                Console.Error.WriteLine("       Sluice.Log.Tests scarce DIRECTORY FORMAT | limited DIRECTORY");
                Console.Error.WriteLine("       Sluice.Log.Tests soak DIRECTORY MINUTES");
                return 2;
        }
    }
}
