"""Proofs: a model run on a real engine, from the button to a card of evidence for every pattern.

`runs` runs one in the background; `panel` is the part on the page of a model, `evidence` what a proof says, `page` the
routes.
"""

from app.views.proofs.page import router

__all__ = ["router"]
