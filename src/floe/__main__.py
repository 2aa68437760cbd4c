"""`python -m floe`."""

import sys

from floe.cli import main

sys.exit(main())
