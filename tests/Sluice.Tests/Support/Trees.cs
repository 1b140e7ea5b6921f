using System.Diagnostics;
using System.Security.Cryptography;

namespace Sluice.Tests.Support;

/// <summary>What a folder holds, in lines that two folders can be compared by.</summary>
internal static class Trees
{
    /// <summary>Names, types, modes, owners, sizes, times, numbers of names, where links lead.</summary>
    public const string Everything = @"%P|%y|%m|%U|%G|%s|%T@|%n|%l\n";

    /// <summary>As find(1) prints them, in order.</summary>
    public static string[] Listing(string root, string format) =>
        [.. Run("find", root, "-printf", format).Split('\n', StringSplitOptions.RemoveEmptyEntries).Order(StringComparer.Ordinal)];

    public static string[] Hashes(string root) =>
    [
        .. Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories)
            .Where(f => new FileInfo(f).LinkTarget is null)
            .Select(f => $"{Path.GetRelativePath(root, f)} {Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(f)))}")
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Fails with what differs, not with two listings.</summary>
    public static void ShouldBeSame(string[] actual, string[] expected)
    {
        actual.Except(expected).ShouldBeEmpty();
        expected.Except(actual).ShouldBeEmpty();
    }

    /// <summary>What a program of the system printed.</summary>
    public static string Run(string name, params string[] arguments)
    {
        using Process process =
            Process.Start(new ProcessStartInfo(name, arguments) { UseShellExecute = false, RedirectStandardOutput = true })!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.ShouldBe(0, $"{name} {string.Join(' ', arguments)}");
        return output;
    }
}
