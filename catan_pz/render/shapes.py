"""Single SVG elements as strings, from which all other drawings are made."""

from collections.abc import Iterable

from catan_pz.render.geometry import Point

Value = str | float


def number(value: float) -> str:
    """A coordinate with at most two decimals and no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _attributes(values: dict[str, Value]) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{value if isinstance(value, str) else number(value)}"'
        for name, value in values.items()
    )


def element(name: str, **attributes: Value) -> str:
    """An element without children; underscores in attribute names stand for hyphens."""
    return f"<{name}{_attributes(attributes)}/>"


def group(parts: Iterable[str], **attributes: Value) -> str:
    """A `<g>` around other elements."""
    return f"<g{_attributes(attributes)}>{''.join(parts)}</g>"


def moved(parts: Iterable[str], x: float, y: float, scale: float = 1.0, turn: float = 0.0) -> str:
    """Elements moved to (x, y), after rotation (degrees) and scaling about their origin."""
    transform = f"translate({number(x)} {number(y)})"
    if turn:
        transform += f" rotate({number(turn)})"
    if scale != 1.0:
        transform += f" scale({number(scale)})"
    return group(parts, transform=transform)


def points(corners: Iterable[Point]) -> str:
    """Points as an SVG list."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in corners)


def path(d: str, fill: str = "none", **attributes: Value) -> str:
    """A path, unfilled by default."""
    return element("path", d=d, fill=fill, **attributes)


def circle(x: float, y: float, radius: float, fill: str, **attributes: Value) -> str:
    """A disc."""
    return element("circle", cx=x, cy=y, r=radius, fill=fill, **attributes)


def rect(
    x: float, y: float, width: float, height: float, fill: str, radius: float = 0.0, **more: Value
) -> str:
    """A rectangle with corners rounded by `radius`."""
    return element("rect", x=x, y=y, width=width, height=height, rx=radius, fill=fill, **more)


def line(start: Point, end: Point, stroke: str, width: float, **attributes: Value) -> str:
    """A straight line with round ends."""
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
    style: dict[str, Value] = {"stroke": stroke, "stroke_width": width, "stroke_linecap": "round"}
    return element("line", **ends, **style | attributes)
