#!/bin/sh
# Makes the paper: sh docs/paper/build.sh [OUT.pdf]. It needs TeX, on Debian
#   apt-get install --no-install-recommends texlive-latex-recommended texlive-pictures lmodern
# and fails if a reference is undefined or something is wider than its column.
set -eu
out=$(realpath -m "${1:-paper.pdf}")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tex() { pdflatex -interaction=nonstopmode -halt-on-error -output-directory="$work" paper >"$work/out" || { tail -n 40 "$work/out" >&2; exit 1; }; }
tex
here=$(pwd)
(cd "$work" && BIBINPUTS="$here" bibtex paper >out) || { cat "$work/out" >&2; exit 1; }
tex
tex
cp "$work/paper.pdf" "$out"
if grep -E 'Overfull|undefined|multiply defined|^!' "$work/paper.log" >&2; then
    echo "the paper has been built with the faults above" >&2
    exit 1
fi
echo "$out: $(grep -o 'Output written.*pages' "$work/paper.log" | grep -o '[0-9]* pages')"
