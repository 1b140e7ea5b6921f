"""Prints from the .trx files of one folder why tests were skipped (each reason once, with the number of tests) and which classes took
longest, and appends to the file that is named second which tests failed, each with the beginning of what it said. The third argument is
the engine."""
import collections
import pathlib
import sys
import xml.etree.ElementTree

NAMESPACE = "{http://microsoft.com/schemas/VisualStudio/TeamTest/2010}"
LINES = 12
CLASSES = 12

folder, failures, engine = sys.argv[1:]
reasons = collections.Counter()
seconds = collections.Counter()


def text_of(result, name):
    element = result.find(f"{NAMESPACE}Output/{NAMESPACE}ErrorInfo/{NAMESPACE}{name}")
    return element.text.strip() if element is not None and element.text else "nothing said"


with open(failures, "a", encoding="utf-8") as out:
    for path in pathlib.Path(folder).glob("*.trx"):
        for result in xml.etree.ElementTree.parse(path).iter(NAMESPACE + "UnitTestResult"):
            hours, minutes, rest = (result.get("duration") or "0:0:0").split(":")
            test_class = result.get("testName").split("(")[0].rpartition(".")[0].rpartition(".")[2]
            seconds[test_class] += 3600 * int(hours) + 60 * int(minutes) + float(rest)
            if result.get("outcome") == "NotExecuted":
                reasons[text_of(result, "Message")] += 1
            elif result.get("outcome") == "Failed":
                print(f"Failed {result.get('testName')} ({engine}, {result.get('duration')})", file=out)
                for part in ("Message", "StackTrace"):
                    for line in text_of(result, part).splitlines()[:LINES]:
                        print(f"    {line.strip()}", file=out)
for reason, count in sorted(reasons.items()):
    print(f"skipped {count}: {reason}")
for test_class, took in seconds.most_common(CLASSES):
    print(f"{took:.0f} s: {test_class}")
