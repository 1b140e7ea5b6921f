Console.WriteLine("sluice");
