namespace Sluice.Faults.Child.Conformance;

/// <summary>
/// What may differ by file system or by what the kernel refuses, and a random walk for the rest: each check runs by name, in this process
/// or in a child that has been refused something. Sluice.Tests has every promise of a handle.
/// </summary>
internal static class ConformanceChecks
{
    private static readonly Dictionary<string, Func<ConformanceTarget, Task>> Checks = new(StringComparer.Ordinal)
    {
        [nameof(TransferChecks.Caching_is_what_the_file_system_allows)] = TransferChecks.Caching_is_what_the_file_system_allows,
        [nameof(TransferChecks.Sharing_is_refused_as_System_IO_refuses_it)] = TransferChecks.Sharing_is_refused_as_System_IO_refuses_it,
        [nameof(SpaceChecks.Space_is_reserved_and_released_where_the_file_system_can)] =
            SpaceChecks.Space_is_reserved_and_released_where_the_file_system_can,
        [nameof(SpaceChecks.Extents_cover_the_data)] = SpaceChecks.Extents_cover_the_data,
        [nameof(SpaceChecks.Preallocated_files_start_with_that_space)] = SpaceChecks.Preallocated_files_start_with_that_space,
        [nameof(SharedChecks.Appends_land_where_they_say)] = SharedChecks.Appends_land_where_they_say,
        [nameof(SharedChecks.Reads_past_the_end_beside_appends)] = SharedChecks.Reads_past_the_end_beside_appends,
        [nameof(RandomWalk.Random_operations_match_a_model)] = RandomWalk.Random_operations_match_a_model,
    };

    public static IReadOnlyCollection<string> Names => Checks.Keys;

    public static Task RunAsync(string name, ConformanceTarget target) => Checks[name](target);
}
