// Program of the Python process. argv: two pipes, shared memory, module path, number of threads, after the options.
#pragma once

namespace weir {

inline constexpr const char* python_driver = R"PY(
import importlib.util, inspect, mmap, os, random, signal, sys, traceback
signal.signal(signal.SIGINT, signal.SIG_IGN)  # Weir ends this process
ask, answer, memory, path = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
for library in ("OMP", "OPENBLAS", "MKL"): os.environ[library + "_NUM_THREADS"] = sys.argv[5]  # as many as the run
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
sys.argv = [path]

def say(code, words=""):
    text = words.encode(errors="replace")[:4000]
    os.write(answer, bytes([code]) + len(text).to_bytes(4, "little") + text if code else b"\0")

def read(count):
    data = b""
    while len(data) < count:
        more = os.read(ask, count - len(data))
        if not more: os._exit(0)
        data += more
    return data

def number(): return int.from_bytes(read(8), "little")

# A class with setup(A) and apply(r), or a function of A that returns something to apply; named ones come first.
def made(module, options):
    name = options.pop("name", None)
    found = getattr(module, name or "solver", None)
    if found is None and name: raise AttributeError("the module has no '%s'" % name)
    if found is None:
        own = [c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == module.__name__
               and hasattr(c, "setup") and hasattr(c, "apply")]
        if len(own) != 1: raise AttributeError("the module must have one class with setup(A) and apply(r), or a "
                                               "function solver(A); it has %d such classes" % len(own))
        found = own[0]
    if inspect.isclass(found): return found(**options)
    class OfFunction:
        def setup(self, A): self.apply = applied_by(found(A, **options))
    return OfFunction()

def applied_by(thing):
    if hasattr(thing, "aspreconditioner"): thing = thing.aspreconditioner()
    for name in ("apply", "matvec", "solve", "dot"):
        if hasattr(thing, name): return getattr(thing, name)
    if callable(thing): return thing
    raise TypeError("solver(A) returned %s, which is not callable and has no apply, matvec, solve or dot" %
                    type(thing).__name__)

def serve():
    import resource
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        signal.setitimer(signal.ITIMER_PROF, 30)  # OpenBLAS asks for ever where `ulimit -v` is too small
    import numpy as np, scipy.sparse as sp, tomllib
    signal.setitimer(signal.ITIMER_PROF, 0)
    options = tomllib.loads(read(number()).decode())
    spec = importlib.util.spec_from_file_location("weir_" + os.path.basename(path).split(".")[0], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    solver = made(module, options)
    say(0)
    while True:
        what = os.read(ask, 1)
        if what == b"a":
            result = np.asarray(solver.apply(r))
            if result.dtype.kind not in "fiub":
                raise TypeError("apply returned %s values, but z is real (use .real if intended)" % result.dtype)
            if result.size != len(z):
                raise ValueError("apply returned %d values, but z has %d" % (result.size, len(z)))
            z[:] = result.ravel()
        elif what == b"s":
            n, entries, symmetric = number(), number(), number()
            shared = mmap.mmap(memory, 8 * (3 * n + 1 + entries) + 4 * entries)
            part = lambda kind, count, at: np.frombuffer(shared, kind, count, at)
            r, z, value = (part(np.float64, c, 8 * a) for c, a in ((n, 0), (n, n), (entries, 3 * n + 1)))
            start, column = part(np.int64, n + 1, 16 * n), part(np.int32, entries, 8 * (3 * n + 1 + entries))
            A = sp.csr_matrix((value, column, start), shape=(n, n), copy=True)
            A.has_canonical_format = True
            solver.symmetric = bool(symmetric)
            r.flags.writeable = False
            random.seed(0)  # pyamg draws starting vectors: repeats and restarts must be bitwise
            np.random.seed(0)
            solver.setup(A)
        else:
            os._exit(0)
        say(0)

while True:
    try:
        serve()
    except BaseException as e:
        where = [f for f in traceback.extract_tb(e.__traceback__) if f.filename != "<string>"]
        at = " (%s:%d)" % (os.path.basename(where[-1].filename), where[-1].lineno) if where else ""
        if isinstance(e, ImportError): at += "; the interpreter is %s (key `python`)" % sys.executable
        say(1, "%s: %s%s" % (type(e).__name__, e, at))
        os._exit(1)
)PY";

}  // namespace weir
