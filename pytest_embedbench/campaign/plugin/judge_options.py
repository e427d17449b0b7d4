"""The options of the fixture ``answer_judge``."""

from __future__ import annotations

from pytest_embedbench.plugin.options import Setting

JUDGE_ENDPOINT = Setting(
    name="judge_endpoint",
    flag="--embedbench-judge-endpoint",
    metavar="URL",
    help="The OpenAI-compatible server of the judge, up to /chat/completions",
)
JUDGE_MODEL = Setting(
    name="judge_model",
    flag="--embedbench-judge-model",
    metavar="NAME",
    help="The model that judges answers",
)
JUDGE_KEY_VARIABLE = Setting(
    name="judge_key_variable",
    flag="--embedbench-judge-key-variable",
    metavar="NAME",
    help="The environment variable that holds the judge's key",
)
JUDGE_SETTINGS = (JUDGE_ENDPOINT, JUDGE_MODEL, JUDGE_KEY_VARIABLE)
