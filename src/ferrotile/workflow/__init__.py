"""Put the rooms together: translate, diff, trace, doctor, ops and the figures of a run.

Non-goals: nothing is printed here, and no verdict is made here: check gives it, report shows it.
"""
