"""Builds an environment: a virtual environment with a trainer's packages over a runtime's, or a runtime itself.

    build_environment.py ORDER

ORDER is a JSON file:
    target         directory to build in; empty but for packages/
    base           directory of the runtime's environment below this one, or ""
    packages       names of files in TARGET/packages, in the order in which they are installed
    requirements   what pip shall install besides
    python         false: the packages are archives that are only unpacked
    strict         a pin that the runtime meets with another version is an error
    runtime        what to call the runtime in messages

Leaves TARGET/venv (or TARGET/tree) and TARGET/result.json: {"warnings": [...], "error": "..."}. It runs inside an
instance of its own: what it builds is strangers' code, and so is some of what it runs.
"""
import email.parser
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import tarfile
import traceback
import zipfile

TAIL_LINES = 12
SCRIPTS = pathlib.Path(__file__).resolve().parent
FRAMEWORK_NAMES = ('tensorflow', 'tensorflow-cpu', 'tensorflow-gpu')


class Refused(Exception):
    """Words for the owner of the job."""


def say(text):
    print(text, flush=True)


def site_packages(directory):
    version = f'python{sys.version_info.major}.{sys.version_info.minor}'
    return pathlib.Path(directory) / 'venv' / 'lib' / version / 'site-packages'


def make_venv(target, base):
    """A virtual environment without pip in it, which sees what the base has."""
    venv = target / 'venv'
    (venv / 'bin').mkdir(parents=True)
    site_packages(target).mkdir(parents=True)
    real = pathlib.Path(getattr(sys, '_base_executable', sys.executable))
    for name in ('python', 'python3'):
        (venv / 'bin' / name).symlink_to(real)
    (venv / 'pyvenv.cfg').write_text(f'home = {real.parent}\ninclude-system-site-packages = false\n'
                                     f'version = {sysconfig.get_python_version()}\n')
    if base:
        # addsitedir and not a plain line: the base's own .pth files count, too.
        (site_packages(target) / 'fireweed-base.pth').write_text(
            f'import site; site.addsitedir({str(site_packages(base))!r})\n')
    return venv / 'bin' / 'python'


def run(command):
    """Runs with its output shown; Refused with the last lines of it."""
    lines = []
    say('$ ' + ' '.join(command))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace') as child:
        for line in child.stdout:
            lines.append(line.rstrip())
            say(lines[-1])
    if child.returncode != 0:
        raise Refused('\n'.join(last_words(lines)))


def last_words(lines):
    """What pip says is wrong, not the advice around it."""
    said = [line for line in lines if line.strip() and not line.startswith(('[notice]', 'WARNING: Retrying'))]
    errors = [number for number, line in enumerate(said) if line.lstrip().startswith(('ERROR:', 'error:'))]
    if errors and len(said) - errors[0] <= TAIL_LINES:
        return said[errors[0]:]
    return said[-TAIL_LINES:]


def pip(python, *arguments):
    # PIP_PREFER_BINARY and not a flag: what builds in isolation inherits it.
    os.environ.setdefault('PIP_PREFER_BINARY', '1')
    return [sys.executable, '-m', 'pip', '--python', str(python), *arguments[:1], '--no-input',
            '--disable-pip-version-check', *arguments[1:]]


def can_build_here():
    return bool(importlib.util.find_spec('setuptools') and importlib.util.find_spec('wheel'))


def has_build_system(package):
    """Whether a source archive says how it wants to be built."""
    with tarfile.open(package) as archive:
        return any(name.count('/') == 1 and name.endswith('/pyproject.toml') for name in archive.getnames())


def as_wheel(package, wheels):
    if package.suffix == '.whl':
        return package
    before = set(wheels.glob('*.whl'))
    command = [sys.executable, '-m', 'pip', 'wheel', '--no-input', '--disable-pip-version-check', '--no-deps',
               '-w', str(wheels), str(package)]
    if tarfile.is_tarfile(package) and not has_build_system(package) and can_build_here():
        command.insert(4, '--no-build-isolation')
    run(command)
    made = set(wheels.glob('*.whl')) - before
    if len(made) != 1:
        raise Refused(f'{package.name}: no package came of it')
    return made.pop()


def requirements_of(wheel):
    """What a wheel wants, as far as it holds here."""
    from pip._vendor.packaging.requirements import Requirement  # pylint: disable=import-outside-toplevel
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.count('/') == 1 and n.endswith('.dist-info/METADATA'))
        metadata = email.parser.Parser().parsestr(archive.read(name).decode('utf-8', 'replace'))
    wanted = [Requirement(text) for text in metadata.get_all('Requires-Dist') or []]
    return metadata['Name'], [r for r in wanted if not r.marker or r.marker.evaluate({'extra': ''})]


def provided_by(base):
    """Canonical name to (name, version) of everything in a base environment."""
    from importlib.metadata import distributions  # pylint: disable=import-outside-toplevel
    from pip._vendor.packaging.utils import canonicalize_name  # pylint: disable=import-outside-toplevel
    if not base:
        return {}
    found = {}
    for dist in distributions(path=[str(site_packages(base))]):
        found[canonicalize_name(dist.metadata['Name'])] = (dist.metadata['Name'], dist.version)
    # One framework, several names of the same wheel.
    for name in FRAMEWORK_NAMES:
        for other in FRAMEWORK_NAMES:
            if other in found:
                found.setdefault(name, found[other])
    return found


def constraints_of(base, provided):
    """What pip must keep: the packages that the runtime names. What those brought along may be replaced for the trainer.

    constraints/NAME-X.Y.txt lists versions of other packages that fit version X.Y of a framework: without it, pip
    searches for minutes.
    """
    from pip._vendor.packaging.requirements import Requirement  # pylint: disable=import-outside-toplevel
    from pip._vendor.packaging.utils import canonicalize_name  # pylint: disable=import-outside-toplevel
    if not base:
        return []
    order = json.loads((pathlib.Path(base) / 'order.json').read_text())
    named = {canonicalize_name(Requirement(text).name) for text in order['requirements']}
    if named & set(FRAMEWORK_NAMES):
        named.update(FRAMEWORK_NAMES)
    lines = [f'{name}=={provided[name][1]}' for name in sorted(named & set(provided))]
    for name in sorted(named & set(provided)):
        fitting = SCRIPTS / 'constraints' / f'{name}-{".".join(provided[name][1].split(".")[:2])}.txt'
        if fitting.exists():
            lines += [line for line in fitting.read_text().splitlines() if not line.startswith('#')]
    return lines


def name_framework(target):
    """Records tensorflow-cpu as tensorflow, too: pip must not install a second one for a package that requires it."""
    folder = site_packages(target)
    for info in folder.glob('tensorflow_cpu-*.dist-info'):
        version = info.name[len('tensorflow_cpu-'):-len('.dist-info')]
        alias = folder / f'tensorflow-{version}.dist-info'
        if alias.exists():
            continue
        alias.mkdir()
        (alias / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: tensorflow\nVersion: {version}\n')
        (alias / 'INSTALLER').write_text('fireweed\n')
        (alias / 'RECORD').write_text(f'{alias.name}/METADATA,,\n{alias.name}/INSTALLER,,\n{alias.name}/RECORD,,\n')


def sort_requirements(wheels, provided, order):
    """What pip has to install, and what is said about the rest."""
    from pip._vendor.packaging.utils import canonicalize_name  # pylint: disable=import-outside-toplevel
    needed, warnings = [], []
    for wheel in wheels:
        owner, wanted = requirements_of(wheel)
        for requirement in wanted:
            there = provided.get(canonicalize_name(requirement.name))
            if not there:
                needed.append(str(requirement))
                continue
            if requirement.specifier.contains(there[1], prereleases=True):
                continue
            text = (f'{owner} asks for {requirement}; {order["runtime"]} provides {there[0]} {there[1]}')
            if order['strict']:
                raise Refused(text + ', and strict is set.')
            warnings.append(text + ', which is used instead.')
    return needed, warnings


def build_packages(order, target):
    python = make_venv(target, order['base'])
    provided = provided_by(order['base'])
    folder = target / 'wheels'
    folder.mkdir()
    wheels = [as_wheel(target / 'packages' / name, folder) for name in order['packages']]
    needed, warnings = sort_requirements(wheels, provided, order)
    for text in warnings:
        say('WARNING: ' + text)
    if wheels:
        # The later of two packages with the same name counts, as on a list of packages for the cloud.
        for wheel in wheels:
            run(pip(python, 'install', '--no-deps', '--force-reinstall', str(wheel)))
    needed += order['requirements']
    if needed:
        constraints = target / 'constraints.txt'
        constraints.write_text(''.join(line + '\n' for line in constraints_of(order['base'], provided)))
        run(pip(python, 'install', '-c', str(constraints), *needed))
    if not order['base']:
        name_framework(target)
    return warnings


def unpack(order, target):
    tree = target / 'tree'
    tree.mkdir()
    for name in order['packages']:
        package = target / 'packages' / name
        try:
            if zipfile.is_zipfile(package):
                with zipfile.ZipFile(package) as archive:
                    archive.extractall(tree)
            else:
                with tarfile.open(package) as archive:
                    archive.extractall(tree)
        except (tarfile.TarError, zipfile.BadZipFile, OSError) as wrong:
            raise Refused(f'{name}: not an archive that can be unpacked: {wrong}') from wrong
    return []


def main():
    order = json.loads(pathlib.Path(sys.argv[1]).read_text())
    target = pathlib.Path(order['target'])
    result = {'warnings': [], 'error': ''}
    try:
        result['warnings'] = build_packages(order, target) if order['python'] else unpack(order, target)
    except Refused as refused:
        result['error'] = str(refused) or 'no reason was given'
    except Exception as wrong:  # pylint: disable=broad-except
        traceback.print_exc()
        result['error'] = f'{type(wrong).__name__}: {wrong}'
    (target / 'result.json').write_text(json.dumps(result))
    return 1 if result['error'] else 0


if __name__ == '__main__':
    sys.exit(main())
