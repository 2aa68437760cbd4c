"""Findings and results as text for people, and as JSON, SARIF, JUnit, Markdown and HTML for programs."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports import (
        github as github,
    )
    from floe.reports import (
        html as html,
    )
    from floe.reports import (
        junit as junit,
    )
    from floe.reports import (
        markdown as markdown,
    )
    from floe.reports import (
        sarif as sarif,
    )
    from floe.reports import (
        style as style,
    )
    from floe.reports import (
        text as text,
    )
else:
    _MODULES = (
        "style",
        "github",
        "html",
        "junit",
        "markdown",
        "sarif",
        "text",
    )
    __getattr__ = lazy(__name__, _MODULES)
