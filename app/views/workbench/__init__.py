"""The workbench: the access-pattern table, one column per candidate model, findings beside their rows and in a panel.

`rows` are the lines of the table, `details` what an open line shows, `panel` the findings, `page` the whole page and
`answer` the parts of it that a change touches.
"""

from app.views.workbench.page import router

__all__ = ["router"]
