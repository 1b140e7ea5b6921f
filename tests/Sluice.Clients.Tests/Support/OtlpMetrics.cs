using Google.Protobuf;

namespace Sluice.Clients.Tests.Support;

/// <summary>The sums in a request of the OpenTelemetry protocol, ExportMetricsServiceRequest, by the numbers of its fields.</summary>
internal static class OtlpMetrics
{
    /// <summary>Unit and sum over all attributes of each metric that counts whole numbers.</summary>
    public static Dictionary<string, (string Unit, long Sum)> Read(byte[] request)
    {
        Dictionary<string, (string Unit, long Sum)> metrics = [];
        foreach (byte[] resource in Messages(request, 1))
        {
            foreach (byte[] scope in Messages(resource, 2))
            {
                foreach (byte[] metric in Messages(scope, 2))
                {
                    metrics[Text(metric, 1)] = (Text(metric, 3), Messages(metric, 7).SelectMany(s => Messages(s, 1)).Sum(AsInteger));
                }
            }
        }

        return metrics;
    }

    private static string Text(byte[] message, int field) => System.Text.Encoding.UTF8.GetString(Messages(message, field).Single());

    private static List<byte[]> Messages(byte[] message, int field)
    {
        List<byte[]> found = [];
        CodedInputStream input = new(message);
        for (uint tag = input.ReadTag(); tag != 0; tag = input.ReadTag())
        {
            if (tag == WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited))
            {
                found.Add(input.ReadBytes().ToByteArray());
            }
            else
            {
                input.SkipLastField();
            }
        }

        return found;
    }

    /// <summary>NumberDataPoint.as_int; 0 where the point has another kind of value.</summary>
    private static long AsInteger(byte[] point)
    {
        CodedInputStream input = new(point);
        for (uint tag = input.ReadTag(); tag != 0; tag = input.ReadTag())
        {
            if (tag == WireFormat.MakeTag(6, WireFormat.WireType.Fixed64))
            {
                return input.ReadSFixed64();
            }

            input.SkipLastField();
        }

        return 0;
    }
}
