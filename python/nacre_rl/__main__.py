"""python -m nacre_rl ARGUMENTS is the command nacre."""

from .program import main

main()
