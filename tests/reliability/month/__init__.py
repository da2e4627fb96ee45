"""A month in which many matches are played, on a time that jumps: `python -m tests.reliability.month <seed> <matches>`.

Two bots share a store that fails at times; now and then both are down for minutes or hours. People move, offer, ask, plan,
pause, go on vacation, forget their matches and come back, and say everything again until they are answered. After each
commit what must hold is checked, against what is known here and not in the bot: when it really was down, who really has
thought for how long, what really was shown. The last line is a digest of all that happened.
"""
