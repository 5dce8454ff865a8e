#!/usr/bin/env python3
"""Packs libweir.so, the libraries that it needs except glibc, and the package weir into one wheel.

    packaging/wheel.py BUILD_FOLDER [OUT_FOLDER]     BUILD_FOLDER: configured with -DWEIR_SHARED=ON; default OUT_FOLDER: it

The distribution is named weir-solvers, the module weir. The libraries find each other by $ORIGIN."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
GLIBC = re.compile(r"(ld-linux.*|lib(c|m|mvec|pthread|dl|rt|resolv|util)\.so.*|libcuda\.so.*|libcublas.*|libcusparse.*|libnvJitLink.*)$")


def run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def copy_libraries(library: pathlib.Path, to: pathlib.Path, licences: pathlib.Path) -> str:
    """Copies the library and its dependencies; returns the glibc version that they need, as "2_34"."""
    to.mkdir()
    shutil.copy(library, to / "libweir.so.1")
    for name, path in re.findall(r"(\S+) => (\S+)", run("ldd", str(library))):
        if GLIBC.match(name):
            continue
        if path == "not":
            sys.exit(f"wheel: {name} is not found on this machine")
        shutil.copy(os.path.realpath(path), to / name)
        real = os.path.realpath(path)
        owner = subprocess.run(["dpkg-query", "-S", real.removeprefix("/usr") if real.startswith("/usr/lib") else real, real], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split(":")[0]
        text = pathlib.Path("/usr/share/doc", owner, "copyright")
        if owner and text.exists():
            shutil.copy(text, licences / owner)
    needed = [(2, 17)]
    for file in to.iterdir():
        file.chmod(0o755)
        run("strip", "--strip-unneeded", str(file))
        run("patchelf", "--set-rpath", "$ORIGIN", str(file))
        needed += [(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", str(file)))]
    return "%d_%d" % max(needed)


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1])
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else build
    library = (build / "lib/libweir.so.1").resolve()
    if not library.exists():
        sys.exit(f"wheel: {build}/lib/libweir.so.1 is not built (-DWEIR_SHARED=ON)")
    for tool, package in (("patchelf", "patchelf"), ("objdump", "binutils"), ("strip", "binutils")):
        if not shutil.which(tool):
            sys.exit(f"wheel: {tool} is missing (Debian package {package})")
    project = tomllib.loads((ROOT / "python/pyproject.toml").read_text())["project"]
    found = re.search(r"^project\(weir VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    assert found
    version = found[1]
    with tempfile.TemporaryDirectory() as work:
        at, info = pathlib.Path(work), pathlib.Path(work, f"weir_solvers-{version}.dist-info")
        shutil.copytree(ROOT / "python/weir", at / "weir", ignore=shutil.ignore_patterns("__pycache__"))  # follows the links
        (info / "licenses").mkdir(parents=True)
        shutil.copy(ROOT / "LICENSE", info / "licenses/LICENSE")
        tag = f"py3-none-manylinux_{copy_libraries(library, at / 'weir/lib', info / 'licenses')}_x86_64"
        extras = [f"Provides-Extra: {name}\n" + "".join(f"Requires-Dist: {r} ; extra == '{name}'\n" for r in wanted)
                  for name, wanted in project["optional-dependencies"].items()]
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: weir-solvers\nVersion: {version}\nSummary: {project['description']}\n"
            f"License: {project['license']['text']}\nRequires-Python: {project['requires-python']}\n" +
            "".join(f"Requires-Dist: {r}\n" for r in project["dependencies"]) + "".join(extras))
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: packaging/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n")
        wheel = out / f"weir_solvers-{version}-{tag}.whl"
        record = ""
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(p for p in at.rglob("*") if p.is_file()):
                name = file.relative_to(at).as_posix()
                digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
                record += f"{name},sha256={digest},{file.stat().st_size}\n"
                archive.write(file, name)
            archive.writestr(f"{info.name}/RECORD", record + f"{info.name}/RECORD,,\n")
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, glibc {tag.split('_', 1)[1].split('_x86')[0].replace('_', '.')} or newer")


if __name__ == "__main__":
    main()
