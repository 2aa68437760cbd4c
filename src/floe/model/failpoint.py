"""Named places where a test can kill the process, as a machine might."""

import os
import signal


def failpoint(name: str) -> None:
    """Die here, at once and without a word, where FLOE_FAILPOINT names this place."""
    if os.environ.get("FLOE_FAILPOINT") == name:  # noqa: TID251  (a switch for tests, never a setting)
        os.kill(os.getpid(), signal.SIGKILL)
