"""Metadata of the package that depends on where it is built.

README.md links to files of the repository. The page on PyPI needs full addresses: where the package
is built by a GitHub workflow, the links lead to the repository and the tag of that workflow. Built
elsewhere, the links stay as they are.
"""

import os
import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<picture>!?)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Set the readme, and the addresses of the project where they are known."""

    def update(self, metadata):
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = os.environ.get("GITHUB_REPOSITORY")
        if repository:
            server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
            address = f"{server}/{repository}"
            text = with_full_addresses(text, address, os.environ.get("GITHUB_REF_NAME", "main"))
            metadata["urls"] = {
                "Source": address,
                "Changelog": f"{address}/blob/main/CHANGELOG.md",
                "Issues": f"{address}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def with_full_addresses(text, address, version):
    """Make links to files of the repository absolute; pictures as files, other links as pages."""

    def full(link):
        if ":" in link["target"] or link["target"].startswith("#"):
            return link[0]
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['words']}]({address}/{kind}/{version}/{link['target']})"

    return LINK.sub(full, text)
