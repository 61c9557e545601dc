"""The vocabulary of hand-written rules for Hanabi: `vocabulary` lists the rules, `players` plays lists of them.

A rule sees its seat's view, and what `scene` derives from it; it returns an action, legal or not, or -1 if it has none.
"""
