"""The suites that others wrote, each run against our server as a client would start it; one Outcome per run."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
QUESTION = {"user_query": "where is a user logged in"}
# Scenarios of the conformance suite that need no tool, resource or prompt of its own example server.
STABLE = (
    "server-initialize ping tools-list resources-list prompts-list completion-complete resources-subscribe "
    "resources-unsubscribe dns-rebinding-protection"
).split()
NEXT = [
    *STABLE,
    *(
        "server-session-lifecycle caching sep-2164-resource-not-found http-header-validation "
        "input-required-result-unsupported-methods server-stateless"
    ).split(),
]
# Checks of those scenarios that only a server with the suite's own example tools can pass.
NEEDS_EXAMPLE_TOOLS = {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"}
# Findings of the fuzzer that are no faults of a memory, each with the reason.
ADVISORY = {
    "accepted_malformed",  # it calls every answer to an input of its own so, the valid ones too
    "injection_reflection",  # a note or brief is given back as it was written; clients are told that it is data
    "non_determinism",  # the tools that write answer differently after a write
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of one suite: how many checks passed, which failed, what was left out and why."""

    suite: str
    passed: int
    failed: tuple[str, ...] = ()
    remark: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Bench:
    """Where things are: the folder of the installed suites, the brain, the project, a HOME for the suites."""

    tools: Path
    brain: Path
    project: Path
    home: Path

    @property
    def settings(self) -> dict[str, str]:
        """The environment that a client's configuration gives the server."""
        return {"ZERIKAI_HOME": str(self.brain), "ZERIKAI_WORKSPACE": str(self.project)}

    @property
    def server(self) -> list[str]:
        """The server's command; `env` because some suites pass no environment on."""
        return ["env", *(f"{k}={v}" for k, v in self.settings.items()), sys.executable, "-m", "zerikai_memory"]

    def node(self, *command: str) -> list[str]:
        """A command of the installed npm packages."""
        modules = self.tools / "node_modules"
        return [str(modules / "node/bin/node"), str(modules / command[0]), *command[1:]]

    def python(self, name: str, *arguments: str) -> list[str]:
        """A command of the installed Python packages."""
        return [str(self.tools / "venv/bin" / name), *arguments]

    def run(self, command: list[str], timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a suite away from the person's home, in a folder that is no project."""
        node = self.tools / "node_modules/node/bin"
        env = {"PATH": f"{node}:{os.environ['PATH']}", "HOME": str(self.home), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, env=env, cwd=self.home, check=False
        )


def run_all(bench: Bench) -> Iterator[Outcome]:
    """Every suite, in turns."""
    for suite in (inspector, inspector_load, mcp_conform, amagi_probe, fuzzer):
        yield _timed(suite, bench)
    with _over_http(bench) as url:
        for package, scenarios in (("@modelcontextprotocol/conformance", STABLE), ("conformance-next", NEXT)):
            for scenario in scenarios:
                yield _timed(lambda on, p=package, s=scenario: conformance(on, url, p, s), bench)


def inspector(bench: Bench) -> Outcome:
    """The inspector's command line: every method it has for what we serve, in both eras."""
    calls = [
        ["tools/list", "--strict"],
        ["tools/call", "--tool-name", "scan_workspace", "--tool-args-json", "{}"],
        ["tools/call", "--tool-name", "query_memory", "--tool-args-json", json.dumps(QUESTION)],
        ["tools/call", "--tool-name", "save_to_memory", "--tool-args-json", '{"content": "Log-ins are counted."}'],
        ["tools/call", "--tool-name", "update_brief", "--tool-args-json", "{}"],
        ["resources/list"],
        ["resources/templates/list"],
        ["resources/read", "--uri", "zerikai://workspaces"],
        ["resources/read", "--uri", "zerikai://brief"],
        ["resources/read", "--uri", "zerikai://entity/project/log_in"],
        ["prompts/list"],
        ["prompts/get", "--prompt-name", "onboard"],
        ["prompts/get", "--prompt-name", "before-a-fix", "--prompt-args", "problem=log_in fails"],
    ]
    failed = []
    for era in ("legacy", "modern"):
        for call in calls:
            done = bench.run(_inspector(bench, "--protocol-era", era, "--method", *call))
            problems = re.search(r"(\d+) errors?, (\d+) warnings?", done.stderr)
            if done.returncode or (problems and problems.groups() != ("0", "0")):
                failed.append(f"{era} {' '.join(call)}: status {done.returncode} {done.stderr[-300:]}")
    return Outcome("inspector --strict", 2 * len(calls) - len(failed), tuple(failed), "13 calls in two eras")


def inspector_load(bench: Bench) -> Outcome:
    """200 questions, ten at a time."""
    question = ["--tool-name", "query_memory", "--tool-args-json", json.dumps(QUESTION)]
    load = ["--load", "--load-concurrency", "10", "--load-requests", "200"]
    done = bench.run(_inspector(bench, "--method", "tools/call", *question, *load, "--format", "json", "-q"))
    found = {key: float(value) for key, value in re.findall(r'"(ok|throughput|p50|p99)": ?([\d.]+)', done.stdout)}
    ok = int(found.get("ok", 0))
    remark = f"p50 {found.get('p50', 0):.0f} ms, p99 {found.get('p99', 0):.0f} ms, {found.get('throughput', 0):.0f}/s"
    failed = () if ok == 200 and not done.returncode else (done.stdout[-300:] + done.stderr[-300:],)
    return Outcome("inspector --load", ok, failed, remark)


def mcp_conform(bench: Bench) -> Outcome:
    """mcp-conform over stdio."""
    done = bench.run(
        bench.python("mcp-conform", "--transport", "stdio", "--command", shlex.join(bench.server), "server")
    )
    counted = re.search(r"(\d+)/(\d+) checks passed", done.stdout)
    passed, total = (int(number) for number in counted.groups()) if counted else (0, 1)
    return Outcome("mcp-conform", passed, (done.stdout[-600:],) if passed < total or done.returncode else ())


def amagi_probe(bench: Bench) -> Outcome:
    """amagi-mcp-probe calls every tool with arguments that fit the project, and takes warnings for failures."""
    arguments = {"query_memory": [QUESTION], "save_to_memory": {"content": "Log-ins are counted."}}
    file = bench.home / "arguments.json"
    file.write_text(json.dumps(arguments | {"scan_workspace": {}, "update_brief": {}}), encoding="utf-8")
    done = bench.run(
        bench.python("amagi-mcp-probe", "--startup-timeout", "60", "--strict", "--args", str(file), "--", *bench.server)
    )
    counted = re.search(r"(\d+) passed", done.stdout)
    return Outcome(
        "amagi-mcp-probe --strict", int(counted[1]) if counted else 0, (done.stdout[-600:],) if done.returncode else ()
    )


def fuzzer(bench: Bench) -> Outcome:
    """mcp-fuzzer with a fixed seed: crashes, hangs, leaks and broken replies are failures."""
    out = bench.home / "fuzz"
    shape = "--mode all --phase both --protocol-phase aggressive --runs 25 --runs-per-type 10 --seed 1".split()
    done = bench.run(
        [
            *bench.python("mcp-fuzzer", "--protocol", "stdio", "--endpoint", shlex.join(bench.server), *shape),
            *("--fs-root", str(bench.home / "sandbox"), "--output-dir", str(out)),
        ],
        timeout_s=600,
    )
    try:
        findings = json.loads((out / "findings.json").read_text(encoding="utf-8"))["findings"]
        summary = json.loads((out / "run_summary.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Outcome("mcp-fuzzer", 0, (done.stdout[-600:] + done.stderr[-600:],))
    bad = [f"{f['category']} {f['target']}: {f['detail']}" for f in findings if f["category"] not in ADVISORY]
    bad += re.findall(r"ERROR - (Failed to receive.*|.*[Tt]imed? ?out.*)", done.stdout + done.stderr)
    runs = sum(int(number) for number in re.findall(r'"total_runs": (\d+)', json.dumps(summary)))
    if done.returncode:
        bad.append(f"status {done.returncode}")
    return Outcome("mcp-fuzzer, seed 1", runs - len(bad), tuple(bad), f"{len(findings) - len(bad)} advisory")


def conformance(bench: Bench, url: str, package: str, scenario: str) -> Outcome:
    """One scenario of the protocol's own suite, over HTTP on loopback."""
    out = bench.home / "conformance" / package.replace("/", "-")
    done = bench.run(
        bench.node(f"{package}/dist/index.js", "server", "--url", url, "--scenario", scenario, "-o", str(out))
    )
    checks = [
        check
        for path in out.glob(f"server-{scenario}-20*/checks.json")
        for check in json.loads(path.read_text("utf-8"))
    ]
    bad = [check for check in checks if check["status"] == "FAILURE"]
    left_out = [check for check in bad if check["id"] in NEEDS_EXAMPLE_TOOLS]
    failed = [f"{check['id']}: {check.get('errorMessage')}" for check in bad if check not in left_out]
    if not checks:
        failed = [done.stdout[-300:] + done.stderr[-300:]]
    warnings = sum(check["status"] == "WARNING" for check in checks)
    remark = f"{len(left_out)} need the suite's own tools" if left_out else ""
    remark += f"{', ' if remark else ''}{warnings} warnings" if warnings else ""
    name = f"conformance {'next' if package.endswith('next') else '0.1'} {scenario}"
    return Outcome(name, sum(check["status"] == "SUCCESS" for check in checks), tuple(failed), remark)


def _inspector(bench: Bench, *options: str) -> list[str]:
    package = "@modelcontextprotocol/inspector"
    start = json.loads((bench.tools / "node_modules" / package / "package.json").read_text("utf-8"))["bin"]
    return bench.node(f"{package}/{start['mcp-inspector']}", "--cli", *bench.server, *options)


def _timed(suite: Callable[[Bench], Outcome], bench: Bench) -> Outcome:
    started = time.monotonic()
    return replace(suite(bench), seconds=time.monotonic() - started)


@contextmanager
def _over_http(bench: Bench) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(HERE / "serve_http.py"), str(port)]
    log = (bench.home / "http.log").open("wb")
    server = subprocess.Popen(command, env=os.environ | bench.settings, stdout=log, stderr=log)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.terminate()
        server.wait(timeout=20)
        log.close()
