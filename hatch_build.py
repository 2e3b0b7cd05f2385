"""Set the metadata of the package that depend on where it is built.

README.md has relative links to files of the repository, but the page on PyPI needs full URLs. If a
GitHub workflow builds the package, the links are changed to URLs of the repository at the tag of that
workflow. Otherwise they are left unchanged.
"""

import os
import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<picture>!?)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Set the readme, and the URLs of the project if they are known."""

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
    """Make links to files of the repository absolute; images link to the file, others to its page."""

    def full(link):
        if ":" in link["target"] or link["target"].startswith("#"):
            return link[0]
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['words']}]({address}/{kind}/{version}/{link['target']})"

    return LINK.sub(full, text)
