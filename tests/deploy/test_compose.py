"""deploy/compose.yaml: its files exist, its command lines are floe's, and nothing is open to other machines."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from floe.actions.load.settings import load_settings
from tests.helpers.deploying import DEPLOY, accepted, filled
from tests.helpers.prometheus import binary

SPEC: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = SPEC["services"]
FLOE = {name: service for name, service in SERVICES.items() if "build" in service}


def test_the_services():
    assert set(SERVICES) == {"postgres", "monitor", "server", "prometheus", "grafana"}
    assert set(FLOE) == {"monitor", "server"}


@pytest.mark.parametrize("name", FLOE)
def test_floe_accepts_its_command_and_its_settings(name: str, monkeypatch, tmp_path: Path):
    service = FLOE[name]
    options = accepted([filled(word) for word in service["command"]])
    assert options.host == "0.0.0.0"
    assert service["ports"] == [f"127.0.0.1:{options.port}:{options.port}"]
    assert service["read_only"]
    for key, value in service["environment"].items():
        monkeypatch.setenv(key, value)
    assert load_settings(start=tmp_path).registry.url == "postgresql://floe@postgres/floe"
    health = service["environment"].get("HEALTH_URL", f"http://127.0.0.1:{options.port}/health")
    assert f":{options.port}/" in health


def test_every_file_exists():
    for service in SERVICES.values():
        for volume in service["volumes"]:
            source = filled(volume).split(":")[0]
            assert source in SPEC["volumes"] or (DEPLOY / source).exists(), source
        if build := service.get("build"):
            context = DEPLOY / build["context"]
            assert f"AS {build['target']}\n" in (context / build["dockerfile"]).read_text()


def test_only_this_machine_reaches_the_services():
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_images_are_pinned_and_passwords_are_given():
    for name, service in SERVICES.items():
        assert name in FLOE or "." in service["image"].partition(":")[2], service["image"]
        for key, value in service.get("environment", {}).items():
            assert "PASSWORD" not in key or value.startswith(("/run/secrets/", "${POSTGRES_PASSWORD:?")), key
    named = {source["environment"] for source in SPEC["secrets"].values()}
    assert {f"{name}=" for name in named} <= set((DEPLOY / "env.example").read_text().splitlines())


def test_services_wait_for_what_can_say_that_it_is_healthy():
    for service in SERVICES.values():
        for name, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            assert name in FLOE or SERVICES[name]["healthcheck"]  # the images of floe bring theirs


def test_prometheus_takes_its_configuration(tmp_path: Path):
    for volume in SERVICES["prometheus"]["volumes"][:2]:
        source, target, _ = volume.split(":")
        (tmp_path / Path(target).name).write_text((DEPLOY / source).read_text())
    config = tmp_path / "prometheus.yml"
    done = subprocess.run([binary("promtool"), "check", "config", config], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "rules found" in done.stdout
    (job,) = yaml.safe_load(config.read_text())["scrape_configs"]
    assert job["static_configs"] == [{"targets": [f"monitor:{accepted(['monitor', 'run']).port}"]}]


def test_grafana_finds_the_dashboard():
    targets = {filled(volume).split(":")[1] for volume in SERVICES["grafana"]["volumes"]}
    (provider,) = yaml.safe_load((DEPLOY / "grafana" / "dashboards.yaml").read_text())["providers"]
    assert f"{provider['options']['path']}/floe.json" in targets
    (source,) = yaml.safe_load((DEPLOY / "grafana" / "datasource.yaml").read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
