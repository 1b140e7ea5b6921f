"""Prints why tests were skipped, from the .trx files of one folder: each reason once, with the number of tests."""
import collections
import pathlib
import sys
import xml.etree.ElementTree

NAMESPACE = "{http://microsoft.com/schemas/VisualStudio/TeamTest/2010}"

reasons = collections.Counter()
for path in pathlib.Path(sys.argv[1]).glob("*.trx"):
    for result in xml.etree.ElementTree.parse(path).iter(NAMESPACE + "UnitTestResult"):
        if result.get("outcome") == "NotExecuted":
            message = result.find(f"{NAMESPACE}Output/{NAMESPACE}ErrorInfo/{NAMESPACE}Message")
            reasons[message.text.strip() if message is not None and message.text else "no reason given"] += 1
for reason, count in sorted(reasons.items()):
    print(f"skipped {count}: {reason}")
