"""Files that a report writes: aside and renamed, so that a reader never sees half of one, and named in the run's manifest
(postproc/run/directory), so that --overwrite knows them as the run's."""
import contextlib
import os


@contextlib.contextmanager
def aside(path):
    """The temporary name of a file. It is renamed to `path` at the end, or removed after an error."""
    name_in_manifest(path)
    partial = "%s.%s-%d.partial" % (path, os.uname().nodename, os.getpid())
    try:
        yield partial
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(partial)
        raise


def name_in_manifest(path):
    folder, name = os.path.split(os.path.abspath(path))
    for _ in range(2):  # in the manifest's folder, or in a folder there
        manifest = os.path.join(folder, "manifest.txt")
        if os.path.exists(manifest):
            line = "file %s\n" % name
            with open(manifest) as file:
                lines = file.readlines()
            if lines and lines[0].startswith("weir-run ") and line not in lines:
                with open(manifest, "a") as file:
                    file.write(line)
            return
        folder, above = os.path.split(folder)
        name = above + "/" + name
