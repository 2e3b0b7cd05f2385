"""Check a release before it is published: ``make release-check``.

    python .ci/release_check.py --files                # the version is the same in all files
    python .ci/release_check.py --files --tag v0.2.0   # and is the same as the tag
    python .ci/release_check.py                        # also workflows, packages and a fresh install

The last command needs the packages in dist/ (``make dist``) and the extra "release". It installs the
wheel into an empty environment, and runs each command and script of docs/start.md in an empty folder.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", action="store_true", help="compare versions in files only")
    parser.add_argument("--tag", help="the tag of the release, such as v0.2.0")
    options = parser.parse_args()

    version = check_files(options.tag)
    if not options.files:
        check_schemas()
        wheel = check_packages(version)
        check_install(wheel, version)
    print(f"discrimap {version}: all checks passed")


def check_files(tag=None):
    """Exit unless the code, the changelog, the citation and the tag have the same version and date."""
    version = find(r'^__version__ = "(.+)"', "src/discrimap/_version.py")[1]
    released = find(r"^## (.+)$", "CHANGELOG.md")[1]
    cited = find(r"^version: (.+)$", "CITATION.cff")[1]
    date = find(r"^date-released: (.+)$", "CITATION.cff")[1]
    expected = f"{version} ({date})"
    if released != expected:
        sys.exit(f"CHANGELOG.md begins with '{released}'; the release is '{expected}'")
    if cited != version:
        sys.exit(f"CITATION.cff has version {cited}; src/discrimap/_version.py has {version}")
    if tag not in (None, f"v{version}"):
        sys.exit(f"the tag is {tag}; src/discrimap/_version.py has {version}")
    return version


def find(pattern, name):
    match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return match or sys.exit(f"{name} has no line like {pattern}")


def check_schemas():
    """Validate the workflows and the citation; each job must have a time limit."""
    for schema, files in (
        ("vendor.github-workflows", WORKFLOWS),
        ("custom.github-workflows-require-timeout", WORKFLOWS),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ):
        run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files])


def check_packages(version):
    """Check the metadata of the packages in dist/; return the wheel."""
    packages = sorted((ROOT / "dist").glob("*"))
    expected = [f"discrimap-{version}-py3-none-any.whl", f"discrimap-{version}.tar.gz"]
    if [package.name for package in packages] != expected:
        sys.exit(f"dist/ has {[package.name for package in packages]}; expected {expected}")
    run([sys.executable, "-m", "twine", "check", "--strict", *packages])
    return packages[0]


def check_install(wheel, version):
    """Install the wheel into an empty environment and follow docs/start.md in an empty folder."""
    with tempfile.TemporaryDirectory(prefix="discrimap-release-") as folder:
        environment, work = Path(folder) / "environment", Path(folder) / "work"
        work.mkdir()
        venv.create(environment, with_pip=True)
        programs = environment / ("Scripts" if os.name == "nt" else "bin")
        python = programs / "python"
        # Without research data, and without packages from outside the environment.
        variables = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DISCRIMAP_DATA", "PYTHONPATH", "VIRTUAL_ENV")
        }
        variables["PATH"] = os.pathsep.join([str(programs), variables.get("PATH", "")])

        def here(command, **options):
            run(command, cwd=work, env=variables, **options)

        here([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel])
        here([python, "-m", "pip", "check"])
        shown = subprocess.run(
            [programs / "discrimap", "--version"], env=variables, capture_output=True, text=True
        ).stdout
        if shown != f"discrimap {version}\n":
            sys.exit(f"discrimap --version printed {shown!r}")
        here([programs / "discrimap", "compare", "iris", "--rounds", "1", "--out", "iris.html"])
        follow_start(here, python, work)


def follow_start(here, python, work):
    """Run the commands and scripts of docs/start.md in order."""
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    script = []
    for block in BLOCK.finditer(page):
        if block["language"] == "console":
            for command in re.findall(r"^\$ (discrimap .*)$", block["code"], flags=re.MULTILINE):
                words = command.split()
                program = shutil.which(words[0], path=str(Path(python).parent))
                here([program, *words[1:]])
        elif block["language"] == "python":
            # A reader types one block after the other into the same session.
            script.append(without_prompts(block["code"]))
            (work / "session.py").write_text("\n".join(script), encoding="utf-8")
            here([python, "session.py"])
    made = ("wines.csv", "report.html", "result.json", "wines.skops", "map.csv", "map.png")
    absent = [name for name in made if not (work / name).is_file()]
    if absent:
        sys.exit(f"the commands of docs/start.md did not write {', '.join(absent)}")


def without_prompts(code):
    """Return the statements of an interactive session, with an assertion that the last is true."""
    if ">>>" not in code:
        return code
    lines = [line[4:] for line in code.splitlines() if line.startswith((">>> ", "... "))]
    return "\n".join([*lines[:-1], f"assert {lines[-1]}"])


def run(command, **options):
    """Print and run a command; exit with its output if it fails."""
    print("$", *(Path(command[0]).name, *command[1:]), flush=True)
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}exit code {done.returncode}")


if __name__ == "__main__":
    main()
