"""Pages of notebooks ask no other host for anything."""

import re
from typing import Any

_SCRIPT = re.compile(r"<script[^>]*>(?:(?!</script>).)*https://cdnjs\.cloudflare\.com.*?</script>", re.DOTALL)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Drop the script that nbconvert adds for diagrams, which would load a library; our notebooks have none."""
    return _SCRIPT.sub("", output) if page.file.src_uri.endswith(".ipynb") else output
