namespace Sluice.Uring; internal static class Placeholder;
