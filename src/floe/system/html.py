"""HTML from Jinja2 templates: every value is escaped, nothing is fetched, no script runs.

Contracts (`floe convert --to html`), reports (`floe test`, `floe figures`) and results in notebooks (`_repr_html_`) are made in
packages that may not import each other. What their pages share therefore stands below all of them, here and in `templates/`:
the page around them, the stylesheet, badges and links. The template of one page stands in `templates/` of the package that
renders it. Jinja2 is imported with the first page, so that commands that write none do not pay for it.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from jinja2 import Environment

_SHARED = __name__.rpartition(".")[0]
_ADDRESS = re.compile(r"(https?|mailto):", re.IGNORECASE)
# control, direction and other invisible characters; joiners (U+200C, U+200D) stay, because scripts and emoji need them
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# what GitHub and Azure take for a command where a line of a log begins with it
_COMMAND = re.compile(r"^(\s*)(:|#)(?=:|#\[)", re.MULTILINE)


class Status(NamedTuple):
    """How a badge shows a status; `tone` is good, warn, bad or none."""

    sign: str
    word: str
    tone: str


def render(package: str, template: str, /, **values: Any) -> str:
    """A template of a package, filled with values.

    >>> render("floe.system", "table.html", title="fail", detail="<img src=x>", head=(), rows=())
    '<p><b>fail</b> &lt;img src=x&gt;</p>'
    """
    text = _environment(package).get_template(template).render(values)
    return _COMMAND.sub(lambda found: f"{found[1]}&#{ord(found[2])};", text)


def visible(value: Any) -> str:
    r"""Text in which no character steers what a reader sees; an invisible character is shown by its number.

    >>> print(visible("a\u202eb"))
    a\u202eb
    """
    return _INVISIBLE.sub(_escaped, "" if value is None else str(value))


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def web_address(url: Any) -> str | None:
    """A URL that is safe to follow (http, https, mailto), else None.

    >>> web_address("https://acme.example"), web_address(" javascript:alert(1)")
    ('https://acme.example', None)
    """
    return visible(url).strip() if isinstance(url, str) and _ADDRESS.match(url.strip()) else None


@cache
def _environment(package: str) -> "Environment":
    """The templates of a package, and those that all packages share."""
    from base64 import b64encode
    from hashlib import sha256

    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader = ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, _SHARED))])
    environment = Environment(
        autoescape=True,
        auto_reload=False,
        finalize=lambda value: visible(value) if type(value) is str else value,
        loader=loader,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    style, *_ = loader.get_source(environment, "style.css")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    environment.globals.update(
        # the browser runs and fetches nothing, and takes no other style than ours, whatever a contract holds
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        style=Markup(style),
        web_address=web_address,
    )
    return environment
