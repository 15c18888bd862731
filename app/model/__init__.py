"""What a team says about its system, as immutable values.

A `Project` holds a workload (entities, relationships, access patterns; it knows no store), candidate
models (one way each in which one store would hold the workload) and decisions. Everything here is read
from and written to one canonical text form (YAML, or the same as JSON). Nothing here plans or judges.
"""
