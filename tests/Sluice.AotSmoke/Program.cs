Console.WriteLine("smoke");
