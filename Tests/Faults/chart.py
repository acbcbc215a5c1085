"""A picture of samples, in SVG, with nothing around it that it needs."""

from __future__ import annotations

from typing import Callable, Dict, List, Tuple

from sampler import MEGABYTE, Sample

WIDTH, HEIGHT, LEFT, GAP = 900, 180, 60, 40
COLOURS = ("#b3261e", "#1f6feb", "#2e7d32", "#8e5cd9", "#b26a00", "#00838f", "#555555", "#c2185b")
PANELS: List[Tuple[str, Callable[[Sample], float]]] = [
    ("resident, MiB", lambda each: each.resident / MEGABYTE),
    ("anonymous, MiB", lambda each: each.anonymous / MEGABYTE),
    ("descriptors", lambda each: each.descriptors),
    ("threads", lambda each: each.threads)]


def chart(samples: List[Sample], title: str) -> str:
    """All panels, one above the other; a line for each process, a colour for each name."""
    names = list(dict.fromkeys(each.name for each in samples))
    colours = dict(zip(names, COLOURS * len(names)))
    height = GAP + len(PANELS) * (HEIGHT + GAP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + LEFT + 20}" '
             f'height="{height}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{LEFT}" y="18">{title}</text>']
    parts += [f'<text x="{LEFT + 90 * index}" y="34" fill="{colour}">{name}</text>'
              for index, (name, colour) in enumerate(colours.items())]
    for index, (label, value) in enumerate(PANELS):
        parts += _panel(samples, label, value, GAP + index * (HEIGHT + GAP), colours)
    return "\n".join([*parts, "</svg>", ""])


def _panel(samples: List[Sample], label: str, value: Callable[[Sample], float], top: int,
           colours: Dict[str, str]) -> List[str]:
    most = max((value(each) for each in samples), default=1) * 1.05 or 1
    last = max((each.seconds for each in samples), default=1) or 1
    lines: Dict[Tuple[str, int], List[str]] = {}
    for each in samples:
        x = LEFT + WIDTH * each.seconds / last
        y = top + HEIGHT * (1 - value(each) / most)
        lines.setdefault((each.name, each.pid), []).append(f"{x:.1f},{y:.1f}")
    parts = [f'<text x="{LEFT}" y="{top + HEIGHT + 16}">{label}, over {last:.0f} s</text>']
    for share in (0, 0.5, 1):
        y = top + HEIGHT * (1 - share)
        parts += [f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y}" y2="{y}" stroke="#ddd"/>',
                  f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{most * share:.0f}</text>']
    return parts + [
        f'<polyline fill="none" stroke="{colours[name]}" points="{" ".join(points)}"/>'
        for (name, _), points in lines.items()]
