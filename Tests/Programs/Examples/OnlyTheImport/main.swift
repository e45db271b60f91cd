// main.swift: ExamplesTests puts UsesCoreFoundation.swift beside it, with `import CRunLoop` instead of `import CoreFoundation`. All else is as it was.
print(lettersOfHello(), runsABlock(), waitsForAQueue())

// prints: 5 true ["entry", "timer", "block"]
