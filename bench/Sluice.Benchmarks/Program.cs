using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Running;
using Sluice.Benchmarks;

IConfig config = DefaultConfig.Instance
    .AddDiagnoser(MemoryDiagnoser.Default)
    .WithOptions(ConfigOptions.DisableLogFile);
BenchmarkSwitcher.FromAssembly(typeof(BenchmarkFiles).Assembly).Run(args, config);
