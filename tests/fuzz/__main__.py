"""Fuzz all public calls for a while: python -m tests.fuzz --minutes N

Workers try one input after the other, each in a process of its own, and write down which input
it is before they try it. A watch over them ends one that hangs, notices one that crashed, and
starts another in its place. What is found is kept with its input, to be tried again by --replay.
"""

import argparse
import sys
from pathlib import Path

from tests.fuzz.inputs import Input
from tests.fuzz.watch import Campaign


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=1, help="processes at work")
    parser.add_argument("--seed", type=int, default=0, help="of the first input of each target")
    parser.add_argument("--bounds-checks", action="store_true", help="in compiled code")
    parser.add_argument("--targets", nargs="*", default=None, help="of these alone")
    parser.add_argument("--hang", type=float, default=120.0, help="seconds that an input may take")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="for findings")
    parser.add_argument("--replay", type=Path, help="try the input in this file alone")
    options = parser.parse_args()
    if options.replay is not None:
        Input.read(options.replay).run()
        print(f"{options.replay}: nothing found")
        return 0
    campaign = Campaign(
        options.folder,
        seed=options.seed,
        workers=options.workers,
        targets=options.targets,
        bounds_checks=options.bounds_checks,
        seconds_per_input=options.hang,
    )
    campaign.run(60 * options.minutes)
    print(campaign.report())
    return 1 if campaign.findings else 0


if __name__ == "__main__":
    sys.exit(main())
