"""Fetch public match files of backgammon: `python benchmarks/matches.py FOLDER`.

`ludarium data backgammon FOLDER` then makes decisions of them. Each collection is a folder of a repository on GitHub,
whose archive is read as it arrives; its text files go into `FOLDER/COLLECTION`. The shipped decisions come from
`bg-mining`, which is under the MIT licence. The others state no licence: they are for your own use. Most records of all
three are from the Japanese collection kifdb, and many are in two of them; `ludarium data` counts such matches once.
"""

import argparse
import tarfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

SITE = "https://github.com"
LARGEST, LONGEST = 500_000_000, 2_000_000
"""Bytes of all files of a collection, and of one."""


class Collection(NamedTuple):
    """Where match files are: a repository, one of its folders, and the licence that it states."""

    repository: str
    folder: str
    licence: str


COLLECTIONS = {
    "bg-mining": Collection("msagradian/bg-mining", "DatabaseOfMatches", "MIT"),
    "gengammon": Collection("Ron-Teller/Gengammon", "resources/training/matches", "none stated"),
    "challenge": Collection("BGChallengeAdmin/TheBackgammonChallenge", "HistoricMatches/TextFiles", "none stated"),
}


def fetch(name: str, into: Path, site: str = SITE) -> int:
    """Write the match files of a collection into a folder; return their number.

    Args:
        name: one of `COLLECTIONS`.
        into: the folder; files of the same name are replaced.
        site: where repositories are: `https://…`, or `file:///…`.

    Raises:
        OSError: if the archive cannot be fetched.
        ValueError: if it is damaged or too large, or holds no match files.
    """
    repository, folder, _ = COLLECTIONS[name]
    address = f"{site}/{repository}/archive/HEAD.tar.gz"
    into.mkdir(parents=True, exist_ok=True)
    number = total = 0
    with urllib.request.urlopen(address) as answer:
        for path, text in _texts(answer, folder, address):
            total += len(text)
            if total > LARGEST:
                raise ValueError(f"{address}: the match files have more than {LARGEST:,} bytes")
            (into / path.name).write_bytes(text)
            number += 1
    if not number:
        raise ValueError(f"{address}: there are no text files in a folder {folder}")
    return number


def _texts(answer: object, folder: str, address: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The text files in a folder of an archive; links, other files and those that are too long are left out."""
    try:
        with tarfile.open(fileobj=answer, mode="r|gz") as archive:  # type: ignore[call-overload]
            for member in archive:
                path = PurePosixPath(member.name)
                wanted = f"/{folder}/" in member.name and path.suffix.lower() in (".txt", ".mat")
                if wanted and member.isfile() and member.size <= LONGEST:
                    file = archive.extractfile(member)
                    assert file is not None
                    yield path, file.read()
    except (tarfile.TarError, EOFError) as error:
        raise ValueError(f"{address}: the archive cannot be read: {error}") from None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--collection", choices=COLLECTIONS, action="append", help="only this one; may be repeated")
    parser.add_argument("--site", default=SITE, help="where repositories are")
    args = parser.parse_args()
    for name in args.collection or COLLECTIONS:
        number = fetch(name, args.folder / name, args.site)
        print(f"{name}: {number:,} files in {args.folder / name}; licence: {COLLECTIONS[name].licence}", flush=True)


if __name__ == "__main__":
    main()
