using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

public sealed class SpeedArgumentsTests
{
    [Fact]
    public void The_spelled_out_defaults_are_the_defaults()
    {
        SpeedOptions spelled = SpeedParsing.Parse("-t30 -b64K -r1G -s0 a.dat");
        SpeedOptions bare = SpeedParsing.Parse("a.dat");
        // Only a size that was typed is consent to extend a file; the size itself is the same.
        (spelled with { SizeBytes = null }).ShouldBe(bare);
        spelled.SizeBytes.ShouldBe(SpeedOptions.DefaultFileSizeBytes);
        bare.Time.ShouldBe(TimeSpan.FromSeconds(30));
        bare.RequestSizeBytes.ShouldBe(65536);
        bare.WriteShare.ShouldBe(0);
        bare.Outstanding.ShouldBeNull();
        bare.Path.ShouldBe("a.dat");
    }

    [Fact]
    public void Preallocate_with_a_size_then_reads()
    {
        SpeedOptions options = SpeedParsing.Parse("-t60 -p100M a.dat");
        options.Time.ShouldBe(TimeSpan.FromSeconds(60));
        options.Create.ShouldBe(CreateMode.Preallocate);
        options.SizeBytes.ShouldBe(100 * ByteSize.MiB);
        options.WriteShare.ShouldBe(0);
    }

    [Fact]
    public void Preallocate_without_a_size_takes_the_one_of_write()
    {
        SpeedOptions options = SpeedParsing.Parse("-t30 -w100M -p a.dat");
        options.Create.ShouldBe(CreateMode.Preallocate);
        options.SizeBytes.ShouldBe(100 * ByteSize.MiB);
        options.WriteShare.ShouldBe(1);
        options.Path.ShouldBe("a.dat");
    }

    [Fact]
    public void Asynchronous_with_a_request_size()
    {
        SpeedOptions options = SpeedParsing.Parse("-a2 -b256K a.dat");
        options.Outstanding.ShouldBe(2);
        options.RequestSizeBytes.ShouldBe(256 * 1024);
    }

    [Fact]
    public void Long_forms_say_the_same_as_short_ones()
    {
        SpeedParsing.Parse("--time 5 --block 4K --write 8M --async 4 --direct --seek 50 --touch --quiet --preallocate a.dat")
            .ShouldBe(SpeedParsing.Parse("-t5 -b4K -w8M -a4 -d -s50 -c -q -p a.dat"));
        SpeedParsing.Parse("--time=5 --extend=8M a.dat").ShouldBe(SpeedParsing.Parse("-t5 -x8M a.dat"));
        SpeedParsing.Parse("--cache direct a.dat").ShouldBe(SpeedParsing.Parse("-d a.dat"));
    }

    [Fact]
    public void Options_may_follow_the_file()
    {
        SpeedParsing.Parse("a.dat -t5 -a2").ShouldBe(SpeedParsing.Parse("-t5 -a2 a.dat"));
    }

    [Fact]
    public void Options_beyond_the_paper_are_understood()
    {
        SpeedOptions options = SpeedParsing.Parse(
            "--engine both --mix 70:30 --iops 500 --cache cold --warmup 0 --seed 7 --force "
            + "--i-know-this-destroys-data a.dat");
        options.Sides.ShouldBe([IoSide.Sluice, IoSide.Bcl]);
        options.WriteShare.ShouldBe(0.3, 1e-12);
        options.OperationsPerSecond.ShouldBe(500);
        options.Cache.ShouldBe(CacheMode.Cold);
        options.WarmUp.ShouldBe(TimeSpan.Zero);
        options.Seed.ShouldBe(7);
        options.Force.ShouldBeTrue();
        options.DestroysDeviceData.ShouldBeTrue();
    }

    [Theory]
    [InlineData("", "FILE")]
    [InlineData("-t0 a", "longer than 0")]
    [InlineData("-tx a", "-t")]
    [InlineData("-t-1 a", "-t")]
    [InlineData("-tNaN a", "-t")]
    [InlineData("-t1e9 a", "-t")]
    [InlineData("-t99999999 a", "-t")]
    [InlineData("-t1 -t2 a", "--time")]
    [InlineData("-b0 a", "not a size")]
    [InlineData("-b2G a", "-b")]
    [InlineData("-b64Q a", "64Q")]
    [InlineData("-r0 a", "larger than 0")]
    [InlineData("-r1K a", "does not fit")]
    [InlineData("-r99999999999999999999G a", "not a size")]
    [InlineData("-a0 a", "-a")]
    [InlineData("-a5000 a", "-a")]
    [InlineData("-a4096 -b1G a", "memory")]
    [InlineData("-s101 a", "-s")]
    [InlineData("-s-1 a", "-s")]
    [InlineData("-r -w a", "--mix")]
    [InlineData("-x -p a", "exclude")]
    [InlineData("-r1M -w2M a", "exclude")]
    [InlineData("-w1M -p2M a", "two file sizes")]
    [InlineData("--mix 70 a", "--mix")]
    [InlineData("--mix 1:1 -r a", "--mix")]
    [InlineData("--iops 0 a", "--iops: '0' is not a number above 0, up to 100,000,000")]
    [InlineData("--iops x a", "--iops")]
    [InlineData("--engine fast a", "--engine")]
    [InlineData("--cache warm a", "--cache")]
    [InlineData("-d --cache hot a", "exclude")]
    [InlineData("--seed x a", "--seed")]
    [InlineData("-d -b1000 --engine both a", "multiples of 512 bytes")]
    [InlineData("-d -x1000000 --engine bcl a", "multiples of 512 bytes")]
    [InlineData("-t0 -x1G --verify a", "-t0 measures nothing")]
    public void Impossible_values_are_refused_with_the_reason(string typed, string reason) =>
        Should.Throw<UsageException>(() => SpeedParsing.Parse(typed)).Message.ShouldContain(reason);
}
