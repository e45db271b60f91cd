"""`PYTHONPATH=Edition:Scripts python3 -m edition.record --check`: the recorder needs no package of PyPI, so it also runs without the edition's environment."""

import sys

from facts import Failure
from . import main

try:
    sys.exit(main(sys.argv[1:]))
except Failure as failure:
    sys.exit(f"reading-edition: {failure}")
