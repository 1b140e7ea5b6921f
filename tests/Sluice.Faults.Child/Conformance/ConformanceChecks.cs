namespace Sluice.Faults.Child.Conformance;

/// <summary>
/// What a handle promises on every file system, whatever its caching and its engine: each check is one promise, run by name, in this
/// process or in a child that has been refused something.
/// </summary>
internal static class ConformanceChecks
{
    private static readonly Dictionary<string, Func<ConformanceTarget, Task>> Checks = new(StringComparer.Ordinal)
    {
        [nameof(TransferChecks.Caching_is_what_the_file_system_allows)] = TransferChecks.Caching_is_what_the_file_system_allows,
        [nameof(TransferChecks.End_of_file_is_right_to_the_byte)] = TransferChecks.End_of_file_is_right_to_the_byte,
        [nameof(TransferChecks.Empty_transfers_change_nothing)] = TransferChecks.Empty_transfers_change_nothing,
        [nameof(TransferChecks.Vectored_transfers_of_odd_segments)] = TransferChecks.Vectored_transfers_of_odd_segments,
        [nameof(TransferChecks.Batches_of_odd_places)] = TransferChecks.Batches_of_odd_places,
        [nameof(TransferChecks.Write_only_and_read_only_handles)] = TransferChecks.Write_only_and_read_only_handles,
        [nameof(TransferChecks.Cached_readers_and_writers_see_the_same_bytes)] =
            TransferChecks.Cached_readers_and_writers_see_the_same_bytes,
        [nameof(TransferChecks.Offsets_behind_4_GiB)] = TransferChecks.Offsets_behind_4_GiB,
        [nameof(TransferChecks.Impossible_offsets_fail_and_leave_the_handle_as_it_was)] =
            TransferChecks.Impossible_offsets_fail_and_leave_the_handle_as_it_was,
        [nameof(TransferChecks.Sharing_is_refused_as_System_IO_refuses_it)] = TransferChecks.Sharing_is_refused_as_System_IO_refuses_it,
        [nameof(SpaceChecks.Cut_and_extended_files_have_no_old_bytes)] = SpaceChecks.Cut_and_extended_files_have_no_old_bytes,
        [nameof(SpaceChecks.Allocate_extends_and_keeps)] = SpaceChecks.Allocate_extends_and_keeps,
        [nameof(SpaceChecks.Punched_holes_read_as_zeros)] = SpaceChecks.Punched_holes_read_as_zeros,
        [nameof(SpaceChecks.Extents_cover_the_data)] = SpaceChecks.Extents_cover_the_data,
        [nameof(SpaceChecks.Preallocated_files_start_with_that_space)] = SpaceChecks.Preallocated_files_start_with_that_space,
        [nameof(SharedChecks.Appends_land_where_they_say)] = SharedChecks.Appends_land_where_they_say,
        [nameof(SharedChecks.Writers_of_neighbouring_bytes_keep_apart)] = SharedChecks.Writers_of_neighbouring_bytes_keep_apart,
        [nameof(SharedChecks.Bytes_next_to_a_writer_stay_as_they_are)] = SharedChecks.Bytes_next_to_a_writer_stay_as_they_are,
        [nameof(SharedChecks.Appends_beside_writers_of_the_same_page)] = SharedChecks.Appends_beside_writers_of_the_same_page,
        [nameof(SharedChecks.Block_and_edge_of_one_page_keep_apart)] = SharedChecks.Block_and_edge_of_one_page_keep_apart,
        [nameof(SharedChecks.Reads_past_the_end_beside_appends)] = SharedChecks.Reads_past_the_end_beside_appends,
        [nameof(RandomWalk.Random_operations_match_a_model)] = RandomWalk.Random_operations_match_a_model,
    };

    public static IReadOnlyCollection<string> Names => Checks.Keys;

    public static Task RunAsync(string name, ConformanceTarget target) => Checks[name](target);
}
