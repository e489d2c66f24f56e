"""The stages of a run: each makes its artifacts, confirms what artifacts claim, and computes the verdict from them.

Non-goals: no stage knows what comes after it, none reads another one's words, and C and F change nothing.
"""
