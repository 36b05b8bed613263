"""Looks at a Containerfile without building it. Usage: containerfile.py FILE

Every line is an instruction that exists, each stage begins with FROM, what is copied is there or comes from a stage that
stands above, and what is run is sound for a shell.
"""

import pathlib
import re
import subprocess
import sys

KNOWN = {"FROM", "COPY", "WORKDIR", "RUN", "USER", "ENTRYPOINT", "CMD", "ENV", "LABEL", "EXPOSE", "VOLUME", "ARG"}


def faults(file: pathlib.Path) -> list[str]:
    text = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", file.read_text()))
    found, stages = [], []
    for line in filter(str.strip, text.splitlines()):
        word, _, rest = line.strip().partition(" ")
        if word not in KNOWN:
            found.append(f"no instruction: {line}")
        if word == "FROM":
            stages.append(rest.rpartition(" AS ")[2] if " AS " in rest else "")
        elif not stages:
            found.append(f"before the first FROM: {line}")
        if word == "COPY":
            source = re.match(r"--from=(\S+)", rest)
            if source and source[1] not in stages[:-1]:
                found.append(f"no stage of that name: {line}")
            if not source and not (file.parent.parent / rest.split()[0]).exists():
                found.append(f"not in the source: {line}")
        if word == "RUN":
            check = subprocess.run(["bash", "-n", "-c", rest], capture_output=True, text=True)
            found += [check.stderr] if check.returncode else []
            for script in re.findall(r"(?:^|&& )(scripts/\S+)", rest):
                if not (file.parent.parent / script).exists():
                    found.append(f"no {script}: {line}")
    return found + ([] if "USER" in text else ["runs as root: no USER"])


if __name__ == "__main__":
    wrong = faults(pathlib.Path(sys.argv[1]))
    print("\n".join(wrong) or "sound")
    sys.exit(bool(wrong))
