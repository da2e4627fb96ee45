"""The files in `deploy/` and the image: read by the tools they are for, and safe by default."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

from bot.app import command_line
from bot.app.arguments import read_arguments
from bot.app.setup import UNITS, hidden, unit
from bot.chat.i18n.catalogue import ROOT
from bot.config import Config, Role
from storage import open_store
from tests.bot.app.test_admin import played
from tests.bot.process import PATIENCE
from tests.deploy import image, wheels

# The files in `deploy/`: read by the tools they are for, and safe by default.


DEPLOY = ROOT / "deploy"
PROMTOOL = shutil.which("promtool", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
SETTINGS = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE))


def ran(*words: object, **how: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **how)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
@pytest.mark.parametrize("folder", ["bin", "the 5% of Ann"])
def test_systemd_takes_the_units(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / folder / "klop"
    program.parent.mkdir()
    program.symlink_to("/bin/true")
    monkeypatch.setattr("sys.argv", [str(program), "systemd"])
    for name in UNITS:
        (tmp_path / name).write_text(unit(name), "utf-8")
    files = [str(tmp_path / name) for name in UNITS]
    done = ran("systemd-analyze", "verify", *files)
    assert (done.returncode, done.stderr) == (0, "")
    judged = ran("systemd-analyze", "security", "--offline=true", "--threshold=20", files[0])
    assert judged.returncode == 0, judged.stdout[-200:]  # an exposure of at most 2.0 of 10


@pytest.mark.skipif(PROMTOOL is None, reason="there is no promtool: scripts/promtool brings one")
def test_every_alert_rings_when_it_should() -> None:
    """And none does where the bot is well."""
    done = ran(PROMTOOL, "test", "rules", Path(__file__).with_name("alerts.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(PROMTOOL is None, reason="there is no promtool: scripts/promtool brings one")
def test_prometheus_takes_the_scrape_examples_whose_job_the_alerts_name(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "operations.md").read_text("utf-8")
    examples = re.findall(r"```yaml\n(scrape_configs:.*?)```", text, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        known = re.sub(
            "kubernetes_sd_configs: .*", "static_configs: []", example
        )  # Debian's promtool has none
        (tmp_path / "prometheus.yaml").write_text(known, "utf-8")
        done = ran(PROMTOOL, "check", "config", "--syntax-only", "prometheus.yaml", cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert [each["job_name"] for each in yaml.safe_load(example)["scrape_configs"]] == ["klop"]


@pytest.mark.parametrize("name", UNITS)
def test_the_unit_that_is_printed_runs_this_installation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/opt/klop/bin/klop", "systemd"])
    file = (DEPLOY / name).read_text("utf-8").rstrip()
    assert unit(name) == file.replace("/usr/bin/klop", "/opt/klop/bin/klop")


def test_the_unit_of_a_checkout_finds_its_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["-m", "systemd"])
    printed = unit()
    (start,) = re.findall(r"^ExecStart=(.*)$", printed, re.MULTILINE)
    (given,) = re.findall(r"^Environment=KLOP_DATA=\S+ (PYTHONPATH=\S+)$", printed, re.MULTILINE)
    done = ran("/usr/bin/env", "-i", given, *start.split(), "--version", cwd=tmp_path)
    assert done.stdout.startswith("klop "), done.stderr


def test_what_a_unit_cannot_see_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for path, seen in (("/opt/klop/bin/klop", True), ("/home/ann/.local/bin/klop", False)):
        monkeypatch.setattr("sys.argv", [path, "systemd"])
        monkeypatch.setattr("bot.app.setup.ROOT", Path("/opt/klop"))
        monkeypatch.setattr("sys.executable", "/bin/sh")
        assert hidden() == (None if seen else Path(path))


def resources() -> Iterator[dict[str, Any]]:
    for path in sorted((DEPLOY / "kubernetes").rglob("*.yaml")):
        if path.name != "kustomization.yaml":
            yield from yaml.safe_load_all(path.read_text("utf-8"))


def pod(resource: dict[str, Any]) -> dict[str, Any]:
    spec = resource.get("spec", {})
    template = spec.get("jobTemplate", {}).get("spec", spec).get("template", {})
    return template.get("spec", {})  # type: ignore[no-any-return]


def containers(resource: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the containers of a pod in the order in which they start."""
    return [*pod(resource).get("initContainers", ()), *pod(resource).get("containers", ())]


def test_kubernetes_takes_the_resources() -> None:
    import kubernetes_validate  # it builds forty grammars: a second and a half of every worker's collection

    found = list(resources())
    assert {each["kind"] for each in found} >= {"Deployment", "StatefulSet", "Service", "Namespace"}
    for each in found:
        kubernetes_validate.validate(each, "1.37", strict=True)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl here")
def test_the_kustomization_names_every_resource() -> None:
    done = ran("kubectl", "kustomize", DEPLOY / "kubernetes")
    built = [(each["kind"], each["metadata"]["name"]) for each in yaml.safe_load_all(done.stdout)]
    kinds, optional = ("Service", "PodDisruptionBudget", "Deployment"), ("webhook",)
    added = {(kind, name) for kind in kinds for name in optional}
    assert {(each["kind"], each["metadata"]["name"]) for each in resources()} - added < set(built)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl here")
def test_the_components_build_on_the_kustomization(tmp_path: Path) -> None:
    shutil.copytree(DEPLOY / "kubernetes", tmp_path / "kubernetes")
    whole = tmp_path / "kubernetes" / "kustomization.yaml"
    whole.write_text(whole.read_text("utf-8").replace("# components:", "components:"), "utf-8")
    done = ran("kubectl", "kustomize", whole.parent)
    built = {(each["kind"], each["metadata"]["name"]) for each in yaml.safe_load_all(done.stdout)}
    assert {(each["kind"], each["metadata"]["name"]) for each in resources()} < built


def test_containers_have_no_privileges_and_are_probed() -> None:
    for each in filter(containers, resources()):
        assert pod(each)["securityContext"]["runAsNonRoot"]
        assert not pod(each)["automountServiceAccountToken"]
        for container in containers(each):
            assert container["securityContext"]["readOnlyRootFilesystem"]
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert "readinessProbe" in container or each["kind"] == "CronJob"
            assert "memory" in container["resources"]["limits"]


def test_of_two_gateway_sessions_the_old_one_ends_first() -> None:
    (gateway,) = (each for each in resources() if each["metadata"]["name"] == "gateway")
    assert (gateway["spec"]["replicas"], gateway["spec"]["strategy"]) == (1, {"type": "Recreate"})


def test_each_role_is_a_deployment_and_the_others_stop_nothing_in_an_upgrade() -> None:
    deployed = {
        each["metadata"]["name"]: each["spec"] for each in resources() if each["kind"] == "Deployment"
    }
    assert {*deployed} == {*get_args(Role)} - {"all"}
    for role, spec in deployed.items():
        assert containers({"spec": spec})[0]["args"] == ["--role", role]
        if role != "gateway":
            assert spec["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
        assert spec["template"]["spec"]["terminationGracePeriodSeconds"] > 10


def test_a_client_of_the_page_meets_one_process() -> None:
    """An open page belongs to the process that began it, and nothing here keeps a client on one of several."""
    (page,) = (each for each in resources() if each["metadata"]["name"] == "page" and containers(each))
    assert page["spec"]["replicas"] == 1


def test_kubernetes_backs_up_restores_and_verifies_each_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The containers' commands, one after another; the live store is a folder here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.setattr(command_line, "configure", lambda *_: None)  # the log stays that of the tests
    live, volumes = tmp_path / "live", {name: tmp_path / name for name in ("backups", "data")}
    volumes["backups"].mkdir()

    async def fill() -> None:
        async with open_store(None, live) as store:
            await played(store)

    asyncio.run(fill())
    (job,) = (each for each in resources() if each["kind"] == "CronJob")
    assert pod(job)["restartPolicy"] == "Never"  # a second attempt has an empty rehearsal
    said = []
    for container in containers(job):
        assert {each["mountPath"] for each in container["volumeMounts"]} == {"/backups", "/data", "/tmp"}
        remote = "envFrom" in container
        assert remote or {"name": "REDIS_URL", "value": ""} in container["env"]
        assert remote or "/data/rehearsal" in container["args"]
        arguments = [
            re.sub("^/(backups|data)", lambda name: str(volumes[name[1]]), each) for each in container["args"]
        ]
        status, printed = (
            command_line.run(read_arguments(["--data", str(live), *arguments])),
            capsys.readouterr(),
        )
        assert status == 0, printed
        said.append(printed.out)
    (made,) = volumes["backups"].iterdir()
    assert all(str(made) in text for text in said[:2])
    assert "1 match looked over." in said[2]


def test_no_budget_blocks_the_drain_of_a_node() -> None:
    replicas = {each["metadata"]["name"]: each["spec"].get("replicas") for each in resources() if pod(each)}
    for each in resources():
        if each["kind"] == "PodDisruptionBudget":
            assert each["spec"]["minAvailable"] < replicas[each["metadata"]["name"]]


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    composed: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return composed["services"]  # type: ignore[no-any-return]


def test_the_containers_of_compose_are_read_only_and_bounded(services: dict[str, Any]) -> None:
    assert set(services) == {"valkey", "bot", "page", "engine"}
    for service in services.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "mem_limit" in service
    assert "ports" not in services["valkey"]
    for name in ("bot", "page"):
        assert all(port.startswith("127.0.0.1:") for port in services[name]["ports"])


def test_compose_passes_all_settings_and_tokens_only_to_roles_with_platforms(
    services: dict[str, Any],
) -> None:
    for role in ("bot", "page", "engine"):
        assert services[role]["env_file"] == [{"path": ".env", "required": False}]
        given = services[role]["environment"]
        assert (given.get("DISCORD_TOKEN") == given.get("TELEGRAM_TOKEN") == "") is (
            "secrets" not in services[role]
        )
        assert given["KLOP_DATA"] == "/data"
        listening = {
            name: value for name, value in given.items() if name.endswith("_LISTEN") and value != "off"
        }
        assert all(value.startswith("0.0.0.0:") for value in listening.values())
        published = {port.rpartition(":")[2] for port in services[role].get("ports", ())}
        assert published == {value.rpartition(":")[2] for value in listening.values()} - {"9464"}


def test_the_store_of_both_keeps_what_the_bot_needs(services: dict[str, Any]) -> None:
    (store,) = (each for each in resources() if each["kind"] == "StatefulSet")
    for arguments in (services["valkey"]["command"], containers(store)[0]["args"]):
        given = " ".join(arguments)
        assert "--appendonly yes" in given
        assert "--appendfsync always" in given
        assert "--maxmemory-policy noeviction" in given


def test_only_settings_that_exist_are_set(services: dict[str, Any]) -> None:
    given = {
        name
        for service in services.values()
        for name in (*service.get("environment", ()), *service.get("secrets", ()))
    }
    kustomization = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text("utf-8"))
    given |= {each.partition("=")[0] for each in kustomization["configMapGenerator"][0]["literals"]}
    given |= {
        each["name"]
        for resource in resources()
        for container in containers(resource)
        for each in container.get("env", ())
    }
    for name in UNITS[:2]:
        given |= set(re.findall(r"^Environment=(\w+)=", (DEPLOY / name).read_text("utf-8"), re.MULTILINE))
    assert given
    assert given <= SETTINGS


def test_a_secret_may_be_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.app.settings import read_config
    from bot.platforms.discord.integration import DiscordSettings
    from bot.platforms.telegram.integration import TelegramSettings

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    for name, text in (
        ("DISCORD_TOKEN", "from-a-file\n"),
        ("TELEGRAM_TOKEN", ""),
        ("KLOP_DISCORD_CLIENT_SECRET", "s3cret"),
    ):
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    config: Config = read_config()
    discord = config.of(DiscordSettings)
    assert discord.discord_token is not None
    assert discord.discord_token.get_secret_value() == "from-a-file"
    assert config.of(TelegramSettings).telegram_token is None
    assert discord.discord_client_secret is not None
    monkeypatch.setenv("DISCORD_TOKEN", "from-the-environment")
    found = read_config().of(DiscordSettings).discord_token
    assert found is not None
    assert found.get_secret_value() == "from-the-environment"


# The image: what the Dockerfile promises, wheels for both architectures, and its root built, measured and
# run.


EVENING = """\
ann: /challenge computer breakthrough board:5x5 level:1 side:first
ann: /move b2-b3
ann: /settings zone:Europe/Kyiv
ann: /replay /tmp/evening.gif
"""


def test_the_container_is_probed_stopped_in_order_and_nobody() -> None:
    _, last = image.stages()
    said = dict(last)
    assert last[0] == ("FROM", "scratch")
    assert "healthcheck" in said["HEALTHCHECK"]
    assert said["STOPSIGNAL"] == "SIGTERM"
    assert said["USER"] == "10001:10001"  # a number: Kubernetes asks whether it is root
    assert said["VOLUME"] == "/data"


_DOCKER = """#!/bin/sh
echo "$*" >> {told}
case $1 in
    create) echo a-container ;;
    export) truncate --size {size}MB {told}.big && tar --create --sparse {told}.big ;;
    {broken}) exit 1 ;;
esac
"""


@pytest.mark.parametrize(
    ("size", "broken", "status"), [(160, "none", 0), (190, "none", 1), (160, "run", 1), (160, "compose", 1)]
)
def test_the_image_is_measured_and_run(tmp_path: Path, size: int, broken: str, status: int) -> None:
    """With a stub of Docker: of too large an image, or one that does not run, the script complains."""
    told, docker = tmp_path / "told", tmp_path / "docker"
    docker.write_text(_DOCKER.format(told=told, size=size, broken=broken))
    docker.chmod(0o755)
    script = (ROOT / "scripts" / "image").read_text("utf-8")
    assert f"limit={image.LIMIT} " in script
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = ran(ROOT / "scripts" / "image", env={**os.environ, "PATH": path})
    assert done.returncode == status, done.stderr
    calls = told.read_text().splitlines()
    assert "rm --volumes a-container" in calls
    run = [call for call in calls if call.startswith("run")]
    assert all("--read-only" in call for call in run)
    assert (len(run) == 2 and calls[-2].startswith("compose")) is (status == 0 or broken == "compose")


def tags(minor: int) -> set[Tag]:
    """What a Python on Linux on aarch64 can install."""
    version, platforms = (3, minor), list(wheels.PLATFORMS)
    return {*cpython_tags(version, platforms=platforms), *compatible_tags(version, f"cp3{minor}", platforms)}


@pytest.mark.parametrize("minor", wheels.MINORS)
def test_every_locked_package_has_a_wheel_for_aarch64(minor: int) -> None:
    table, fitting = wheels.table(), tags(minor)
    for each in wheels.needed(minor):
        named = [parse_wheel_filename(table[digest]) for digest in each.hashes & set(table)]
        assert any(
            name == canonicalize_name(each.requirement.name)
            and version in each.requirement.specifier
            and not fitting.isdisjoint(of)
            for name, version, _, of in named
        ), f"{each.requirement}: python -m tests.deploy.wheels"


@pytest.mark.slow
@pytest.mark.reliability
def test_the_index_has_the_wheels_of_the_table() -> None:
    found = {pair for minor in wheels.MINORS for pair in wheels.chosen(minor)}
    assert dict(found) == wheels.table()


@pytest.mark.slow
@pytest.mark.reliability
@pytest.mark.skipif(not image.can_build(), reason="it takes root and mmdebstrap")
def test_the_image_is_small_and_plays_with_a_read_only_root(tmp_path: Path) -> None:
    root = image.built(tmp_path)
    sizes = image.sizes(root)
    print({part: round(size, 1) for part, size in sizes.items()})  # noqa: T201
    assert sum(sizes.values()) <= image.LIMIT
    for program in ("bin/sh", "usr/bin/apt-get", "usr/bin/gcc"):
        assert not (root / program).exists()

    def run(*arguments: str, typed: str = "") -> str:
        done = ran(*image.command(root, *arguments), input=typed, timeout=2 * PATIENCE)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert run("--version").endswith("(0000000)\n")
    assert "(native)" in run("doctor")
    seen = run(typed=EVENING)
    assert "Klop, level 1: " in seen
    assert "Time zone: Europe/Kyiv." in seen
    assert "Saved: /tmp/evening.gif" in seen
