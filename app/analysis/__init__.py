"""The only door between a project and everything that shows it.

`analyse(project)` gives a `Report`: plans, loads and findings. Pages, exporters, the API and the command line read a
Report; none of them calls a rule or the planner. A report depends on the project alone: no clock, file, network or
setting. Equal projects give equal reports in the same order.

Results are remembered per part, by the identity of the frozen values they came from, so that an edit recomputes only
what it touches.
"""

from app.analysis.report import ModelReport, Report
from app.analysis.run import MEMORY, analyse

__all__ = ["MEMORY", "ModelReport", "Report", "analyse"]
