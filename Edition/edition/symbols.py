"""The index of the sources: what each name means, and where."""

from collections import defaultdict

from facts.definitions import Symbol, symbols_of

FOLDERS = ("Sources/", "Programs/", "Lab/", "Bench/", "Tests/CTests/", "Examples/")
GENERATED = ("LinkerNames.h", "CFSwiftNames.h")


class Symbols:
    """All definitions of the project's sources."""

    def __init__(self, files):
        self.files = files
        self.by_name, self.by_file = defaultdict(list), defaultdict(list)
        for path in files:
            if path.endswith(".swift") or path.endswith((".c", ".h")) and path.startswith(FOLDERS) and not path.endswith(GENERATED):
                self.by_file[path] = symbols_of(path)
                for symbol in self.by_file[path]:
                    self.by_name[symbol.name].append(symbol)
        for symbols in self.by_name.values():
            symbols.sort(key=_preference)

    def at(self, name, path, line):
        """The definition at a line; one that the index does not have is made up from the line."""
        return next((symbol for symbol in self.by_name.get(name, []) if (symbol.path, symbol.line) == (path, line)), None) or Symbol(name, path, line, line, "other")

    def functions(self, path):
        """The functions of a file, in the order of their lines."""
        return sorted((symbol for symbol in self.by_file[path] if symbol.is_function), key=lambda symbol: symbol.line)

    def find(self, name, near=None):
        """Where a name is defined; a definition in the file `near` comes first. None if it is defined nowhere."""
        found = self.by_name.get(name, [])
        return next((symbol for symbol in found if symbol.path == near and symbol.kind != "prototype"), found[0] if found else None)


def _preference(symbol):
    folder = next((number for number, folder in enumerate(["Sources/CRunLoop/", "Sources/SwiftRunLoop/", "Sources/SwiftRunLoopAsync/", "Programs/CRunLoopModel/", "Lab/"])
                   if symbol.path.startswith(folder)), 9)
    return (folder, symbol.kind in ("prototype", "externvar"), symbol.path, symbol.line)
