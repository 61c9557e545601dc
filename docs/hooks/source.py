"""Pages link to files of the repository, and a site has none but its own: it gets a page for each such file."""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(((?:\.\./)+[^)#\s]+)(#[^)\s]*)?\)")
LANGUAGES = {".py": "python", ".toml": "toml", ".js": "javascript", ".json": "json", ".md": "markdown"}


def on_files(files: Files, config: Any) -> None:
    """Add a page for each file outside `docs` that a page links to."""
    linked = {path for file in files.documentation_pages() for path in _outside(file)}
    for path in sorted(linked):
        files.append(File.generated(config, f"source/{path}.md", content=_page(path)))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to files of the repository to their pages."""
    folder = Path(page.file.src_uri).parent

    def lead(match: re.Match[str]) -> str:
        path = _path(page.file.src_uri, match[1])
        return match[0] if path is None else f"]({os.path.relpath(f'source/{path}.md', folder)})"

    return LINK.sub(lead, markdown)


def _outside(file: File) -> set[str]:
    paths = (_path(file.src_uri, match[1]) for match in LINK.finditer(file.content_string))
    return {path for path in paths if path is not None}


def _path(page: str, link: str) -> str | None:
    """The file that a page links to, from the root; None if it is a page, too, or is not there."""
    target = Path(os.path.normpath(ROOT / "docs" / Path(page).parent / link))
    inside = target.is_relative_to(ROOT / "docs") or not target.is_relative_to(ROOT)
    return None if inside or not target.exists() else target.relative_to(ROOT).as_posix()


def _page(path: str) -> str:
    head = f"---\nsearch: {{exclude: true}}\nhide: [navigation, toc]\n---\n\n# {path}\n\n"
    target = ROOT / path
    if target.is_dir():
        return head + "\n".join(f"- `{entry.name}`" for entry in sorted(target.iterdir()) if entry.name[0] not in "._")
    text = target.read_text(encoding="utf-8")
    return f"{head}````{LANGUAGES.get(target.suffix, 'text')}\n{text}````\n"
