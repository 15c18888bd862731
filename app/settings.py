"""Where the studio keeps its data, whom it listens to and who may come in.

Read once at start from the environment (`KEYWRIGHT_PORT=8123`); the command line may override.
Frozen after that.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.errors import Refused

SHORTEST_TOKEN = 16
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Settings(BaseSettings):
    """Every setting, with the default that `make run` uses."""

    model_config = SettingsConfigDict(
        env_prefix="KEYWRIGHT_", frozen=True, extra="ignore", env_nested_delimiter="_", env_nested_max_split=1
    )

    data_dir: Path = Path("data")
    """Created at start; holds the SQLite file."""
    database_url: str = ""
    """`sqlite:///…` or `postgresql+psycopg://…`; empty: `keywright.db` in the data directory."""
    host: str = "127.0.0.1"
    """The address to bind to. Anything but a loopback address needs a token."""
    port: int = Field(8000, ge=0, le=65535)
    token: SecretStr = SecretStr("")
    """Who knows it may come in; empty: everybody who reaches the address."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Host names it answers to, comma separated, beside loopback names and `host` itself."""
    log_level: Literal["critical", "error", "warning", "info", "debug"] = "info"
    prove: Mapping[str, SecretStr] = Field(default_factory=dict)
    """Store name → address of an engine on which models may be proved: `KEYWRIGHT_PROVE_MONGODB=mongodb://…`. Only the
    operator names them: an address typed on a page would let anyone reach what the server reaches."""

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, raw: Any) -> Any:
        if isinstance(raw, str):
            return tuple(word.strip().lower() for word in raw.split(",") if word.strip())
        return raw

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, raw: Any) -> Any:
        return raw.lower() if isinstance(raw, str) else raw

    @field_validator("prove", mode="after")
    @classmethod
    def _named(cls, engines: Mapping[str, SecretStr]) -> Mapping[str, SecretStr]:
        """An empty address means none."""
        return {name.lower(): url for name, url in engines.items() if url.get_secret_value().strip()}

    @property
    def url(self) -> str:
        """The SQLAlchemy URL of the database."""
        return self.database_url or f"sqlite:///{self.data_dir / 'keywright.db'}"

    @property
    def hosts(self) -> frozenset[str]:
        """Lower-case host names, without ports, that a request may name."""
        own = () if self.host in {"0.0.0.0", "::"} else (_bracketed(self.host),)  # noqa: S104
        return frozenset((*LOOPBACK_NAMES, *own, *self.allowed_hosts))

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the address."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False

    def check(self) -> None:
        """Refuse to start where strangers could come in.

        Raises:
            Refused: bound beyond loopback without a token, or with one that can be guessed.
        """
        token = self.token.get_secret_value()
        if not self.on_loopback and not token:
            raise Refused(
                f"{self.host} can be reached from other machines, and no access token is set.",
                fix="Set KEYWRIGHT_TOKEN to a long random text, or bind to 127.0.0.1.",
            )
        if token and len(token) < SHORTEST_TOKEN:
            raise Refused(
                f"The access token has {len(token)} characters and can be guessed.",
                fix=f"Use at least {SHORTEST_TOKEN}: python -c 'import secrets; print(secrets.token_urlsafe(24))'",
            )


def _bracketed(host: str) -> str:
    """An IPv6 address as a Host header spells it."""
    return f"[{host.lower()}]" if ":" in host and not host.startswith("[") else host.lower()


__all__ = ["Settings"]
