"""The random mutants of Scripts/mutate-loop: statements.py finds what can be broken, judge.py breaks it and sees who notices, and known.tsv names the
mutants that nobody can notice.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
