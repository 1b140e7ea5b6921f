using System.Reflection;
using System.Runtime.Loader;
using System.Text.RegularExpressions;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Sluice.Labs;

/// <summary>
/// Runs tests on a machine without the .NET SDK: <c>test ASSEMBLY [ONLY [NOT]]</c> runs those of the tier fast in this process, one at a
/// time, where ONLY and NOT are regular expressions for <c>Namespace.Class.Method</c>; the exit code is 0 if some passed and none failed.
/// <c>exec ASSEMBLY ARGUMENT...</c> runs a program, as <c>dotnet exec</c> does.
/// </summary>
internal static class Program
{
    public static int Main(string[] args)
    {
        string path = Path.GetFullPath(args[1]);
        AssemblyLoadContext.Default.Resolving += (context, name) =>
        {
            string file = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
            return File.Exists(file) ? context.LoadFromAssemblyPath(file) : null;
        };
        return args[0] == "exec"
            ? AppDomain.CurrentDomain.ExecuteAssembly(path, args[2..])
            : Test(
                AssemblyLoadContext.Default.LoadFromAssemblyPath(path),
                new Regex(args.ElementAtOrDefault(2) ?? "", RegexOptions.NonBacktracking),
                new Regex(args.ElementAtOrDefault(3) ?? "^$", RegexOptions.NonBacktracking));
    }

    private static int Test(Assembly assembly, Regex only, Regex not)
    {
        TestMessages messages = new();
        RunOptions options = new();
        using XunitTestFramework framework = new(messages);
        using ITestFrameworkDiscoverer discoverer = framework.GetDiscoverer(Reflector.Wrap(assembly));
        discoverer.Find(includeSourceInformation: false, messages, options);
        messages.Discovered.WaitOne();

        using ITestFrameworkExecutor executor = framework.GetExecutor(assembly.GetName());
        executor.RunTests(messages.Tests.Where(test => IsWanted(test, only, not)), messages, options);
        messages.Run.WaitOne();
        Console.WriteLine($"{messages.Passed} passed, {messages.Failed} failed, {messages.Skipped} skipped");
        return messages.Failed == 0 && messages.Passed > 0 ? 0 : 1;
    }

    private static bool IsWanted(ITestCase test, Regex only, Regex not)
    {
        string name = $"{test.TestMethod.TestClass.Class.Name}.{test.TestMethod.Method.Name}";
        return !test.Traits.GetValueOrDefault("Tier", []).Exists(tier => tier is "slow" or "nightly")
            && only.IsMatch(name) && !not.IsMatch(name);
    }
}
