"""From pattern and candidate model to plan: which keys and indexes serve it, what is read and written.

Generic: a store is known only through the dialect handed in with its records. Pure: equal arguments give
equal plans.
"""
