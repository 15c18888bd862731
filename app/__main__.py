"""`python -m app` is `keywright`."""

from app.cli import run

run()
