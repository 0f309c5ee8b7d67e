"""The Kubernetes manifests: their schema, what refers to what, and what the program says."""

import pathlib
import shutil
import tempfile
import unittest

import kubernetes_validate
import yaml

from program import DEPLOY, assert_accepted, run

KUBERNETES = DEPLOY / "kubernetes"
VARIANTS = ["workers", "job"]


class UniqueKeys(yaml.SafeLoader):
    """Refuses a key that stands twice, of which YAML would drop the first."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        if len(keys) != len(set(map(str, keys))):
            raise yaml.YAMLError(f"a key stands twice: {node.start_mark}")
        return super().construct_mapping(node, deep)


def documents(path):
    return list(yaml.load_all(path.read_text(), UniqueKeys))


def resources(variant):
    """What a variant consists of, as in its kustomization."""
    found = []
    for folder in [KUBERNETES / "base", KUBERNETES / variant]:
        for name in documents(folder / "kustomization.yaml")[0]["resources"]:
            if name.endswith(".yaml"):
                found += documents(folder / name)
    return found


def of_kind(resources, *kinds):
    return [each for each in resources if each["kind"] in kinds]


def pods(resources):
    for each in of_kind(resources, "StatefulSet", "Deployment", "Job"):
        yield each["kind"], each["spec"]["template"]


def selected(pod, selector):
    labels = pod["metadata"]["labels"]
    return all(labels.get(key) == value for key, value in selector.items())


class Manifests(unittest.TestCase):
    def test_every_manifest_is_valid(self):
        for variant in VARIANTS:
            for resource in resources(variant):
                with self.subTest(variant=variant, name=resource["metadata"]["name"]):
                    kubernetes_validate.validate(resource, "1.37", strict=True)

    def test_every_file_is_used(self):
        used = {"kustomization.yaml"}
        for folder in ["base", *VARIANTS]:
            used |= set(documents(KUBERNETES / folder / "kustomization.yaml")[0]["resources"])
        files = {path.name for path in KUBERNETES.glob("*/*.yaml")}
        self.assertEqual(files, {name for name in used if name.endswith(".yaml")})

    def test_the_program_understands_its_arguments(self):
        for variant in VARIANTS:
            for kind, pod in pods(resources(variant)):
                for container in pod["spec"]["containers"]:
                    with self.subTest(kind=kind):
                        assert_accepted(self, container["args"])

    def test_pods_have_no_rights(self):
        for variant in VARIANTS:
            for _, pod in pods(resources(variant)):
                spec = pod["spec"]
                self.assertFalse(spec["automountServiceAccountToken"])
                self.assertTrue(spec["securityContext"]["runAsNonRoot"])
                self.assertEqual(spec["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
                for container in spec["containers"]:
                    context = container["securityContext"]
                    self.assertFalse(context["allowPrivilegeEscalation"])
                    self.assertTrue(context["readOnlyRootFilesystem"])
                    self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
                    self.assertIn("memory", container["resources"]["limits"])

    def test_the_token_is_closed_to_others(self):
        for variant in VARIANTS:
            for _, pod in pods(resources(variant)):
                volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
                self.assertEqual(volumes["token"]["secret"]["defaultMode"] & 0o007, 0)
                mounts = {m["name"]: m for m in pod["spec"]["containers"][0]["volumeMounts"]}
                path = mounts["token"]["mountPath"] + "/token"
                env = pod["spec"]["containers"][0]["env"]
                self.assertIn({"name": "RETROTAB_TOKEN_FILE", "value": path}, env)

    def test_volumes_that_are_mounted_exist(self):
        for variant in VARIANTS:
            for each in of_kind(resources(variant), "StatefulSet", "Deployment", "Job"):
                spec = each["spec"]["template"]["spec"]
                claims = each["spec"].get("volumeClaimTemplates", [])
                volumes = {v["name"] for v in spec["volumes"]}
                volumes |= {claim["metadata"]["name"] for claim in claims}
                mounted = {m["name"] for c in spec["containers"] for m in c["volumeMounts"]}
                self.assertEqual(volumes, mounted)

    def test_the_service_and_the_probes_reach_the_program(self):
        found = resources("workers")
        (coordinator,) = of_kind(found, "StatefulSet")
        (service,) = of_kind(found, "Service")
        template = coordinator["spec"]["template"]
        (container,) = template["spec"]["containers"]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        self.assertIn(f"--listen=0.0.0.0:{ports['grpc']}", container["args"])
        self.assertIn(f"--http=0.0.0.0:{ports['http']}", container["args"])
        self.assertTrue(selected(template, service["spec"]["selector"]))
        self.assertEqual(coordinator["spec"]["serviceName"], service["metadata"]["name"])
        for port in service["spec"]["ports"]:
            self.assertEqual(port["port"], ports[port["targetPort"]])
        for probe, path in [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")]:
            self.assertEqual(container[probe]["httpGet"], {"path": path, "port": "http"})
        for variant in VARIANTS:
            for kind, pod in pods(resources(variant)):
                if kind != "StatefulSet":
                    env = pod["spec"]["containers"][0]["env"]
                    url = f"http://{service['metadata']['name']}:{ports['grpc']}"
                    self.assertIn({"name": "RETROTAB_COORDINATOR", "value": url}, env)

    def test_workers_may_call_the_coordinator_and_others_may_not(self):
        for variant in VARIANTS:
            found = resources(variant)
            policies = {p["metadata"]["name"]: p["spec"] for p in of_kind(found, "NetworkPolicy")}
            nothing = policies["retrotab-nothing"]
            self.assertEqual(nothing, {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]})
            coordinator, worker = policies["retrotab-coordinator"], policies["retrotab-worker"]
            by_kind = {kind == "StatefulSet": pod for kind, pod in pods(found)}
            self.assertTrue(selected(by_kind[True], coordinator["podSelector"]["matchLabels"]))
            self.assertTrue(selected(by_kind[False], worker["podSelector"]["matchLabels"]))
            callers = coordinator["ingress"][0]["from"]
            self.assertTrue(selected(by_kind[False], callers[0]["podSelector"]["matchLabels"]))
            called = worker["egress"][0]["to"][0]["podSelector"]["matchLabels"]
            self.assertTrue(selected(by_kind[True], called))

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_kustomize_puts_everything_together(self):
        for variant in VARIANTS:
            with tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder, "kubernetes")
                shutil.copytree(KUBERNETES, copy)
                (copy / "base/token").write_text("0123456789abcdef0123456789abcdef\n")
                built = run("kubectl", "kustomize", copy / variant)
            self.assertEqual(built.returncode, 0, built.stderr)
            built = list(yaml.load_all(built.stdout, UniqueKeys))
            (secret,) = of_kind(built, "Secret")
            for resource in built:
                kubernetes_validate.validate(resource, "1.37", strict=True)
                if resource["kind"] != "Namespace":
                    self.assertEqual(resource["metadata"]["namespace"], "retrotab")
            for _, pod in pods(built):
                volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
                self.assertEqual(volumes["token"]["secret"]["secretName"], secret["metadata"]["name"])
                (container,) = pod["spec"]["containers"]
                self.assertRegex(container["image"], r"^retrotab:\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
