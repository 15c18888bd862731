"""From words to a workload: operations, fields, frequencies, consistency, in English and Spanish.

Everything here is a table of words and a rule that says why it read what it read. What no rule reads stays a question.
"""
