"""Print the lowest versions that pyproject.toml allows, as constraints for pip.

Needs the `packaging` library. Usage: lowest_versions.py train test > lowest.txt
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def expanded(requirements: list[str], project: dict[str, Any]) -> list[Requirement]:
    """Requirements, with those of the package's own extras in the place of its name."""
    found = []
    for requirement in map(Requirement, requirements):
        if requirement.name == project["name"]:
            for extra in sorted(requirement.extras):
                found += expanded(project["optional-dependencies"][extra], project)
        else:
            found.append(requirement)
    return found


def lowest(requirements: list[Requirement]) -> list[str]:
    """One `name==version` for each requirement with a lower bound that holds on this machine."""
    pins = {}
    for requirement in requirements:
        floors = [s.version for s in requirement.specifier if s.operator == ">="]
        if floors and (requirement.marker is None or requirement.marker.evaluate()):
            pins[requirement.name] = floors[0]
    return [f"{name}=={version}" for name, version in sorted(pins.items())]


def main() -> None:
    """Print the pins of the package and of the extras named on the command line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    requirements = project["dependencies"] + [r for name in sys.argv[1:] for r in extras[name]]
    print("\n".join(lowest(expanded(requirements, project))))


if __name__ == "__main__":
    main()
