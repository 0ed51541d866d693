"""`python -m catan_pz.cli` is `catan-pz`."""

import sys

from catan_pz.cli import main

sys.exit(main())
