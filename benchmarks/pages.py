"""The pages of the documentation and their blocks of code, for whoever runs them.

A fence says what becomes of its block: `sh` and `python` are run, one after another in a folder of the page's own;
with a title, as in `python title="careful.py"`, the block is saved under that name instead. Comments right before a
fence change this where a page is tested:

    <!-- test: not run, it waits for a person -->
    <!-- test: first `cp examples/bots/first.js .` -->
    <!-- test: `100_000` is `2_000` -->
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?$")
_COMMENT = re.compile(r"<!-- test: (?P<text>.*) -->")
_FIRST, _INSTEAD = re.compile(r"first `(?P<command>.+)`"), re.compile(r"`(?P<old>.+)` is `(?P<new>.*)`")


@dataclass
class Block:
    """A block of code.

    Attributes:
        line: the number of its first line in the page, from 1.
        language: `sh`, `python`, `toml`, …; empty for what programs print.
        title: the file that it is, or empty.
        text: as it stands in the page.
        run: whether it can be run in a test.
        first: commands that a test runs before it.
        instead: what a test puts in place of parts of the text.
    """

    line: int
    language: str
    title: str
    text: str = ""
    run: bool = True
    first: list[str] = field(default_factory=list)
    instead: dict[str, str] = field(default_factory=dict)

    @property
    def tested(self) -> str:
        """The text as a test runs it."""
        text = self.text
        for old, new in self.instead.items():
            text = text.replace(old, new)
        return text


def pages() -> list[Path]:
    """All pages: the README and those of the site that are not generated while it is built."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The blocks of a page.

    Raises:
        ValueError: for a comment `test:` that is not understood, does not stand right before a block, or replaces what
            is not there.
    """
    blocks, comments, block, indent = list[Block](), list[str](), None, 0
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if block is not None:
            if line.strip() == "```":
                _obey(block, comments)
                blocks.append(block)
                block, comments = None, []
            else:
                block.text += line[indent:] + "\n"
        elif fence:
            block, indent = Block(number + 1, fence["language"], fence["title"] or ""), len(fence["indent"])
        elif comment := _COMMENT.fullmatch(line.strip()):
            comments.append(comment["text"])
        elif comments:
            raise ValueError(
                f"line {number}: the comment 'test: {comments[-1]}' must stand right before a block of code"
            )
    return blocks


def _obey(block: Block, comments: list[str]) -> None:
    for comment in comments:
        first, instead = _FIRST.fullmatch(comment), _INSTEAD.fullmatch(comment)
        if comment.startswith("not run, "):
            block.run = False
        elif first:
            block.first.append(first["command"])
        elif instead and instead["old"] in block.text:
            block.instead[instead["old"]] = instead["new"]
        else:
            raise ValueError(
                f"line {block.line}: 'test: {comment}' is none of 'not run, REASON', 'first `COMMAND`' and "
                "'`PART OF THE BLOCK` is `OTHER TEXT`'"
            )
