"""An answer that is not waited for without end."""

import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def call_with_timeout(ask: Callable[[], _T], seconds: float) -> _T:
    """The answer, unless it takes too long: not every client gives up by itself."""
    said: list[_T] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            said.append(ask())
        except Exception as error:  # noqa: BLE001  (told by the thread that waits)
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not said:
        raise TimeoutError(f"no answer within {seconds:.3g} seconds")
    return said[0]
