"""The inputs of the repository, each once, by a program without libFuzzer: at each change."""

import subprocess

from fuzzing import building, corpus, findings, runs, seeds

HEADING = f"{'target':<12} {'inputs':>7}  findings"


def replay(binary, name):
    """
    :return: what to print, and whether nothing went wrong; a target without inputs is wrong, too.
    """
    files = []
    folder = building.ROOT / ".build" / "fuzz-corpus" / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(corpus.kept(name) + seeds.of(name)):
        files.append(folder / str(number))
        files[-1].write_bytes(data)
    try:
        done = subprocess.run([binary, f"--target={name}", *files], env=building.environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=runs.INPUT_SECONDS_MAX * 4)
        log, is_clean = done.stdout.decode(errors="replace"), done.returncode == 0
    except subprocess.TimeoutExpired as late:
        log, is_clean = (late.stdout or b"").decode(errors="replace") + "took too long\n", False
    if not files:
        return f"{name:<12} {0:>7}  there is nothing to hand to it", False
    line = f"{name:<12} {len(files):>7}  {'none' if is_clean else 'ONE'}"
    return (line if is_clean else line + "\n" + findings.account(name, log)), is_clean
