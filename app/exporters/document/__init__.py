"""The sections of the model document, one file each.

Every section gives Markdown blocks, each ending in a line break.
"""
