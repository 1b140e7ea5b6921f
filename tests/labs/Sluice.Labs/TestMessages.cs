using Xunit;
using Xunit.Abstractions;

namespace Sluice.Labs;

/// <summary>The tests that were found, and the outcomes of those that ran; failures are printed.</summary>
internal sealed class TestMessages : LongLivedMarshalByRefObject, IMessageSink
{
    public ManualResetEvent Discovered { get; } = new(false);

    public ManualResetEvent Run { get; } = new(false);

    public List<ITestCase> Tests { get; } = [];

    public int Passed { get; private set; }

    public int Failed { get; private set; }

    public int Skipped { get; private set; }

    public bool OnMessage(IMessageSinkMessage message)
    {
        switch (message)
        {
            case ITestCaseDiscoveryMessage found:
                Tests.Add(found.TestCase);
                break;
            case IDiscoveryCompleteMessage:
                Discovered.Set();
                break;
            case ITestStarting test when Environment.GetEnvironmentVariable("SLUICE_LAB_NAMES") is not null:
                Console.WriteLine(test.Test.DisplayName);
                break;
            case ITestPassed:
                Passed++;
                break;
            case ITestSkipped:
                Skipped++;
                break;
            case ITestFailed test:
                Fail(test.Test.DisplayName, test);
                break;
            case IErrorMessage error:
                Fail("the run", error);
                break;
            case ITestAssemblyFinished:
                Run.Set();
                break;
        }

        return true;
    }

    private void Fail(string what, IFailureInformation failure)
    {
        Failed++;
        Console.WriteLine($"FAILED {what}");
        for (int i = 0; i < failure.Messages.Length; i++)
        {
            Console.WriteLine($"  {failure.ExceptionTypes[i]}: {failure.Messages[i]}\n{failure.StackTraces[i]}");
        }
    }
}
