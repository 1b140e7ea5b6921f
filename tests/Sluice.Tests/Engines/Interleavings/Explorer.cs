namespace Sluice.Tests.Engines.Interleavings;

/// <summary>
/// Runs a world in every order of its threads' steps that takes a thread's turn away at most so many times while it could go on, and in
/// random orders. A thread whose turn was not taken away goes on until it cannot; then each of the others may be next.
/// </summary>
internal static class Explorer
{
    /// <summary>After so many steps, or expired waits with nothing done between them, something waits for ever.</summary>
    private const int MaxSteps = 3000;
    private const int MaxTimeOuts = 40;

    /// <param name="create">A new world, always the same.</param>
    /// <param name="preemptions">How often a thread that could go on may lose its turn.</param>
    /// <param name="runs">How many orders were run: all that there are, or all up to the one that went wrong.</param>
    /// <returns>What went wrong first; null when nothing did.</returns>
    public static string? Exhaust(Func<World> create, int preemptions, out int runs)
    {
        List<(int Choice, int Count)> path = [];
        for (runs = 1; ; runs++)
        {
            int depth = 0;
            string? failure = Run(create(), preemptions, count =>
            {
                if (depth == path.Count)
                {
                    path.Add((0, count));
                }

                return path[depth++].Choice;
            });
            if (failure is not null)
            {
                return $"{failure} (order {runs})";
            }

            path.RemoveRange(depth, path.Count - depth);
            while (path.Count > 0 && path[^1].Choice + 1 == path[^1].Count)
            {
                path.RemoveAt(path.Count - 1);
            }

            if (path.Count == 0)
            {
                return null;
            }

            path[^1] = (path[^1].Choice + 1, path[^1].Count);
        }
    }

    /// <summary>Runs <paramref name="count"/> random orders, each of which takes turns away as often as it likes.</summary>
    public static string? Roam(Func<World> create, int count)
    {
        for (int seed = 0; seed < count; seed++)
        {
            Random random = new(seed);
            if (Run(create(), int.MaxValue, choices => random.Next(3) > 0 ? 0 : random.Next(choices)) is { } failure)
            {
                return $"{failure} (seed {seed})";
            }
        }

        return null;
    }

    private static void AddTimers(IReadOnlyList<World.Actor> actors, List<(World.Actor Actor, bool IsTimer)> choices)
    {
        int fewest = int.MaxValue;
        foreach (World.Actor actor in actors)
        {
            if (actor.HasTimer && !actor.CanStep)
            {
                fewest = Math.Min(fewest, actor.TimeOuts);
            }
        }

        foreach (World.Actor actor in actors)
        {
            if (actor.TimeOuts == fewest && actor.HasTimer && !actor.CanStep)
            {
                choices.Add((actor, true));
            }
        }
    }

    private static string? Run(World world, int preemptions, Func<int, int> choose)
    {
        World.Actor? current = null;
        List<(World.Actor Actor, bool IsTimer)> choices = [];
        int timeOuts = 0;
        for (int step = 0; !world.IsDone; step++)
        {
            choices.Clear();
            bool goesOn = current?.CanStep == true;
            if (goesOn)
            {
                choices.Add((current!, false));
            }

            if (!goesOn || preemptions > 0)
            {
                // Of threads that sleep in the pool one stands for all.
                bool hasIdle = current?.IsIdle == true && goesOn;
                foreach (World.Actor actor in world.Actors)
                {
                    if (actor.CanStep && actor != current && !(actor.IsIdle && hasIdle))
                    {
                        choices.Add((actor, false));
                        hasIdle |= actor.IsIdle;
                    }
                }
            }

            // Time passes when nothing else happens, or in place of a lost turn.
            // All clocks go alike: only what has expired no more often than the others may be next.
            if (choices.Count == 0 || preemptions > 0)
            {
                AddTimers(world.Actors, choices);
            }

            if (choices.Count == 0 || step == MaxSteps || timeOuts == MaxTimeOuts)
            {
                return $"waits for ever: {world}";
            }

            int choice = choices.Count == 1 ? 0 : choose(choices.Count);
            (World.Actor next, bool isTimer) = choices[choice];
            if (choice > 0 && (goesOn || isTimer))
            {
                preemptions--;
            }

            current = next;
            if (isTimer)
            {
                timeOuts++;
                next.TimeOuts++;
                next.TimeOut();
            }
            else
            {
                next.Step();
            }

            if (!world.IsSound)
            {
                return $"is not sound: {world}";
            }
        }

        return null;
    }
}
