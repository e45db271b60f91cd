"""The size of the site: the number of its files, and the room that they take on a disk, which gives each file and each folder whole blocks."""

FILES, ROOM, BLOCK = 3_000, 40_000_000, 4_096


def check(site):
    files = [path for path in site.rglob("*") if path.is_file()]
    room = sum(max(1, -(-path.stat().st_size // BLOCK)) * BLOCK for path in [site, *site.rglob("*")])
    misses = [f"the site has {len(files):,} files, more than {FILES:,}"] if len(files) > FILES else []
    if room > ROOM:
        folders = sorted(((sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()), folder.relative_to(site)) for folder in site.glob("*/*") if folder.is_dir()), reverse=True)
        misses.append(f"the site takes {room:,} bytes of a disk, more than {ROOM:,}; the largest folders: {', '.join(f'{folder} {size:,}' for size, folder in folders[:5])}")
    return f"{len(files):,} files, {room / 1e6:.1f} MB", misses
