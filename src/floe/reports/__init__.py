"""Findings and results as text for people, and as JSON, SARIF, JUnit, Markdown and HTML for programs."""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.reports import (
        github as github,
        html as html,
        junit as junit,
        markdown as markdown,
        sarif as sarif,
        style as style,
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
