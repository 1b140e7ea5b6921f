#!/usr/bin/env python3
"""calls.py FOLDER: the functions of the C library that C# sources import, one a line."""
import pathlib
import re
import sys

IMPORT = re.compile(r'\[(?:LibraryImport|DllImport)\((SystemLibrary\.Name|"libc")(?:[^\]]*?EntryPoint = "(\w+)")?[^\]]*\]\s*'
                    r'(?:\[[^\]]*\]\s*)*[^(;]*?(\w+)\(')

names = {}
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.cs")):
    text = path.read_text()
    found = IMPORT.findall(text)
    if len(found) != len(re.findall(r'Import\((?:SystemLibrary\.Name|"libc")', text)):
        sys.exit(f"{path}: an import that is not understood")
    names.update({entry or name: path for _, entry, name in found})
print("\n".join(sorted(names)))
