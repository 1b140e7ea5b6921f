global using Sluice.Compatibility;
