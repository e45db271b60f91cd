"""Where this loop differs from Apple's on purpose: differences.html, with a filter by version."""

from .. import annotations
from . import claims

NAVIGATION = [("differences.html", "navigation.differences")]
TEXT = {
    "navigation.differences": ("Differences", "差异"),
    "differences.title": ("Where this loop differs from Apple's on purpose", "本 RunLoop 有意与苹果不同的地方"),
    "differences.lead": ("{count} differences. Each row begins with the versions of the original that it is about; choose some of them to see only their rows.",
                         "{count} 处差异。每一行开头写明说的是原版的哪些版本；可以只看其中几个版本。"),
    "linux build": ("Linux build", "Linux 构建"),
    "current": ("current", "现行版"),
}


def build(site):
    rows = [row for row in annotations.rows(site) if not annotations.is_claim(row)]
    choices = [(version, words(site, version), sum(version in row.versions for row in rows)) for version in annotations.VERSIONS]
    claims.write(site, "differences", rows, sides=True, choices=choices)


def words(site, version):
    """A version's name in the site's language."""
    return {"current": site.text("current"), "Linux build": site.text("linux build")}.get(version, version)
