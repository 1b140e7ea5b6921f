using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Sluice.Tests.Support;

/// <summary>
/// The tests of this assembly without a test host, for places that have none: a self-contained Windows build under Wine. Arguments are
/// parts of the names of tests to run, or with a minus to leave out; failures are printed, the last line is the sum, and the exit code
/// is 0 when nothing failed. With SLUICE_ONE_TEST_AT_A_TIME=1 a test has what threads there are for itself.
/// </summary>
internal static class SuiteProgram
{
    public static int Run(IReadOnlyList<string> parts)
    {
        Assembly assembly = typeof(SuiteProgram).Assembly;
        using XunitTestFramework framework = new(new Quiet());
        Options options = new();
        if (Environment.GetEnvironmentVariable("SLUICE_ONE_TEST_AT_A_TIME") == "1")
        {
            options.SetValue<bool?>("xunit.execution.DisableParallelization", true);
        }

        string[] wanted = [.. parts.Where(p => !p.StartsWith('-'))];
        string[] unwanted = [.. parts.Where(p => p.StartsWith('-')).Select(p => p[1..])];
        using Discovery discovery = new(c => (wanted.Length == 0 || wanted.Any(c.Contains)) && !unwanted.Any(c.Contains));
        using (ITestFrameworkDiscoverer discoverer = framework.GetDiscoverer(Reflector.Wrap(assembly)))
        {
            discoverer.Find(includeSourceInformation: false, discovery, options);
            discovery.Wait();
        }

        using Execution execution = new();
        using ITestFrameworkExecutor executor = framework.GetExecutor(assembly.GetName());
        executor.RunTests(discovery.Cases, execution, options);
        execution.Wait();
        Console.WriteLine($"{execution.Passed} passed, {execution.Failed} failed, {execution.Skipped} skipped");
        return execution.Failed == 0 && execution.Passed > 0 ? 0 : 1;
    }

    private sealed class Options : ITestFrameworkDiscoveryOptions, ITestFrameworkExecutionOptions
    {
        private readonly Dictionary<string, object?> _values = new(StringComparer.Ordinal);

        public TValue GetValue<TValue>(string name) => _values.TryGetValue(name, out object? value) ? (TValue)value! : default!;

        public void SetValue<TValue>(string name, TValue value) => _values[name] = value;
    }

    private sealed class Quiet : LongLivedMarshalByRefObject, Xunit.Abstractions.IMessageSink
    {
        public bool OnMessage(IMessageSinkMessage message) => true;
    }

    private sealed class Discovery(Func<string, bool> isWanted) : LongLivedMarshalByRefObject, Xunit.Abstractions.IMessageSink, IDisposable
    {
        private readonly ManualResetEventSlim _done = new();

        public List<ITestCase> Cases { get; } = [];

        public bool OnMessage(IMessageSinkMessage message)
        {
            switch (message)
            {
                case ITestCaseDiscoveryMessage found when isWanted(found.TestCase.DisplayName):
                    Cases.Add(found.TestCase);
                    break;
                case IDiscoveryCompleteMessage:
                    _done.Set();
                    break;
            }

            return true;
        }

        public void Wait() => _done.Wait();

        public void Dispose() => _done.Dispose();
    }

    private sealed class Execution : LongLivedMarshalByRefObject, Xunit.Abstractions.IMessageSink, IDisposable
    {
        private readonly ManualResetEventSlim _done = new();
        private readonly Lock _lock = new();

        /// <summary>
        /// Pipes of programs that tests start are .NET's, given back by a collection alone: with few descriptors they are what runs out.
        /// </summary>
        private readonly bool _collects = Environment.GetEnvironmentVariable("SLUICE_COLLECT_BETWEEN_TESTS") == "1";
        private readonly bool _isTraced = Environment.GetEnvironmentVariable("SLUICE_TRACE_TESTS") == "1";

        public int Passed { get; private set; }

        public int Failed { get; private set; }

        public int Skipped { get; private set; }

        public bool OnMessage(IMessageSinkMessage message)
        {
            if (_collects && message is ITestFinished)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }

            lock (_lock)
            {
                switch (message)
                {
                    case ITestStarting starting when _isTraced:
                        Console.WriteLine($"start {starting.Test.DisplayName}");
                        break;
                    case ITestFinished finished when _isTraced:
                        Console.WriteLine($"end {finished.Test.DisplayName} after {finished.ExecutionTime} s");
                        break;
                    case ITestPassed:
                        Passed++;
                        break;
                    case ITestSkipped or ITestFailed { ExceptionTypes: ["Xunit.SkipException", ..] }:
                        Skipped++;
                        break;
                    case ITestFailed failed:
                        Fail(failed.Test.DisplayName, failed);
                        break;
                    case IErrorMessage error:
                        Fail("outside of tests", error);
                        break;
                    case ITestClassCleanupFailure failure:
                        Fail($"after {failure.TestClass.Class.Name}", failure);
                        break;
                    case ITestAssemblyFinished:
                        _done.Set();
                        break;
                }
            }

            return true;
        }

        public void Wait() => _done.Wait();

        public void Dispose() => _done.Dispose();

        private void Fail(string what, IFailureInformation failure)
        {
            Failed++;
            Console.WriteLine($"FAILED {what}: {ExceptionUtility.CombineMessages(failure)}");
            Console.WriteLine(ExceptionUtility.CombineStackTraces(failure));
        }
    }
}
