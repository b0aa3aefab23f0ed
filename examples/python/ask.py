#!/usr/bin/env python3
"""Asks Warren about one position and prints what it thinks.

    python3 examples/python/ask.py 'g [rrrrrrrrhdcemcdh................................HDCMECDHRRRRRRRR]'

WARREN is the program; without it, it is warren. Needs nothing but Python's standard library.
"""

import json
import os
import subprocess
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    query = {"id": "position", "position": sys.argv[1], "visits": 200, "steps": 3}
    done = subprocess.run(
        [os.environ.get("WARREN", "warren"), "analyse"],
        input=json.dumps(query) + "\n", stdout=subprocess.PIPE, text=True, check=True,
    )
    answer = json.loads(done.stdout)
    if "error" in answer:
        sys.exit(answer["error"])
    print(f"{answer['side']} to move wins with {answer['value']:.1%} ({answer['visits']} visits)")
    for step in answer["steps"]:
        print(f"{step['visits']:6} {step['value']:6.1%}  {step['turn']}")


if __name__ == "__main__":
    main()
