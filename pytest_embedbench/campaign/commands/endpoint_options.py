"""The options of commands that ask a model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_embedbench.campaign.judge.endpoint_settings import EndpointSettings, key_of
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    import argparse


def add_endpoint_options(parser: argparse.ArgumentParser) -> None:
    """Add those that say which model is asked, and how."""
    add = parser.add_argument
    add("--endpoint", required=True, metavar="URL",
        help="of an OpenAI-compatible server, up to /chat/completions")  # fmt: skip
    add("--model", required=True, metavar="NAME", help="the model's name there")
    add("--key-variable", default="", metavar="NAME",
        help="environment variable that holds the key (default: no key)")  # fmt: skip
    add("--setting", action="append", default=[], metavar="NAME=JSON",
        help="one more field of each request: temperature=0.2")  # fmt: skip
    add("--timeout-s", type=float, default=120.0, metavar="SECONDS",
        help="for one request (default: %(default)g)")  # fmt: skip
    add("--retries", type=int, default=5, metavar="N",
        help="how often a failed one is repeated (default: %(default)s)")  # fmt: skip
    add("--per-minute", type=float, default=0.0, metavar="N",
        help="at most so many requests (default: any number)")  # fmt: skip
    add("--jobs", type=int, default=1, metavar="N",
        help="how many requests at once (default: %(default)s)")  # fmt: skip


def endpoint_settings(arguments: argparse.Namespace) -> EndpointSettings:
    """Return what the options say.

    Raises:
        ConfigError: a setting is none, or there is no such variable.
    """
    if arguments.jobs < 1:
        raise ConfigError(f"--jobs={arguments.jobs}: must be 1 or more")
    settings = EndpointSettings(
        base_url=arguments.endpoint,
        model=arguments.model,
        key=key_of(arguments.key_variable),
        settings=dict(map(_setting, arguments.setting)),
        timeout_s=arguments.timeout_s,
        retries=arguments.retries,
        per_minute=arguments.per_minute,
    )
    settings.check()
    return settings


def _setting(given: str) -> tuple[str, Any]:
    name, equals, text = given.partition("=")
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not name or not equals or value is None:
        raise ConfigError(
            f"--setting={given}: is no NAME=JSON, such as temperature=0.2 or "
            'stop=["END"]'
        )
    return name, value
