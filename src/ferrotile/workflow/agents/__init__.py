"""Stages given to a command: a prompt of paths, a folder to write in, limits, and the same checks as for our own.

Non-goals: no model is called here, no text is searched for words, and nothing that a command says is believed.
"""
