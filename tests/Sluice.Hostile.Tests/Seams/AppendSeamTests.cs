using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Appends on kernels without pwritev2(2), and so without RWF_APPEND.</summary>
public sealed class AppendSeamTests : HostileTests
{
    [LinuxFact]
    public async Task An_append_that_begins_after_its_handle_was_disposed_says_so()
    {
        string path = Temp.NewFile([]);
        Calling engine = new();
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions { Access = FileAccess.Write, Engine = engine });
        await handle.AppendAsync(new byte[] { 1 });
        SystemCallFaults.Use(static (call, _, _) => call == "pwritev2" ? -Errno.EOPNOTSUPP : 0);
        engine.Call = handle.Dispose;
        await Should.ThrowAsync<ObjectDisposedException>(() => handle.AppendAsync(new byte[] { 2 }).AsTask());
        File.ReadAllBytes(path).ShouldBe([1]);
    }

    private sealed class Calling : InterceptingEngine
    {
        public Action? Call { get; set; }

        public override string Name => "calling";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            Call?.Invoke();
            return Interception.PassOn;
        }
    }
}
