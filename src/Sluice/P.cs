namespace Sluice; internal static class Placeholder;
