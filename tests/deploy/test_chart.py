"""The Helm chart: linted and rendered by Helm itself, every manifest held to Kubernetes' schemas and to our rules; the
alerts' and the dashboard's expressions are PromQL. Run by `make test-deploy`."""

import json
from functools import cache
from typing import Any

import pytest
import yaml

from config import background
from tests.conventions.sources import ROOT

pytestmark = pytest.mark.deploy
CHART = str(ROOT / "deploy" / "helm" / "mufakat")
LEAST = {
    "host": "mufakat.example.org",
    "image": {"repository": "r.example/mufakat", "tag": "0.2.0"},
    "secretName": "mufakat",
}
ALL = {
    **LEAST,
    "image": {"repository": "r.example/mufakat", "tag": "0.2.0", "digest": "sha256:" + "0" * 64},
    "databaseReplica": True,
    "oidcSecretName": "oidc",
    "config": {
        "OIDC_ISSUER": "https://sso.example.org",
        "INVITATION_DAYS": 7,
        "OIDC_ONLY": True,
        "TRUSTED_PROXY_COUNT": 2,
    },
    "ingress": {"enabled": True, "className": "nginx", "tlsSecretName": "tls", "annotations": {"a": "b"}},
    "worker": {"autoscaling": {"enabled": True}},
    "storage": {"className": "shared"},
    "imagePullSecrets": [{"name": "pull"}],
    "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "k", "operator": "Exists"}],
    "podAnnotations": {"x": "y"},
    "networkPolicy": {
        "ingressFrom": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress"}}}],
        "metricsFrom": [{"namespaceSelector": {}}],
        "databaseTo": [{"ipBlock": {"cidr": "10.0.0.5/32"}}],
        "redisTo": [{"ipBlock": {"cidr": "10.0.0.6/32"}}],
        "outTo": [{"ipBlock": {"cidr": "0.0.0.0/0"}}],
    },
}
BARE = {
    **LEAST,
    "metrics": {"enabled": False},
    "networkPolicy": {"enabled": False},
    "storage": {"existingClaim": "there"},
    "web": {"autoscaling": {"enabled": False}},
}
S3 = {**LEAST, "storage": {"url": "s3://bucket/kuis?endpoint=https://s3.example.org"}}
POOLED = {**LEAST, "web": {"pooled": True}}
WAYS: dict[str, dict[str, Any]] = {"least": LEAST, "all": ALL, "bare": BARE, "s3": S3, "pooled": POOLED}
KUBERNETES = ("1.29", "1.33", "1.37")


@cache
def _rendered(way: str) -> str:
    import helm_python

    files = helm_python.Chart.load(CHART).render(WAYS[way], name="kuis", namespace="teams")
    return json.dumps([each for text in files.values() for each in yaml.safe_load_all(text) if each])


def manifests(way: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(_rendered(way))
    return found


def of(way: str, kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in manifests(way) if each["kind"] == kind}


def pods(way: str) -> dict[str, dict[str, Any]]:
    """The pods that are made, by what makes them."""
    return {
        name: each["spec"]["template"]["spec"] for kind in ("Deployment", "Job") for name, each in of(way, kind).items()
    }


@pytest.mark.parametrize("way", WAYS)
def test_helm_finds_nothing_wrong(way: str) -> None:
    import helm_python

    found = helm_python.lint(CHART, WAYS[way], strict=True)
    assert found["errors"] == []
    assert [each for each in found["messages"] if each["severity"] > 1] == []


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("way", WAYS)
def test_every_manifest_is_one_of_kubernetes(way: str, version: str) -> None:
    import kubernetes_validate

    for each in manifests(way):
        kubernetes_validate.validate(each, version, strict=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {**LEAST, "host": "*"},
        {**LEAST, "secretName": ""},
        {**LEAST, "image": {"repository": "r", "tag": ""}},
        {**LEAST, "image": {"repository": "r", "digest": "sha256:abc"}},
        {**LEAST, "config": {"SECRET_KEY": "in-the-values"}},
        {**LEAST, "config": {"DATABASE_URL": "postgres://u:p@h/d"}},
        {**LEAST, "config": {"DATABASE_POOLED": True}},
        {**LEAST, "config": {"DATABASE_REPLICA_URL": "postgres://u:p@h/d"}},
    ],
)
def test_values_that_cannot_be_used_are_refused(wrong: dict[str, Any]) -> None:
    import helm_python

    with pytest.raises(helm_python.HelmValuesError):
        helm_python.Chart.load(CHART).render(wrong)


@pytest.mark.parametrize("way", WAYS)
def test_no_pod_has_more_than_it_needs(way: str) -> None:
    for name, pod in pods(way).items():
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name
            assert container["resources"]["limits"]["memory"], name
            mounted = {mount["name"] for mount in container["volumeMounts"]}
            assert mounted <= {volume["name"] for volume in pod["volumes"]}, name


def test_secrets_are_named_and_never_written() -> None:
    assert of("all", "Secret") == of("all", "ConfigMap") == {}
    for name, pod in pods("all").items():
        for container in pod["containers"]:
            for variable in container["env"]:
                secret = variable["name"] in (
                    "SECRET_KEY",
                    "DATABASE_URL",
                    "DATABASE_REPLICA_URL",
                    "REDIS_URL",
                    "CACHE_URL",
                    "EMAIL_URL",
                )
                assert ("valueFrom" in variable) == secret, (name, variable["name"])
            names = [variable["name"] for variable in container["env"]]
            assert len(names) == len(set(names)), name
    env = {each["name"]: each.get("value") for each in pods("all")["kuis-web"]["containers"][0]["env"]}
    assert (env["TRUSTED_PROXY_COUNT"], env["OIDC_ONLY"], env["INVITATION_DAYS"]) == ("2", "true", "7")


def test_with_an_object_store_no_volume_is_shared() -> None:
    assert of("s3", "PersistentVolumeClaim") == {}
    for name in ("kuis-web", "kuis-decider", "kuis-worker"):
        (data,) = (volume for volume in pods("s3")[name]["volumes"] if volume["name"] == "data")
        assert data == {"name": "data", "emptyDir": {}}
        env = {each["name"]: each for each in pods("s3")[name]["containers"][0]["env"]}
        assert env["STORAGE_URL"]["value"] == S3["storage"]["url"]  # type: ignore[index]
        assert env["AWS_SECRET_ACCESS_KEY"]["valueFrom"]["secretKeyRef"]["name"] == "mufakat"


def test_web_alone_goes_through_a_pooler() -> None:
    for name, pod in pods("pooled").items():
        env = {each["name"]: each for each in pod["containers"][0]["env"]}
        web = name == "kuis-web"
        key = "WEB_DATABASE_URL" if web else "DATABASE_URL"
        assert env["DATABASE_URL"]["valueFrom"]["secretKeyRef"] == {"name": "mufakat", "key": key}, name
        assert ("DATABASE_POOLED" in env) == web, name
    (out,) = of("pooled", "NetworkPolicy")["kuis-web"]["spec"]["egress"]
    assert out == {"ports": [{"port": 6432, "protocol": "TCP"}]}
    assert "egress" not in of("least", "NetworkPolicy")["kuis-web"]["spec"]


def test_it_runs_what_compose_runs() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    commands = {name: pod["containers"][0]["command"] for name, pod in pods("least").items()}
    assert commands["kuis-web"] == compose["web"]["command"]
    assert commands["kuis-migrate"] == compose["migrate"]["command"]
    assert commands["kuis-metrics"] == compose["metrics"]["command"]
    for part in background.PARTS:
        assert commands[f"kuis-{part}"] == [*compose["background"]["command"], part]
        probe = pods("least")[f"kuis-{part}"]["containers"][0]["livenessProbe"]["exec"]["command"]
        assert probe == [*compose["background"]["healthcheck"]["test"][1:], part]


def test_an_upgrade_stops_nobody() -> None:
    """Tables first, by a hook; a new pod answers before an old one goes, which ends what it has begun."""
    job = of("least", "Job")["kuis-migrate"]["metadata"]["annotations"]
    assert job["helm.sh/hook"] == "pre-install,pre-upgrade"
    web = of("least", "Deployment")["kuis-web"]["spec"]
    assert web["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    container = web["template"]["spec"]["containers"][0]
    graceful = int(container["command"][container["command"].index("--graceful-timeout") + 1])
    wait = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert web["template"]["spec"]["terminationGracePeriodSeconds"] > graceful + wait
    assert {each["spec"]["maxUnavailable"] for each in of("least", "PodDisruptionBudget").values()} == {1}
    assert of("all", "PersistentVolumeClaim")["kuis-data"]["metadata"]["annotations"] == {
        "helm.sh/resource-policy": "keep"
    }


def test_each_web_process_is_asked_by_what_is_beside_it() -> None:
    """A site whose web pods are all gone has no such figure, which is an alert of its own."""
    beside = pods("least")["kuis-web"]["containers"][1]
    env = {each["name"]: each.get("value") for each in beside["env"]}
    assert (env["METRICS_WEB"], env["ALLOWED_HOSTS"]) == ("http://127.0.0.1:8000", LEAST["host"])
    figures = {each["name"] for each in pods("least")["kuis-metrics"]["containers"][0]["env"]}
    assert ("METRICS_WEB" in figures, "REDIS_URL" in figures) == (False, True)


def test_what_grows() -> None:
    scales = of("all", "HorizontalPodAutoscaler")
    assert set(scales) == {"kuis-web", "kuis-worker"}
    by_cpu, by_lag = (scales[name]["spec"]["metrics"][0] for name in ("kuis-web", "kuis-worker"))
    assert by_cpu["containerResource"]["name"] == "cpu"
    assert by_lag["external"]["metric"]["name"] == "mufakat_job_wait_seconds"
    # Who sets a number beside an autoscaler takes its pods away at each upgrade.
    for name in scales:
        assert "replicas" not in of("all", "Deployment")[name]["spec"]
    assert of("bare", "HorizontalPodAutoscaler") == {}


def test_who_reaches_whom() -> None:
    policies = {name: each["spec"] for name, each in of("all", "NetworkPolicy").items()}
    assert policies["kuis"]["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in policies["kuis"]
    labels = {"app.kubernetes.io/name": "mufakat", "app.kubernetes.io/instance": "kuis"}
    assert policies["kuis"]["podSelector"] == {"matchLabels": labels}
    for each in of("all", "Deployment").values():
        assert labels.items() <= each["spec"]["template"]["metadata"]["labels"].items()
    assert policies["kuis-web"]["ingress"][0]["from"] == ALL["networkPolicy"]["ingressFrom"]  # type: ignore[index]
    # Figures say whether Redis answers, and nothing leaves by them.
    assert policies["kuis-metrics"]["egress"] == [policies["kuis-work"]["egress"][0]]
    least = {name: each["spec"] for name, each in of("least", "NetworkPolicy").items()}
    assert least["kuis-metrics"]["ingress"][0]["from"] == [{"podSelector": {}}]


def test_alerts_and_dashboard_are_promql() -> None:
    import promql_parser

    board = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    rules = yaml.safe_load((ROOT / "deploy" / "prometheus-alerts.yml").read_text())
    asked += [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    for each in asked:
        assert promql_parser.parse(each)
    with pytest.raises(ValueError):
        promql_parser.parse("max(mufakat_due_seconds")
