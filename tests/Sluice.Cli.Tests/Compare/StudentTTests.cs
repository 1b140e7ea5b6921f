using Shouldly;
using Sluice.Cli.Compare;
using Xunit;

namespace Sluice.Cli.Tests.Compare;

public sealed class StudentTTests
{
    // From the printed tables of the distribution, and from its closed forms: one degree is Cauchy's, many are the normal one.
    [Theory]
    [InlineData(0.95, 1, 12.7062)]
    [InlineData(0.95, 2, 4.3027)]
    [InlineData(0.90, 5, 2.0150)]
    [InlineData(0.95, 12, 2.1788)]
    [InlineData(0.99, 12, 3.0545)]
    [InlineData(0.999, 12, 4.3178)]
    [InlineData(0.95, 1e7, 1.95996)]
    public void A_quantile_is_the_one_of_the_printed_tables(double confidence, double freedom, double expected) =>
        StudentT.TwoSidedQuantile(confidence, freedom).ShouldBe(expected, 1e-4);

    [Theory]
    [InlineData(0.2)]
    [InlineData(3)]
    [InlineData(40)]
    public void One_degree_of_freedom_is_the_cauchy_distribution(double t) =>
        StudentT.Outside(t, 1).ShouldBe(1 - 2 / Math.PI * Math.Atan(t), 1e-9);

    [Fact]
    public void Between_whole_degrees_of_freedom_it_lies_between_them()
    {
        double at = StudentT.TwoSidedQuantile(0.95, 7.4);
        at.ShouldBeInRange(StudentT.TwoSidedQuantile(0.95, 8), StudentT.TwoSidedQuantile(0.95, 7));
    }
}
