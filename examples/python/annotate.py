#!/usr/bin/env python3
"""Writes a game with what each turn cost, and for each mistake what Warren prefers.

    python3 examples/python/annotate.py game.txt

The file is a move list, as warren play saves it. WARREN is the program; without it, it is warren. Needs
nothing but Python's standard library.
"""

import json
import os
import re
import subprocess
import sys

VISITS = 200  # of each position
MISTAKE = 0.1  # chance to win, from which a turn is marked


def ask(moves, turns):
    """Returns the answer after each number of turns. All are searched at once."""
    query = {"id": "game", "moves": moves, "turns": list(range(turns + 1)), "visits": VISITS, "steps": 1}
    done = subprocess.run(
        [os.environ.get("WARREN", "warren"), "analyse"],
        input=json.dumps(query) + "\n", stdout=subprocess.PIPE, text=True, check=True,
    )
    answers = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(answer["error"])
        answers[answer["turn"]] = answer
    return answers


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8-sig") as file:
        moves = file.read()
    turns = []
    for line in moves.splitlines():
        words = line.split()
        if len(words) < 2 or not re.fullmatch(r"\d+[gswb]", words[0]):
            continue  # a tag, or a turn without steps
        if words[1] == "resigns":
            break
        if words[1] == "takeback":
            turns.pop()
        else:
            turns.append(line.strip())
    answers = ask(moves, len(turns))
    for number, turn in enumerate(turns):
        before, after = answers[number], answers[number + 1]
        gained = after["gold"] - before["gold"]
        if before["side"] == "silver":
            gained = -gained
        print(f"{turn:40} gold {after['gold']:6.1%}  {gained:+6.1%}", end="")
        if gained < -MISTAKE and before["steps"]:
            print(f"  better: {before['steps'][0]['turn']}", end="")
        print()


if __name__ == "__main__":
    main()
